#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "backend/jit/standalone/cc_internal.h"

namespace vitro::cc {

Outcome compile(size_t source, const VitroCcRequest& request) {
  Outcome outcome;
  llvm::LLVMContext context;
  context.setDiscardValueNames(true);
  std::unique_ptr<llvm::Module> module = parse(source, request, context, outcome);
  outcome.ok = module && generate(*module, request, outcome);
  return outcome;
}

}  // namespace vitro::cc
