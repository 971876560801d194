// Draws a critical path into its trace.
#include "analyze/model/index.h"
#include "analyze/questions/critical_path/critical_path.h"
#include "analyze/store/written_event.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/report/json.h"

namespace vitro::analyze {
namespace {

constexpr std::string_view row = "critical path", category = "critical_path";

class Overlay {
 public:
  Overlay(const Trace& trace, report::Output& out) : trace_(trace), out_(out) {}

  void name_row() {
    for (const char* what : {"process_name", "thread_name"}) {
      report::Json json(out_);
      begin(json, "M", what).member("ts", 0).member("pid", row).member("tid", row);
      json.key("args").begin_object().member("name", row).end();
      end(json);
    }
    report::Json json(out_);
    begin(json, "M", "process_sort_index").member("ts", 0).member("pid", row).member("tid", row);
    json.key("args").begin_object().member("sort_index", -1).end();
    end(json);
  }

  void slice(const PathSegment& segment) {
    const bool named = segment.event != PathSegment::nobody;
    report::Json json(out_);
    begin(json, "X",
          cat(name_of(segment.kind), named ? ": " : "",
              named ? trace_.name(segment.event) : std::string_view()));
    json.member("cat", category).member("pid", row).member("tid", row);
    json.key("ts").thousandths(segment.begin);
    json.key("dur").thousandths(segment.end - segment.begin);
    json.key("args").begin_object().member("kind", name_of(segment.kind));
    if (named) json.member("event", segment.event);
    json.end();
    end(json);
  }

  // Arrows where the path moves from one row of the trace to another.
  void arrow(const PathSegment& from, const PathSegment& to) {
    ++arrows_;
    write(out_, {'s', category, arrows_, trace_.tracks()[from.track], from.end - 1});
    write(out_, {'f', category, arrows_, trace_.tracks()[to.track], to.begin});
  }

 private:
  static report::Json& begin(report::Json& json, std::string_view phase, std::string_view name) {
    return json.begin_object().member("ph", phase).member("name", name);
  }
  void end(report::Json& json) {
    json.end();
    out_.write(",\n");
  }

  const Trace& trace_;
  report::Output& out_;
  int64_t arrows_ = 0;
};

// Whether there is an event at that place for an arrow to attach to.
bool is_drawn(const PathSegment& segment) {
  switch (segment.kind) {
    case PathKind::launch_delay:
    case PathKind::kernel_delay:
    case PathKind::device_wait:
      return false;
    default:
      return segment.event != PathSegment::nobody;
  }
}

void draw(const Trace& trace, const CriticalPath& path, report::Output& out) {
  Overlay overlay(trace, out);
  overlay.name_row();
  const PathSegment* last = nullptr;
  for (const PathSegment& segment : path.segments) {
    overlay.slice(segment);
    if (!is_drawn(segment)) continue;
    if (last && last->track != segment.track) overlay.arrow(*last, segment);
    last = &segment;
  }
}

}  // namespace

void write_overlay(const Trace& trace, const CriticalPath& path, const std::string& file) {
  const auto out = report::create_file(file);
  const auto copied = trace.copy_with(*out, [&](report::Output& into) { draw(trace, path, into); });
  VITRO_CHECK(copied, copied.why());
  out->finish();
}

}  // namespace vitro::analyze
