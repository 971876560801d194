#include "analyze/store/written_event.h"

#include <algorithm>

#include "analyze/read/token.h"

namespace vitro::analyze {

report::Json& write_id(report::Json& json, std::string_view key, std::string_view id) {
  const auto number = number_in<int64_t>(id);
  json.key(key);
  return number ? json.value(*number) : json.value(id);
}

int64_t last_arrow(const Trace& trace) {
  int64_t last = 0;
  for (const EventId e : trace.events()) {
    const bool is_end = trace.phases()[e] == 's' || trace.phases()[e] == 'f';
    if (is_end && trace.links()[e] != none) last = std::max(last, trace.links()[e]);
  }
  return last;
}

void write(report::Output& out, const ArrowEnd& end) {
  report::Json json(out);
  json.begin_object().member("ph", std::string_view(&end.phase, 1)).member("name", end.name);
  json.member("cat", end.name);
  write_id(json, "pid", end.row.pid);
  write_id(json, "tid", end.row.tid);
  json.member("id", end.number).key("ts").thousandths(end.at);
  if (end.phase == 'f') json.member("bp", "e");
  json.end();
  out.write(",\n");
}

std::string microseconds(int64_t ns) {
  report::TextOutput out;
  report::Json(out).thousandths(ns);
  out.finish();
  return out.text();
}

}  // namespace vitro::analyze
