#include <memory>
#include <mutex>
#include <string>

#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>

#include "backend/jit/standalone/cc_internal.h"

namespace vitro::cc {
namespace {

void prepare_targets() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> words;
  while (!text.empty()) {
    size_t end = text.find(separator);
    if (end != 0) words.emplace_back(text.substr(0, end));
    if (end == text.npos) break;
    text.remove_prefix(end + 1);
  }
  return words;
}

std::shared_ptr<clang::CompilerInvocation> invocation_for(const VitroCcRequest& request,
                                                          clang::DiagnosticsEngine& diagnostics) {
  std::vector<std::string> words = split(request.flags, ' ');
  words.insert(words.end(),
               {"-triple", request.triple, "-emit-obj", "-main-file-name", request.name});
  if (request.vector_bits != 0) {
    words.push_back("-mprefer-vector-width=" + std::to_string(request.vector_bits));
  }
  words.insert(words.end(), {"-x", "c++", request.name});
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  auto invocation = std::make_shared<clang::CompilerInvocation>();
  if (!clang::CompilerInvocation::CreateFromArgs(*invocation, arguments, diagnostics))
    return nullptr;
  invocation->getTargetOpts().FeaturesAsWritten = split(request.features, ',');
  return invocation;
}

// The only file that the compiler sees is the text.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> only_file(std::string_view source,
                                                          const char* name) {
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  files->setCurrentWorkingDirectory("/");
  files->addFile(name, 0,
                 llvm::MemoryBuffer::getMemBufferCopy({source.data(), source.size()}, name));
  return files;
}

}  // namespace

Outcome compile(std::string_view source, const VitroCcRequest& request) {
  prepare_targets();
  Outcome outcome;
  llvm::raw_string_ostream messages(outcome.diagnostics);
  auto options = llvm::makeIntrusiveRefCnt<clang::DiagnosticOptions>();
  options->ShowCarets = true;
  clang::TextDiagnosticPrinter printer(messages, options.get());
  auto diagnostics = llvm::makeIntrusiveRefCnt<clang::DiagnosticsEngine>(
      llvm::makeIntrusiveRefCnt<clang::DiagnosticIDs>(), options, &printer,
      /*ShouldOwnClient=*/false);
  auto invocation = invocation_for(request, *diagnostics);
  if (!invocation) {
    messages << "clang does not take these flags: " << request.flags << '\n';
    return outcome;
  }
  clang::CompilerInstance clang;
  clang.setInvocation(invocation);
  clang.setDiagnostics(diagnostics.get());
  clang.createFileManager(only_file(source, request.name));
  llvm::SmallVector<char, 0> object;
  clang.setOutputStream(std::make_unique<llvm::raw_svector_ostream>(object));
  clang.setVerboseOutputStream(messages);
  clang::EmitObjAction action;
  outcome.ok = clang.ExecuteAction(action);
  outcome.bytes.assign(object.data(), object.size());
  return outcome;
}

}  // namespace vitro::cc
