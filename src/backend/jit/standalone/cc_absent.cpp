// What Clang names but kernels never reach, in libvitro-cc as a static library.  Defined here, its
// archives (the optimiser as Clang drives it) stay out of the library.
#include <clang/CodeGen/BackendUtil.h>

void clang::EmbedObject(llvm::Module*, const CodeGenOptions&, DiagnosticsEngine&) {}
