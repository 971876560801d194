#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>

#include "backend/jit/standalone/cc_internal.h"

namespace vitro::cc {
namespace {

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
  files->addFile(name, 0, llvm::MemoryBuffer::getMemBuffer({source.data(), source.size()}, name));
  return files;
}

// Unlike Clang's own action it brings no optimiser and no linker of bitcode along.
class MakeModule : public clang::ASTFrontendAction {
 public:
  explicit MakeModule(llvm::LLVMContext& context) : context_(context) {}
  std::unique_ptr<llvm::Module> take() { return std::move(module_); }

 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& clang,
                                                        llvm::StringRef name) override {
    generator_ = clang::CreateLLVMCodeGen(
        clang.getDiagnostics(), name, &clang.getVirtualFileSystem(), clang.getHeaderSearchOpts(),
        clang.getPreprocessorOpts(), clang.getCodeGenOpts(), context_);
    return std::unique_ptr<clang::ASTConsumer>(generator_);
  }
  void EndSourceFileAction() override { module_.reset(generator_->ReleaseModule()); }

 private:
  llvm::LLVMContext& context_;
  clang::CodeGenerator* generator_ = nullptr;  // owned by the CompilerInstance
  std::unique_ptr<llvm::Module> module_;
};

}  // namespace

std::unique_ptr<llvm::Module> parse(std::string_view source, const VitroCcRequest& request,
                                    llvm::LLVMContext& context, std::string& diagnostics) {
  llvm::raw_string_ostream messages(diagnostics);
  auto options = llvm::makeIntrusiveRefCnt<clang::DiagnosticOptions>();
  options->ShowCarets = true;
  clang::TextDiagnosticPrinter printer(messages, options.get());
  auto engine = llvm::makeIntrusiveRefCnt<clang::DiagnosticsEngine>(
      llvm::makeIntrusiveRefCnt<clang::DiagnosticIDs>(), options, &printer,
      /*ShouldOwnClient=*/false);
  auto invocation = invocation_for(request, *engine);
  if (!invocation) {
    messages << "clang does not take these flags: " << request.flags << '\n';
    return nullptr;
  }
  clang::CompilerInstance clang;
  clang.setInvocation(invocation);
  clang.setDiagnostics(engine.get());
  clang.createFileManager(only_file(source, request.name));
  clang.setVerboseOutputStream(messages);
  MakeModule action(context);
  if (!clang.ExecuteAction(action)) return nullptr;
  return action.take();
}

}  // namespace vitro::cc
