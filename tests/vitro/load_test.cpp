#include <dlfcn.h>
#include <gtest/gtest.h>

namespace vitro {
namespace {

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // must be loaded first
// Loads the library as Python loads an extension. The thread state of Interpreter uses static TLS,
// of which the loader reserves a few hundred bytes for libraries loaded later: large thread-local
// objects would fail here.
TEST(Library, can_be_loaded_by_a_running_program) {
  void* library = dlopen(VITRO_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr) << dlerror();
}
#endif

}  // namespace
}  // namespace vitro
