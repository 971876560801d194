// Defines functions that Clang references but kernels never call, so that a statically linked
// libvitro-cc does not pull in their archives (Clang's optimiser driver).
#include <clang/CodeGen/BackendUtil.h>

void clang::EmbedObject(llvm::Module*, const CodeGenOptions&, DiagnosticsEngine&) {}
