#include "vitro/core/device.h"

#include <gtest/gtest.h>

#include "vitro/base/cat.h"

namespace vitro {
namespace {

TEST(Device, names_are_read_as_they_are_written) {
  for (const Device::Kind kind : {Device::Kind::cuda, Device::Kind::plugin}) {
    for (const uint8_t index : {0, 1, 42, 255}) {
      const Device device{kind, index};
      EXPECT_EQ(device_named(cat(device)), device);
    }
  }
  EXPECT_EQ(device_named("cpu"), cpu);
  EXPECT_EQ(device_named("cuda"), (Device{Device::Kind::cuda, 0}));
  for (const char* wrong :
       {"", "cp", "cpu:1", "cuda:", "cuda:256", "cuda:-1", "cuda:1 ", "cuda1", "mars"})
    EXPECT_EQ(device_named(wrong), std::nullopt) << wrong;
}

}  // namespace
}  // namespace vitro
