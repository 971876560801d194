#include "analyze/model/words.h"

#include <gtest/gtest.h>

namespace vitro::analyze {
namespace {

TEST(Words, name_streams_devices_and_threads) {
  const TrackInfo stream{"0", "7", "python", "stream 7 ", "GPU 0", 0};
  EXPECT_EQ(stream_name(stream), "stream 7 of GPU 0");
  EXPECT_EQ(device_name(stream), "GPU 0");
  const TrackInfo bare{"0", "7", "", "", "", 0};
  EXPECT_EQ(stream_name(bare), "stream 7 of device 0");
  EXPECT_EQ(thread_name({"1", "4515", "", "thread 4515 (python)", "CPU", 0}),
            "thread 4515 (python)");
  EXPECT_EQ(thread_name(bare), "thread 7");
}

TEST(Words, share_and_rank) {
  EXPECT_EQ(percent_text(381, 1000), "38 %");
  EXPECT_EQ(percent_text(1, 0), "0 %");
  const std::vector<int64_t> four{1, 2, 3, 4}, one{7};
  EXPECT_EQ(nearest_rank(four, 50), 2);
  EXPECT_EQ(nearest_rank(four, 99), 4);
  EXPECT_EQ(nearest_rank(one, 1), 7);
}

TEST(Words, names_lose_addresses) {
  EXPECT_EQ(stable_name("<built-in method acquire of _thread.lock object at 0x7f527b6e5840>"),
            "<built-in method acquire of _thread.lock object>");
  EXPECT_EQ(stable_name("a at 0x12, b at 0xff"), "a, b");
  EXPECT_EQ(stable_name("aten::add"), "aten::add");
}

}  // namespace
}  // namespace vitro::analyze
