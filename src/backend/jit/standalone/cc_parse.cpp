// The front end: runs Clang on sources in memory, with the prelude as a precompiled syntax tree if
// one matches, and writes such trees.
#include <mutex>

#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <clang/Serialization/ASTWriter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/xxhash.h>

#include "backend/jit/standalone/cc_internal.h"

namespace vitro::cc {
namespace {

// Names in the in-memory file system.
constexpr const char* prelude_name = "vitro_prelude.h";
constexpr const char* tree_name = "vitro_prelude.ast";

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

llvm::XXH128_hash_t hash_of(llvm::StringRef bytes) {
  return llvm::xxh3_128bits(
      llvm::ArrayRef(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()));
}

std::string hex(const llvm::XXH128_hash_t& hash) {
  std::string digits;
  llvm::raw_string_ostream(digits) << llvm::format(
      "%016llx%016llx", (unsigned long long)hash.high64, (unsigned long long)hash.low64);
  return digits;
}

// Hashes everything that the tree depends on.
std::string stamp_of(const VitroCcRequest& request) {
  llvm::SmallString<0> all;
  llvm::raw_svector_ostream out(all);
  const llvm::StringRef prelude(request.prelude.data, request.prelude.size);
  out << VITRO_CC_INTERFACE << vitro_cc_version() << '\n' << request.triple << '\n';
  out << request.features << '\n' << request.flags << '\n' << request.vector_bits << '\n';
  out << prelude;
  const llvm::XXH128_hash_t hash = hash_of(all);
  return "vitro prelude " + hex(hash);
}

// The line before the tree: hashes of what it depends on and of its content.
constexpr size_t head_bytes = 128;  // keeps the tree aligned to words
std::string head_of(const VitroCcRequest& request, llvm::StringRef tree) {
  std::string head = stamp_of(request) + " " + hex(hash_of(tree));
  head.resize(head_bytes - 1, ' ');
  return head + "\n";
}

// The tree in the file that the request names; empty if the file is not complete or does not match
// the request.
llvm::StringRef tree_for(const VitroCcRequest& request) {
  struct Open {
    std::string path, stamp;
    std::unique_ptr<llvm::MemoryBuffer> file;
  };
  static std::mutex& lock = *new std::mutex;
  static std::vector<Open>& opened = *new std::vector<Open>;  // never freed
  if (!*request.precompiled || request.prelude.size == 0) return {};
  const std::string stamp = stamp_of(request);
  std::lock_guard hold(lock);
  for (const Open& open : opened) {
    if (open.path == request.precompiled && open.stamp == stamp)
      return open.file->getBuffer().drop_front(head_bytes);
  }
  // IsVolatile reads instead of mapping: the file may be truncated while it is in use.
  auto file = llvm::MemoryBuffer::getFile(request.precompiled, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false, /*IsVolatile=*/true);
  if (!file || (*file)->getBufferSize() < head_bytes) return {};
  const llvm::StringRef tree = (*file)->getBuffer().drop_front(head_bytes);
  if (!(*file)->getBuffer().starts_with(head_of(request, tree))) return {};
  opened.push_back({request.precompiled, stamp, std::move(*file)});
  return tree;
}

// Runs Clang on a source with an in-memory file system only.
class Run {
 public:
  Run(const VitroCcRequest& request, std::string& diagnostics, size_t source = 0)
      : request_(request),
        source_(source),
        messages_(diagnostics),
        options_(llvm::makeIntrusiveRefCnt<clang::DiagnosticOptions>()),
        printer_(messages_, options_.get()),
        files_(llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>()) {
    options_->ShowCarets = true;
    files_->setCurrentWorkingDirectory("/");
    add_file(prelude_name, {request.prelude.data, request.prelude.size});
  }

  // Does not copy the bytes.
  void add_file(const char* name, llvm::StringRef bytes) {
    files_->addFile(name, 0, llvm::MemoryBuffer::getMemBuffer(bytes, name, false));
  }

  bool operator()(clang::FrontendAction& action, const char* name, llvm::StringRef tree = {}) {
    auto engine = llvm::makeIntrusiveRefCnt<clang::DiagnosticsEngine>(
        llvm::makeIntrusiveRefCnt<clang::DiagnosticIDs>(), options_, &printer_,
        /*ShouldOwnClient=*/false);
    auto invocation = invocation_for(name, *engine);
    if (!invocation) {
      messages_ << "clang rejects these flags: " << request_.flags << '\n';
      return false;
    }
    if (!tree.empty()) {
      add_file(tree_name, tree);
      clang::PreprocessorOptions& options = invocation->getPreprocessorOpts();
      options.ImplicitPCHInclude = tree_name;
      options.DisablePCHOrModuleValidation = clang::DisableValidationForModuleKind::All;
    }
    clang::CompilerInstance clang;
    clang.setInvocation(invocation);
    clang.setDiagnostics(engine.get());
    clang.createFileManager(files_);
    clang.setVerboseOutputStream(messages_);
    return clang.ExecuteAction(action);
  }

 private:
  std::shared_ptr<clang::CompilerInvocation> invocation_for(
      const char* name, clang::DiagnosticsEngine& diagnostics) const {
    std::vector<std::string> words = split(request_.flags, ' ');
    words.insert(words.end(), {"-triple", request_.triple, "-emit-obj", "-main-file-name", name});
    if (request_.vector_bits != 0) {
      words.push_back("-mprefer-vector-width=" + std::to_string(request_.vector_bits));
    }
    words.insert(words.end(), {"-x", "c++", name});
    std::vector<const char*> arguments;
    for (const std::string& word : words) arguments.push_back(word.c_str());
    auto invocation = std::make_shared<clang::CompilerInvocation>();
    if (!clang::CompilerInvocation::CreateFromArgs(*invocation, arguments, diagnostics))
      return nullptr;
    invocation->getTargetOpts().FeaturesAsWritten = split(request_.features, ',');
    name_kept_files(invocation->getCodeGenOpts(), name);
    return invocation;
  }

  // Makes line tables name the files that keep the sources.
  void name_kept_files(clang::CodeGenOptions& options, const char* name) const {
    const std::string texts = request_.kept_texts, prelude = request_.kept_prelude;
    if (texts.empty()) return;
    options.DebugCompilationDir = texts.substr(0, texts.rfind('/'));
    const std::string text = texts + "." + std::to_string(source_) + ".cpp";
    for (const std::string& folder : {std::string(), std::string("/")}) {
      options.DebugPrefixMap.emplace_back(folder + name, text);
      options.DebugPrefixMap.emplace_back(folder + prelude_name, prelude);
    }
  }

  const VitroCcRequest& request_;
  size_t source_;
  llvm::raw_string_ostream messages_;
  llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> options_;
  clang::TextDiagnosticPrinter printer_;
  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> files_;
};

// Unlike Clang's own action, it does not link in the optimiser and the bitcode linker.
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

class MakeTree : public clang::ASTFrontendAction {
 public:
  llvm::StringRef bytes() const { return {tree_->Data.data(), tree_->Data.size()}; }

 protected:
  clang::TranslationUnitKind getTranslationUnitKind() override { return clang::TU_Prefix; }
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& clang,
                                                        llvm::StringRef) override {
    return std::make_unique<clang::PCHGenerator>(
        clang.getPreprocessor(), clang.getModuleCache(), tree_name, "", tree_,
        llvm::ArrayRef<std::shared_ptr<clang::ModuleFileExtension>>(),
        /*AllowASTWithErrors=*/false, /*IncludeTimestamps=*/false);
  }

 private:
  std::shared_ptr<clang::PCHBuffer> tree_ = std::make_shared<clang::PCHBuffer>();
};

}  // namespace

std::unique_ptr<llvm::Module> parse(size_t source, const VitroCcRequest& request,
                                    llvm::LLVMContext& context, Outcome& outcome) {
  const llvm::StringRef text(request.sources[source].data, request.sources[source].size);
  if (const llvm::StringRef tree = tree_for(request); !tree.empty()) {
    Run run(request, outcome.diagnostics, source);
    MakeModule action(context);
    run.add_file(request.name, text);
    outcome.from_tree = run(action, request.name, tree);
    if (outcome.from_tree) return action.take();
    outcome.diagnostics
        .clear();  // the source is wrong or the tree is unreadable: retry without the tree
  }
  Run run(request, outcome.diagnostics, source);
  MakeModule action(context);
  run.add_file(request.name, text);
  return run(action, request.name) ? action.take() : nullptr;
}

Outcome precompile(const VitroCcRequest& request) {
  Outcome outcome;
  Run run(request, outcome.diagnostics);
  MakeTree action;
  outcome.ok = run(action, prelude_name) && !action.bytes().empty();
  if (outcome.ok) outcome.bytes = head_of(request, action.bytes()) + action.bytes().str();
  return outcome;
}

}  // namespace vitro::cc
