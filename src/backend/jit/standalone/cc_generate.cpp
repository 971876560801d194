#include <mutex>

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
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

// Removes the features that Clang writes into every function: LLVM would parse them per function,
// and they equal those of the TargetMachine.
void drop_features(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (const char* name : {"target-cpu", "target-features", "tune-cpu"})
      function.removeFnAttr(name);
  }
}

// Like LLVMTargetMachine::addPassesToEmitFile, which has no way to disable a pass.
bool add_passes(llvm::LLVMTargetMachine& machine, llvm::legacy::PassManager& passes,
                llvm::raw_pwrite_stream& out) {
  llvm::TargetPassConfig* config = machine.createPassConfig(passes);
  config->setDisableVerify(true);
  config->disablePass(&llvm::LiveDebugValuesID);  // line tables have no variables
  auto* modules = new llvm::MachineModuleInfoWrapperPass(&machine);
  passes.add(config);
  passes.add(modules);
  if (config->addISelPasses()) return false;
  config->addMachinePasses();
  config->setInitialized();
  if (machine.addAsmPrinter(passes, out, nullptr, llvm::CodeGenFileType::ObjectFile,
                            modules->getMMI().getContext())) {
    return false;
  }
  passes.add(llvm::createFreeMachineFunctionPass());
  return true;
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
  if (!add_passes(static_cast<llvm::LLVMTargetMachine&>(*machine), passes, out)) {
    outcome.diagnostics += "LLVM cannot write object files for this machine\n";
    return false;
  }
  passes.run(module);
  outcome.bytes.assign(object.data(), object.size());
  return true;
}

}  // namespace vitro::cc
