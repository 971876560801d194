#include <mutex>

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

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

std::unique_ptr<llvm::TargetMachine> machine_for(const VitroCcRequest& request, std::string& why) {
  prepare_targets();
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(request.triple, why);
  if (!target) return nullptr;
  llvm::TargetOptions options;
  options.DebuggerTuning = llvm::DebuggerKind::GDB;
  options.MCOptions.AsmVerbose = false;
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(request.triple, "x86-64", request.features, options,
                                  llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Default));
}

// Clang writes the machine's features into every function, where LLVM reads them again for every
// function; all have those of the TargetMachine.
void drop_features(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (const char* name : {"target-cpu", "target-features", "tune-cpu"})
      function.removeFnAttr(name);
  }
}

}  // namespace

bool generate(llvm::Module& module, const VitroCcRequest& request, Outcome& outcome) {
  std::unique_ptr<llvm::TargetMachine> machine = machine_for(request, outcome.diagnostics);
  if (!machine) return false;
  drop_features(module);
  optimise(module, *machine);
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream out(object);
  llvm::legacy::PassManager passes;
  llvm::TargetLibraryInfoImpl library(machine->getTargetTriple());
  library.disableAllFunctions();
  passes.add(new llvm::TargetLibraryInfoWrapperPass(library));
  passes.add(llvm::createTargetTransformInfoWrapperPass(machine->getTargetIRAnalysis()));
  if (machine->addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::ObjectFile,
                                   /*DisableVerify=*/true)) {
    outcome.diagnostics += "LLVM writes no object files for this machine\n";
    return false;
  }
  passes.run(module);
  outcome.bytes.assign(object.data(), object.size());
  return true;
}

}  // namespace vitro::cc
