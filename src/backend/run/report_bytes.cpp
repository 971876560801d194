// Writes and reads reports and guards, to be kept with plans.
#include <algorithm>

#include "backend/run/plan_bytes.h"

namespace vitro::backend {
namespace {

const Code* code_named(std::string_view id) {
  static const auto& codes = *new std::vector<const Code*>(all_codes());
  const auto found = std::ranges::find(codes, id, &Code::id);
  return found == codes.end() ? nullptr : *found;
}

}  // namespace

template <FieldsOf<Verdict> V>
void each_field(PlanWriter& out, V& v) {
  out(v.ok, v.why, v.code ? v.code->id : std::string_view());
}
void each_field(PlanReader& in, Verdict& v) {
  std::string id;
  in(v.ok, v.why, id);
  v.code = id.empty() ? nullptr : code_named(id);
  if (!id.empty() && !v.code) in.fail("a code");
}
template <class IO, FieldsOf<FusionReport> F>
void each_field(IO& io, F& f) {
  io(f.producer, f.consumer, f.verdict);
}
template <class IO, FieldsOf<KernelReport> K>
void each_field(IO& io, K& k) {
  io(k.name, k.ops, k.reason, k.bytes, k.flops, k.source, k.loops, k.schedule);
}
template <class IO, FieldsOf<LaunchReport> L>
void each_field(IO& io, L& l) {
  io(l.kernel, l.ops, l.locations, l.once, l.joins);
}
void each_field(PlanWriter& out, const graph::PassReport& p) {
  out(p.name, p.changed, p.nodes_before, p.nodes_after);
}
void each_field(PlanReader& in, graph::PassReport& p) {
  p.name = events::text(events::intern(in.text()));
  in(p.changed, p.nodes_before, p.nodes_after);
}

namespace {

void each_field_of_report(auto& io, auto& r) {
  io(r.passes, r.fusion, r.kernels, r.launches);
}

}  // namespace

void each_field(PlanWriter& out, const BuildReport& report) {
  each_field_of_report(out, report);
}

void each_field(PlanReader& in, BuildReport& report) {
  each_field_of_report(in, report);
  for (const LaunchReport& launch : report.launches)
    if (launch.kernel >= report.kernels.size()) in.fail("a kernel of a launch");
}

void each_field(PlanWriter& out, const sym::Guard& guard) {
  out.choice(guard.question, 2);
  out(guard.a, guard.b, guard.answer);
}

void each_field(PlanReader& in, sym::Guard& guard) {
  in.choice(guard.question, 2);
  in(guard.a, guard.b, guard.answer);
  if (!guard.a.defined() || !guard.b.defined()) in.fail("a guard");
}

}  // namespace vitro::backend
