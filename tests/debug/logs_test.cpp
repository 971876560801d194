#include "vitro/debug/logs.h"

#include <gtest/gtest.h>

#include "vitro/base/error.h"
#include "vitro/events/rare.h"

namespace vitro {
namespace {

using events::Level;

struct Logs : testing::Test {
  Logs() { logs::start(); }
  ~Logs() override { set_logs(""); }

  static std::string said(events::RareKinds what) {
    testing::internal::CaptureStderr();
    events::keep(std::move(what));
    return testing::internal::GetCapturedStderr();
  }
  static std::string message(Level level) {
    return said(events::Message{"capture", level, "text"});
  }
  static std::string all_levels() {
    return message(Level::debug) + message(Level::info) + message(Level::warning) +
           message(Level::error);
  }
};

TEST_F(Logs, say_warnings_and_errors_where_nobody_asked_for_more) {
  EXPECT_EQ(all_levels(), "vitro [capture] warning: text\nvitro [capture] error: text\n");
  EXPECT_EQ(said(events::Break{"V0201", "item() needs a value", "a.cpp:3"}), "");
}

TEST_F(Logs, take_a_level_for_each_component) {
  set_logs("capture");
  EXPECT_EQ(
      all_levels(),
      "vitro [capture] info: text\nvitro [capture] warning: text\nvitro [capture] error: text\n");
  set_logs("compile, +capture");
  EXPECT_EQ(message(Level::debug), "vitro [capture] debug: text\n");
  set_logs("-capture");
  EXPECT_EQ(all_levels(), "vitro [capture] error: text\n");
  set_logs("compile");
  EXPECT_EQ(message(Level::info), "");
}

TEST_F(Logs, let_all_stand_for_those_that_are_not_named) {
  set_logs("+all,-capture");
  EXPECT_EQ(all_levels(), "vitro [capture] error: text\n");
  EXPECT_EQ(said(events::Message{"compile", Level::debug, "text"}),
            "vitro [compile] debug: text\n");
}

TEST_F(Logs, show_rare_events_by_their_kind) {
  set_logs("breaks,recompiles,guards,fallbacks,phases");
  EXPECT_EQ(said(events::Break{"V0201", "item() needs a value", "a.cpp:3"}),
            "vitro [breaks] info: V0201 a.cpp:3: item() needs a value\n");
  EXPECT_EQ(said(events::Recompile{"V0303", "got 3, recorded was 2", ""}),
            "vitro [recompiles] info: V0303: got 3, recorded was 2\n");
  const std::string phase = said(events::Phase{"fuse", "f/0", ticks()});
  EXPECT_TRUE(phase.starts_with("vitro [phases] info: fuse of f/0: ")) << phase;
}

TEST_F(Logs, put_further_lines_below_the_first) {
  EXPECT_EQ(said(events::Message{"capture", Level::warning, "one\ntwo\n"}),
            "vitro [capture] warning: one\n    two\n");
}

TEST_F(Logs, refuse_a_text_that_they_cannot_read_and_keep_what_was_set) {
  set_logs("capture");
  try {
    set_logs("capture,Fuse!");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "VITRO_LOGS: \"Fuse!\" is not a component; there are capture, compile, breaks, guards, "
        "recompiles, fallbacks, phases, all, separated by commas, each optionally with + or - "
        "before it");
  }
  EXPECT_NE(message(Level::info), "");
}

}  // namespace
}  // namespace vitro
