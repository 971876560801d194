// Tests EventReader against simdjson's own parser (by_simdjson.h) on every real trace and on odd
// values, and the texts of its errors.
#include "analyze/read/event_reader.h"

#include <gtest/gtest.h>

#include "analyze/read/by_simdjson.h"
#include "analyze/read/windows.h"
#include "analyze/trace_files.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

struct Events : EventSink {
  std::vector<std::vector<std::string>> all;
  void add(const RawEvent& e) override {
    std::vector<std::string> one;
    for (const std::string_view token :
         {e.text, e.name, e.category, e.phase, e.ts, e.dur, e.pid, e.tid, e.id, e.correlation,
          e.external, e.arg_name, e.arg_labels, e.arg_sort_index})
      one.emplace_back(token);
    all.push_back(std::move(one));
  }
};

struct Outcome {
  Events events;
  std::string why;
  size_t bad = 0;
};

Outcome read(std::string text) {
  Outcome out;
  const size_t length = text.size();
  text.resize(length + EventReader::padding, '{');
  out.why = EventReader().read(std::string_view(text.data(), length), out.events, &out.bad);
  return out;
}

Events by_simdjson(std::string text) {
  Events out;
  const size_t length = text.size();
  text.resize(length + EventReader::padding);
  EXPECT_EQ(read_on_demand(std::string_view(text.data(), length), out), "");
  return out;
}

TEST(EventReader, sees_what_simdjson_sees_in_every_real_trace) {
  size_t windows_seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(real_trace(""))) {
    auto bytes = open_bytes(entry.path());
    if (!bytes) continue;
    Windows windows(*std::move(bytes));
    for (TextWindow window; windows.next(window); ++windows_seen) {
      const std::string list = cat("[", window.events(), "]");
      const Outcome ours = read(list);
      ASSERT_TRUE(ours.why.empty() || !is_list_of_objects(list)) << entry.path() << ours.why;
      if (ours.why.empty()) {
        EXPECT_EQ(ours.events.all, by_simdjson(list).all) << entry.path();
      }
    }
  }
  EXPECT_GT(windows_seen, 20U);
}

TEST(EventReader, sees_what_simdjson_sees_whatever_the_values) {
  for (const std::string_view value :
       {"5", "-1.5e3", "\"a \\\" b\"", "null", "true", "[]", "{}", "[[1, {\"args\": {}}], 2]",
        "{\"name\": [1], \"correlation\": 7}", "\"\"", "  12  "}) {
    for (const std::string_view key : {"name", "args", "ts", "id", "other", "nam", "names", ""}) {
      const std::string list = cat("[ {\"", key, "\" : ", value, "}, {\"ph\": \"X\", \"", key,
                                   "\":", value, ", \"args\": {\"External id\": ", value,
                                   ", \"correlation\": ", value, ", \"x\": ", value, "} } ]");
      const Outcome ours = read(list);
      EXPECT_EQ(ours.why, "") << list;
      EXPECT_EQ(ours.events.all, by_simdjson(list).all) << list;
    }
  }
  EXPECT_EQ(read("[]").why, "");
  EXPECT_EQ(read(" [ ] ").why, "");
}

TEST(EventReader, says_what_is_wrong_and_up_to_where_nothing_was) {
  const std::string good = R"({"name": "a", "ts": 1})";
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"5", "an event that is not an object"},
      {"", "an event that is not an object"},
      {R"({"name" "b"})", "needs ':' after the name of a member"},
      {R"({"name": })", "needs a value after ':'"},
      {R"({"name": "b" "ts": 1})", "needs ',' or '}' after a member"},
      {R"({name: "b"})", "needs the name of a member, in quotes"},
      {R"({"args": {"a": [1}})", "needs ',' or '}' after a member"},
      {R"({"args": {"a": 1, 5})", "needs the name of a member, in quotes"},
      {R"({"a": 1,)", "needs the name of a member, in quotes"},
      {R"({"a": 1}, {)", "an event that does not end"}};
  for (const auto& [event, why] : cases) {
    const Outcome out = read(cat("[", good, ",", event, "]"));
    EXPECT_TRUE(out.why == why || out.why == "an event that does not end") << event << out.why;
    EXPECT_GE(out.events.all.size(), 1U) << event;
    EXPECT_GE(out.bad, good.size() + 1) << event;
    EXPECT_LE(out.bad, good.size() + event.size() + 2) << event;
  }
  EXPECT_EQ(read(cat("[", good, " ", good, "]")).why, "needs ',' between events");
  EXPECT_EQ(read(cat("[", good, "], ", good, "]")).why, "needs ',' between events");
  EXPECT_EQ(read("[\"a").why.empty(), false);
  EXPECT_EQ(read("[").why.empty(), false);
  EXPECT_EQ(read("]").why.empty(), false);
  EXPECT_EQ(read("").why.empty(), false);
}

}  // namespace
}  // namespace vitro::analyze
