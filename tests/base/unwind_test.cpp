// The stack unwinder, compared with the C++ runtime's.
#include "vitro/base/unwind.h"

#include <alloca.h>
#include <gtest/gtest.h>
#include <unwind.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

namespace vitro {
namespace {

using Addresses = std::vector<uint64_t>;

_Unwind_Reason_Code note(_Unwind_Context* context, void* data) {
  if (_Unwind_GetIP(context) != 0) static_cast<Addresses*>(data)->push_back(_Unwind_GetIP(context));
  return _URC_NO_REASON;
}

// Compares the frames with those of the C++ runtime.
[[gnu::noinline]] void compare() {
  uint64_t found[max_frames];
  const size_t count = unwind(found);
  Addresses expected;
  _Unwind_Backtrace(note, &expected);
  expected.erase(expected.begin());  // compare() itself
  if (expected.size() > max_frames) expected.resize(max_frames);
  EXPECT_EQ(Addresses(found, found + count), expected);
  EXPECT_GT(count, 3u);
}

void barrier() {
  asm volatile("" ::: "memory");
}

[[gnu::noinline]] void deep(int depth) {
  if (depth == 0) {
    compare();
  } else {
    deep(depth - 1);
  }
  barrier();
}

[[gnu::noinline]] void with_dynamic_memory(size_t bytes, int depth) {
  volatile char* const memory = static_cast<char*>(alloca(bytes));
  memory[bytes - 1] = 1;
  deep(depth);
  barrier();
}

[[gnu::noinline]] void aligned(int depth) {
  alignas(128) volatile char memory[256];
  memory[depth] = 1;
  EXPECT_EQ(memory[depth], 1);
  with_dynamic_memory(static_cast<size_t>(depth) * 100 + 1, depth);
  barrier();
}

int compare_in_library(const void*, const void*) {
  deep(2);
  return 0;
}

}  // namespace

TEST(Unwind, finds_what_the_runtime_finds) {
  for (const int depth : {0, 1, 5, 40, 100}) deep(depth);
}

TEST(Unwind, passes_frames_of_changing_size) {
  for (int depth = 1; depth < 20; ++depth) aligned(depth);
}

TEST(Unwind, passes_libraries_and_inlined_functions) {
  int numbers[] = {3, 1, 2};
  std::qsort(numbers, 3, sizeof(int), compare_in_library);
  const std::function<void()> function = [] { aligned(3); };
  function();
  std::ranges::for_each(numbers, [](int depth) { deep(depth); });
}

TEST(Unwind, works_on_every_thread) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 20; ++i) aligned(t + 1);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Unwind, works_while_an_exception_is_handled) {
  try {
    throw 1;
  } catch (int) {
    aligned(2);
  }
}

}  // namespace vitro
