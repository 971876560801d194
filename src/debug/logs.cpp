// Reads VITRO_LOGS, listens to rare events, and writes the requested ones to stderr, one line each.
// Active from the moment the library is loaded; set_logs() changes the selection.
#include "vitro/debug/logs.h"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <vector>

#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/base/option.h"
#include "vitro/events/rare.h"
#include "vitro/report/units.h"

namespace vitro {
namespace {

using events::Level;

Option<std::string> logs_option{
    "VITRO_LOGS", "",
    "components that log to stderr: breaks,phases,-capture (-: errors only, +: all)"};

struct Setting {
  std::string component;
  Level least;
};

struct Settings {
  std::mutex lock;
  std::vector<Setting> list;
};

Settings& settings() {
  static auto* one = new Settings;
  return *one;
}

// The folders that write messages, the rare events by kind, and all.
constexpr std::string_view components[] = {"capture",    "compile",   "breaks", "guards",
                                           "recompiles", "fallbacks", "phases", "all"};

Setting read_one(std::string_view word) {
  Level least = Level::info;
  if (word.starts_with('+')) least = Level::debug;
  if (word.starts_with('-')) least = Level::error;
  const std::string_view name = least == Level::info ? word : word.substr(1);
  if (std::find(std::begin(components), std::end(components), name) == std::end(components)) {
    std::string known;
    for (const std::string_view each : components) known += cat(known.empty() ? "" : ", ", each);
    throw Error(cat("VITRO_LOGS: \"", word, "\" is not a component; there are ", known,
                    ", separated by commas, each optionally with + or - before it"));
  }
  return {std::string(name), least};
}

std::vector<Setting> read(std::string_view text) {
  std::vector<Setting> list;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    std::string_view word = text.substr(0, comma);
    while (word.starts_with(' ')) word.remove_prefix(1);
    while (word.ends_with(' ')) word.remove_suffix(1);
    if (!word.empty()) list.push_back(read_one(word));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return list;
}

Level least_of(std::string_view component) {
  Settings& all = settings();
  std::lock_guard hold(all.lock);
  Level least = Level::warning;
  for (const Setting& setting : all.list) {
    if (setting.component == component) return setting.least;
    if (setting.component == "all") least = setting.least;
  }
  return least;
}

// The log text of an event.
struct Record {
  std::string_view component;
  Level level = Level::info;
  std::string text;
};

template <class Event>
Record record_of(std::string_view component, const Event& event) {
  return {component, Level::info,
          cat(event.code, event.location.empty() ? "" : " ", event.location, ": ", event.reason)};
}

struct AsRecord {
  uint64_t ts;
  Record operator()(const events::Phase& e) const {
    const std::string took = report::time_text(static_cast<double>(ticks_to_ns(ts - e.begin)));
    return {"phases", Level::info,
            cat(e.phase, e.subject.empty() ? "" : " of ", e.subject, ": ", took)};
  }
  Record operator()(const events::Break& e) const { return record_of("breaks", e); }
  Record operator()(const events::GuardFailure& e) const { return record_of("guards", e); }
  Record operator()(const events::Recompile& e) const { return record_of("recompiles", e); }
  Record operator()(const events::Fallback& e) const { return record_of("fallbacks", e); }
  Record operator()(const events::Message& e) const { return {e.component, e.level, e.text}; }
};

// Further lines of a text follow the first.
std::string indented(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  std::string out;
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "    ";
  }
  return out;
}

void write_line(const events::Rare& event) {
  const std::string line = logs::line_of(event);
  if (!line.empty()) std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace

void set_logs(std::string_view text) {
  std::vector<Setting> list = read(text);
  Settings& all = settings();
  std::lock_guard hold(all.lock);
  all.list = std::move(list);
}

namespace logs {

std::string line_of(const events::Rare& event) {
  const Record record = std::visit(AsRecord{event.ts}, event.what);
  if (record.level < least_of(record.component)) return {};
  return cat("vitro [", record.component, "] ", events::to_text(record.level), ": ",
             indented(record.text), '\n');
}

void start() {
  try {
    set_logs(logs_option.get());
  } catch (const Error& error) {  // a program must not end because of its environment
    std::fprintf(stderr, "vitro [logs] warning: %s\n", error.what());
  }
  events::listen(write_line);
}

}  // namespace logs

namespace {

// From the moment that the library is loaded; in this file, after the option that it reads.
[[maybe_unused]] const bool started = (logs::start(), true);

}  // namespace
}  // namespace vitro
