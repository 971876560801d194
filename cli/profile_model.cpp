// `vitro profile model.pt2`: records calls of a model, and sums its kernels and ops by the lines of
// the model's Python code.  A kernel's lines are those of its launch: launches of a graph are in
// the order of its report.
#include "profile_model.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "model_inputs.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/base/module_path.h"
#include "vitro/profiler/profiler.h"
#include "vitro/report/table.h"
#include "vitro/report/units.h"

namespace vitro::cli {
namespace {

constexpr int warm_calls = 4;  // which compile the model, and pack its weights

struct Place {
  std::string what, where;
  auto operator<=>(const Place&) const = default;
};
struct Sum {
  uint64_t calls = 0;
  int64_t ns = 0;
};

std::string joined(const auto& parts) {
  std::string out;
  for (const auto& part : parts) out += cat(out.empty() ? "" : ", ", part);
  return out;
}

// The places of launches in a compiled function, by the name of its graph.
class Launches {
 public:
  explicit Launches(const CompiledReport& report) {
    for (const SegmentReport& segment : report.segments) {
      if (!segment.build) continue;
      std::vector<Place>& places = of_[segment.name];
      for (const LaunchReport& launch : segment.build->launches) {
        const Place place{segment.build->kernel_of(launch).name, joined(launch.locations)};
        for (const std::string& one : launch.locations) of_kernel_[place.what].insert(one);
        if (!launch.once) places.push_back(place);
      }
    }
  }

  // The places of a run's kernels, which are all places of the kernel if the run does not have the
  // launches of the report.
  std::vector<std::string> places(std::string_view graph,
                                  const std::vector<const Slice*>& kernels) const {
    const auto found = of_.find(std::string(graph));
    const bool fits = found != of_.end() &&
                      std::ranges::equal(kernels, found->second, {}, &Slice::name, &Place::what);
    std::vector<std::string> out;
    for (size_t i = 0; i < kernels.size(); ++i) {
      const auto all = of_kernel_.find(std::string(kernels[i]->name()));
      out.push_back(fits                      ? found->second[i].where
                    : all != of_kernel_.end() ? joined(all->second)
                                              : "");
    }
    return out;
  }

 private:
  std::map<std::string, std::vector<Place>> of_;
  std::map<std::string, std::set<std::string>> of_kernel_;
};

// The lines of the model's calls of an op in a module, or of a module that is a single line.
class Lines {
 public:
  explicit Lines(const ExportedModel& model) {
    for (const ModelNode& node : model.nodes()) {
      std::string_view op = node.target;  // "aten.add.Tensor"
      const size_t dot = op.find('.');
      if (dot != op.npos) op.remove_prefix(dot + 1);
      const std::string module(node.module);
      lines_[{std::string(op.substr(0, op.find('.'))), module}].insert(node.location);
      lines_[{"", module}].insert(node.location);
    }
  }
  // "bert.py:12 encoder.layer.0"; `name` is that of a slice, "aten::add".
  std::string place(std::string_view name, std::string_view module) const {
    const size_t colons = name.rfind(':');
    const std::string op(name.substr(colons == name.npos ? 0 : colons + 1));
    auto found = lines_.find({op, std::string(module)});
    if (found == lines_.end()) found = lines_.find({"", std::string(module)});
    if (found != lines_.end() && found->first.first.empty() && found->second.size() > 1)
      found = lines_.end();
    std::string out = found == lines_.end() ? "" : joined(found->second);
    if (!module.empty()) out += cat(out.empty() ? "" : " ", module);
    return out;
  }

 private:
  std::map<std::pair<std::string, std::string>, std::set<std::string>> lines_;
};

class ByLine {
 public:
  ByLine(const ExportedModel& model, const Profile& profile)
      : launches_(model.report()), lines_(model) {
    for (const Track& track : profile.tracks) add(track);
  }

  std::string table(int steps, size_t row_limit) const {
    std::vector<std::pair<Place, Sum>> rows(sums_.begin(), sums_.end());
    std::ranges::sort(rows, [](const auto& a, const auto& b) {
      return a.second.ns != b.second.ns ? a.second.ns > b.second.ns : a.first < b.first;
    });
    int64_t all = 0;
    for (const auto& [place, sum] : rows) all += sum.ns;
    report::Table table({{"Kernel or op", report::Align::left, 60},
                         {"Calls"},
                         {"Time"},
                         {"Share"},
                         {"Lines and modules of Python", report::Align::left, 110}});
    const auto a_step = [&](double x) { return x / steps; };
    for (const auto& [place, sum] : std::span(rows).first(std::min(row_limit, rows.size()))) {
      const double calls = a_step(static_cast<double>(sum.calls));
      table.row(
          {place.what,
           calls == static_cast<int64_t>(calls) ? cat(static_cast<int64_t>(calls)) : cat(calls),
           report::time_text(a_step(static_cast<double>(sum.ns))),
           report::percent_text(static_cast<double>(sum.ns), static_cast<double>(all)),
           place.where});
    }
    std::string out = table.text(report::wants_colours(1));
    if (rows.size() > row_limit)
      out += cat(rows.size() - row_limit, " more rows; --row-limit shows more\n");
    return out + cat("Calls and times are those of one call of the model, which takes ",
                     report::time_text(a_step(static_cast<double>(all))), " on its own thread; ",
                     steps, " were recorded\n");
  }

 private:
  static std::string kernel_text(const Slice& kernel) {
    const std::string_view product = events::text(kernel.product);
    return product.empty() ? std::string(kernel.name()) : cat(kernel.name(), " (", product, ")");
  }
  void note(std::string what, std::string where, int64_t ns) {
    Sum& sum = sums_[{std::move(what), std::move(where)}];
    ++sum.calls;
    sum.ns += ns;
  }

  // The nearest slice around it that is counted; none if it is not part of a counted one.
  static uint32_t around(const Track& track, const Slice& slice, const std::vector<bool>& counted) {
    uint32_t one = slice.parent;
    while (one != Slice::none && !counted[one]) one = track.slices[one].parent;
    return one;
  }

  // Counts regions without what is in them, and the outermost ops and kernels.
  void add(const Track& track) {
    std::vector<bool> counted(track.slices.size());
    std::map<uint32_t, std::vector<const Slice*>> kernels;  // of regions
    std::map<uint32_t, int64_t> inside;
    for (uint32_t i = 0; i < track.slices.size(); ++i) {
      const Slice& slice = track.slices[i];
      const bool is_region = slice.kind == SliceKind::region;
      if (!is_region && slice.kind != SliceKind::op && slice.kind != SliceKind::kernel) continue;
      const uint32_t outer = around(track, slice, counted);
      if (outer != Slice::none && track.slices[outer].kind != SliceKind::region) continue;
      counted[i] = true;
      if (outer != Slice::none) inside[outer] += slice.duration();
      if (is_region) continue;
      if (slice.kind == SliceKind::kernel) {
        kernels[outer].push_back(&slice);
      } else {
        note(std::string(slice.name()),
             lines_.place(slice.name(), module_path(track.extra(slice).module)), slice.duration());
      }
    }
    for (uint32_t i = 0; i < track.slices.size(); ++i)
      if (counted[i] && track.slices[i].kind == SliceKind::region)
        note("between kernels and ops", cat("graph ", events::text(track.slices[i].detail)),
             track.slices[i].duration() - inside[i]);
    for (const auto& [region, of] : kernels) {
      const std::string_view graph =
          region == Slice::none ? "" : events::text(track.slices[region].detail);
      const std::vector<std::string> places = launches_.places(graph, of);
      for (size_t i = 0; i < of.size(); ++i)
        note(kernel_text(*of[i]), places[i], of[i]->duration());
    }
  }

  Launches launches_;
  Lines lines_;
  std::map<Place, Sum> sums_;
};

}  // namespace

void profile_model(const std::string& file, const ProfileModelSetting& setting,
                   const WholeProgram& wanted) {
  VITRO_CHECK(setting.steps >= 1, "--steps: needs at least 1, got ", setting.steps);
  VITRO_CHECK(!is_whole_program_recorded(),
              "VITRO_PROFILE records the whole program, and only one profiler may run: unset it");
  ExportedModel model = load(file, setting.model);
  VITRO_CHECK(!setting.eager || !model.is_compiled(), "--eager: ", file,
              " is of vitro compile; give the file of torch.export.save");
  if (!setting.eager) model = compiled(model);
  const std::vector<ArgValue> inputs = read_inputs(model, setting.inputs);
  const auto call = [&] { (void)model(std::span<const ArgValue>(inputs)); };
  for (int i = 0; i < warm_calls; ++i) call();
  ProfilerOptions options = wanted.profiler;
  options.with_modules = true;
  Profiler profiler(options);
  for (int i = 0; i < setting.steps; ++i) {
    call();
    profiler.step();
  }
  profiler.stop();
  profiler.write_trace(setting.output);
  const std::string table =
      ByLine(model, profiler.profile()).table(setting.steps, wanted.rows.row_limit);
  std::fputs(table.c_str(), stdout);
  write_profile(profiler, wanted);
}

}  // namespace vitro::cli
