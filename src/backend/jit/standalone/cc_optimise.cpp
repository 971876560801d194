// The IR passes.  Generated kernels are loops over full vectors with everything force-inlined, so
// they need only this subset of -O2.
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/BasicAliasAnalysis.h>
#include <llvm/Analysis/BlockFrequencyInfo.h>
#include <llvm/Analysis/BranchProbabilityInfo.h>
#include <llvm/Analysis/LazyValueInfo.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/MemoryDependenceAnalysis.h>
#include <llvm/Analysis/MemorySSA.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ProfileSummaryInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScopedNoAliasAA.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/OptBisect.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/DeadStoreElimination.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopDeletion.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/LowerExpectIntrinsic.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/UnrollLoop.h>
#include <llvm/Transforms/Vectorize/VectorCombine.h>

#include "backend/jit/standalone/cc_internal.h"

namespace vitro::cc {
namespace {

using namespace llvm;

// The analyses that the passes below use, each computed on first use.
class Analyses {
 public:
  explicit Analyses(TargetMachine& machine) : library_(machine.getTargetTriple()) {
    library_.disableAllFunctions();
    add_to_functions(machine);
    loops_.registerPass([] { return PassInstrumentationAnalysis(); });
    loops_.registerPass([this] { return FunctionAnalysisManagerLoopProxy(functions_); });
    modules_.registerPass([] { return PassInstrumentationAnalysis(); });
    modules_.registerPass([] { return ProfileSummaryAnalysis(); });
    modules_.registerPass([this] { return FunctionAnalysisManagerModuleProxy(functions_); });
  }
  ModuleAnalysisManager& modules() { return modules_; }

 private:
  void add_to_functions(TargetMachine& machine) {
    auto add = [this](auto made) { functions_.registerPass([made] { return made; }); };
    add(AssumptionAnalysis());
    add(BasicAA());
    add(BlockFrequencyAnalysis());
    add(BranchProbabilityAnalysis());
    add(DominatorTreeAnalysis());
    add(LazyValueAnalysis());
    add(LoopAnalysis());
    add(MemoryDependenceAnalysis());
    add(MemorySSAAnalysis());
    add(OptimizationRemarkEmitterAnalysis());
    add(PassInstrumentationAnalysis());
    add(PostDominatorTreeAnalysis());
    add(ScalarEvolutionAnalysis());
    add(ScopedNoAliasAA());
    add(TargetLibraryAnalysis(library_));
    add(machine.getTargetIRAnalysis());
    functions_.registerPass([] {
      AAManager aliases;
      aliases.registerFunctionAnalysis<BasicAA>();
      aliases.registerFunctionAnalysis<ScopedNoAliasAA>();
      return aliases;
    });
    functions_.registerPass([this] { return ModuleAnalysisManagerFunctionProxy(modules_); });
    functions_.registerPass([this] { return LoopAnalysisManagerFunctionProxy(loops_); });
  }

  TargetLibraryInfoImpl library_;
  LoopAnalysisManager loops_;
  FunctionAnalysisManager functions_;
  ModuleAnalysisManager modules_;
};

// Cleans up each function before inlining copies it.
FunctionPassManager before_inlining() {
  FunctionPassManager passes;
  passes.addPass(LowerExpectIntrinsicPass());
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass());
  passes.addPass(SimplifyCFGPass());
  return passes;
}

size_t size_of(const Loop& loop) {
  size_t size = 0;
  for (const BasicBlock* block : loop.blocks()) size += block->sizeWithoutDebug();
  return size;
}

// Returns whether the module has kernels of large programs, marked minsize.  In these, functions
// with many calls are not inlined and only passes that reduce the code much are run, because
// compile time is proportional to code size.
bool take_small(Module& module) {
  bool small = false;
  for (Function& f : module) {
    small = small || f.hasFnAttribute(Attribute::MinSize);
    f.removeFnAttr(Attribute::MinSize);  // LLVM's own minsize is too aggressive
  }
  return small;
}

struct CallLargeFunctions : PassInfoMixin<CallLargeFunctions> {
  static constexpr unsigned most_instructions = 12, most_calls = 2;

  PreservedAnalyses run(Module& module, ModuleAnalysisManager&) {
    for (Function& f : module) {
      if (f.isDeclaration() || !f.hasFnAttribute(Attribute::AlwaysInline)) continue;
      if (f.getInstructionCount() < most_instructions || !f.hasNUsesOrMore(most_calls + 1))
        continue;
      f.removeFnAttr(Attribute::AlwaysInline);
      f.addFnAttr(Attribute::NoInline);
      f.setComdat(nullptr);
      f.setLinkage(GlobalValue::InternalLinkage);
    }
    return PreservedAnalyses::none();
  }
};

// Disables passes of the code generator for small kernels.
struct WithoutLoopStrength : OptPassGate {
  bool isEnabled() const override { return true; }
  bool shouldRunPass(StringRef pass, StringRef) override {
    return pass != "Loop Strength Reduction" && pass != "Constant Hoisting" &&
           pass != "Canonicalize Freeze Instructions in Loops" && pass != "X86 Partial Reduction";
  }
};

// Fully unrolls loops with few iterations, and those with unroll metadata.  Checks the trip count
// first, because LLVM's pass estimates a loop's cost before it looks at the count, and most loops
// here run over rows.  Limits the instructions per function: adjacent unrolled loops become one
// block, and scheduling is quadratic in its length.
struct UnrollShortLoops : PassInfoMixin<UnrollShortLoops> {
  PreservedAnalyses run(Loop& loop, LoopAnalysisManager& analyses,
                        LoopStandardAnalysisResults& known, LPMUpdater& updater) {
    constexpr size_t most_turns = 64, most_instructions = 1200, most_of_function = 2400;
    const unsigned turns = known.SE.getSmallConstantMaxTripCount(&loop);
    const auto says = [id = loop.getLoopID()](const char* what) {
      return id && GetUnrollMetadata(id, what);
    };
    const bool asked = says("llvm.loop.unroll.full") || says("llvm.loop.unroll.enable") ||
                       says("llvm.loop.unroll.count");
    if (!asked && (turns == 0 || turns > most_turns)) return PreservedAnalyses::all();
    // LLVM would also refuse, but only after analysing each instruction.
    const Function* function = loop.getHeader()->getParent();
    if (function != function_) function_ = function, written_ = 0;
    const size_t size = turns * size_of(loop);
    if (!asked && (size > most_instructions || written_ + size > most_of_function))
      return PreservedAnalyses::all();
    written_ += size;
    return LoopFullUnrollPass(2).run(loop, analyses, known, updater);
  }

 private:
  const Function* function_ = nullptr;
  size_t written_ = 0;  // by loops of this function
};

// Unrolls small loops, whose overhead is significant.  To save compile time, runs LLVM's pass only
// on functions that have one.
struct UnrollSmallLoops : PassInfoMixin<UnrollSmallLoops> {
  PreservedAnalyses run(Function& function, FunctionAnalysisManager& analyses) {
    constexpr size_t most_instructions = 20;
    for (Loop* loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder()) {
      if (size_of(*loop) <= most_instructions)
        return LoopUnrollPass(LoopUnrollOptions(2)).run(function, analyses);
    }
    return PreservedAnalyses::all();
  }
};

SimplifyCFGOptions last_simplify_cfg() {
  return SimplifyCFGOptions().convertSwitchRangeToICmp(true).hoistCommonInsts(true).sinkCommonInsts(
      true);
}

FunctionPassManager after_inlining() {
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(SimplifyCFGPass());
  passes.addPass(InstCombinePass());

  LoopPassManager first, second;
  first.addPass(LoopRotatePass());
  first.addPass(LICMPass(LICMOptions()));
  second.addPass(LoopDeletionPass());
  second.addPass(UnrollShortLoops());
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(first), /*UseMemorySSA=*/true));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(second)));

  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(GVNPass());
  passes.addPass(DSEPass());
  passes.addPass(InstCombinePass());
  passes.addPass(UnrollSmallLoops());
  passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()), /*UseMemorySSA=*/true));
  passes.addPass(VectorCombinePass());
  passes.addPass(SimplifyCFGPass(last_simplify_cfg()));
  passes.addPass(InstCombinePass());
  return passes;
}

FunctionPassManager for_small_kernels() {
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(SimplifyCFGPass());
  passes.addPass(InstCombinePass());
  LoopPassManager loops;
  loops.addPass(LoopRotatePass());
  loops.addPass(LICMPass(LICMOptions()));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(loops), /*UseMemorySSA=*/true));
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(SimplifyCFGPass(last_simplify_cfg()));
  return passes;
}

}  // namespace

void optimise(Module& module, TargetMachine& machine) {
  const bool small = take_small(module);
  Analyses analyses(machine);
  ModulePassManager passes;
  passes.addPass(createModuleToFunctionPassAdaptor(before_inlining()));
  if (small) passes.addPass(CallLargeFunctions());
  passes.addPass(AlwaysInlinerPass(/*InsertLifetime=*/false));
  passes.addPass(createModuleToFunctionPassAdaptor(small ? for_small_kernels() : after_inlining()));
  passes.run(module, analyses.modules());
  static WithoutLoopStrength without;
  if (small) module.getContext().setOptPassGate(without);
}

}  // namespace vitro::cc
