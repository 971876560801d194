// Internal interface between the parts of libvitro-cc.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backend/jit/cc.h"

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
template <typename T>
class SmallVectorImpl;
}  // namespace llvm

namespace vitro::cc {

struct Outcome {
  bool ok = false;
  std::string bytes;  // an object file
  std::string diagnostics;
  bool from_tree = false;  // the prelude was not parsed as text
};

// Compiles one of the request's sources to an object file.  Thread-safe; needs a large stack.
Outcome compile(size_t source, const VitroCcRequest& request);

// The front end, Clang: parses a source to unoptimised IR.  Null on errors, which are in the
// outcome's diagnostics.
std::unique_ptr<llvm::Module> parse(size_t source, const VitroCcRequest& request,
                                    llvm::LLVMContext& context, Outcome& outcome);

// Precompiles the prelude: a line with hashes of request and tree, followed by the syntax tree.
Outcome precompile(const VitroCcRequest& request);

// The back end, LLVM: optimises the IR and writes an object file to the outcome.
bool generate(llvm::Module& module, const VitroCcRequest& request, Outcome& outcome);
// Runs the IR passes.
void optimise(llvm::Module& module, llvm::TargetMachine& machine);

}  // namespace vitro::cc
