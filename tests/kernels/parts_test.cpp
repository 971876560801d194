#include <gtest/gtest.h>
#include <sys/mman.h>

#include "machine_versions.h"

namespace vitro::kernels_test {
namespace {

// An accessible page followed by an inaccessible one.
class PageWithAnEnd {
 public:
  PageWithAnEnd() {
    start_ = static_cast<unsigned char*>(
        mmap(nullptr, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(start_, 4096, PROT_READ | PROT_WRITE);
  }
  ~PageWithAnEnd() { munmap(start_, 8192); }
  unsigned char* end() { return start_ + 4096; }

 private:
  unsigned char* start_;
};

TEST(Parts, behave_as_their_headers_say_on_every_instruction_set) {
  PageWithAnEnd page;
  for (const Version& version : versions()) {
    for (const PartTest* test = version.part_tests; test->name; ++test) {
      const char* wrong = test->run(page.end());
      EXPECT_EQ(wrong, nullptr) << version.name << ", " << test->name << ": "
                                << (wrong ? wrong : "");
    }
  }
}

}  // namespace
}  // namespace vitro::kernels_test
