// What the parts of libvitro-cc offer each other.
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
  bool from_tree = false;  // the prelude was not read as text
};

// Clang and LLVM: one of the request's texts to an object file.  Any threads at once; wants a large
// stack.
Outcome compile(size_t source, const VitroCcRequest& request);

// The first half of it, Clang: a text to a module of unoptimised IR; null, with the reasons in the
// outcome's diagnostics, when the text is wrong.
std::unique_ptr<llvm::Module> parse(size_t source, const VitroCcRequest& request,
                                    llvm::LLVMContext& context, Outcome& outcome);

// The prelude as a file: a line that says of what, and the syntax tree.
Outcome precompile(const VitroCcRequest& request);

// The other half, LLVM: to the bytes of an object file.
bool generate(llvm::Module& module, const VitroCcRequest& request, Outcome& outcome);
// The passes over the IR, for one machine.
void optimise(llvm::Module& module, llvm::TargetMachine& machine);

}  // namespace vitro::cc
