// vitro-cc: runs the compiler library in a separate process, so that a crash of the compiler does
// not affect the program.
//   vitro-cc < REQUEST > REPLY         both in the format of wire.h
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "backend/jit/wire.h"

#include "backend/jit/cc.h"

namespace {

std::string read_all(int file) {
  std::string bytes;
  char buffer[1 << 16];
  for (ssize_t n; (n = read(file, buffer, sizeof buffer)) > 0;) bytes.append(buffer, size_t(n));
  return bytes;
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t n = write(file, bytes.data(), bytes.size());
    if (n <= 0) return false;
    bytes.remove_prefix(size_t(n));
  }
  return true;
}

}  // namespace

int main() {
  rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  vitro::jit::WireRequest wire;
  if (!vitro::jit::read_wire(read_all(0), wire)) {
    std::fputs(
        "vitro-cc: standard input is not a request of this version; only the vitro library runs "
        "this program\n",
        stderr);
    return 2;
  }
  VitroCcReply reply = {};
  reply.size = sizeof reply;
  vitro::jit::RequestView view(wire);
  vitro_cc_compile(&view.request, &reply);
  bool written = write_all(1, vitro::jit::write_wire(reply));
  vitro_cc_release(&reply);
  return written ? 0 : 3;
}
