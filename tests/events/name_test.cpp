#include "vitro/events/name.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "vitro/base/cat.h"

namespace vitro::events {

TEST(Name, gives_the_same_number_for_the_same_text) {
  std::string text = "aten::add";
  const NameId a = intern(text);
  text.back() = 'X';
  EXPECT_EQ(intern("aten::add"), a);
  EXPECT_NE(intern(text), a);
}

TEST(Name, keeps_text_with_any_bytes) {
  const std::string odd("a\0\xff\"\n", 5);
  EXPECT_EQ(events::text(intern(odd)), odd);
}

TEST(Name, zero_is_the_empty_text) {
  EXPECT_EQ(intern(""), NameId{});
  EXPECT_EQ(text(NameId{}), "");
}

TEST(Name, is_read_by_other_threads_while_the_table_grows) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 3000; ++i) {
        const std::string name = cat("shared name ", i);
        ASSERT_EQ(text(intern(name)), name);
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace vitro::events
