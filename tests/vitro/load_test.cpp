#include <dlfcn.h>
#include <gtest/gtest.h>

namespace vitro {
namespace {

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which must be loaded first
// As Python loads an extension.  The door's thread state wants fast thread-local memory, of which
// the system keeps some hundred bytes for late-comers: large thread-local objects would fail here.
TEST(Library, can_be_loaded_by_a_running_program) {
  void* library = dlopen(VITRO_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr) << dlerror();
}
#endif

}  // namespace
}  // namespace vitro
