// What lld and clang name but kernels never reach, in libvitro-cc as a static library: the
// optimiser as Clang drives it, link-time optimisation, the other machines.  Defined here, their
// archives stay out of the library.
#include <clang/CodeGen/BackendUtil.h>
#include <llvm/LTO/LTO.h>

#define VITRO_ABSENT(machine, part) \
  extern "C" void LLVMInitialize##machine##part() {}
#include "absent_machines.inc"

void clang::EmbedObject(llvm::Module*, const CodeGenOptions&, DiagnosticsEngine&) {}

namespace llvm::lto {

Expected<std::unique_ptr<InputFile>> InputFile::create(MemoryBufferRef) {
  return createStringError(inconvertibleErrorCode(), "bitcode is not an object of kernels");
}
InputFile::~InputFile() = default;
SmallVector<const char*> LTO::getRuntimeLibcallSymbols(const Triple&) {
  return {};
}

}  // namespace llvm::lto

namespace lld::elf {

class BitcodeFile;
class InputFile;

// lld makes one for every link, in memory of its own class's size, and gives it no file.
class BitcodeCompiler {
 public:
  BitcodeCompiler();
  ~BitcodeCompiler();
  void add(BitcodeFile& file);
  std::vector<InputFile*> compile();
};

BitcodeCompiler::BitcodeCompiler() = default;
BitcodeCompiler::~BitcodeCompiler() = default;
void BitcodeCompiler::add(BitcodeFile&) {}
std::vector<InputFile*> BitcodeCompiler::compile() {
  return {};
}

}  // namespace lld::elf
