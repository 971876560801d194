#include "vitro/profiler/averages.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "vitro/base/cat.h"
#include "vitro/report/table.h"
#include "vitro/report/units.h"

namespace vitro {
namespace {

using Key = std::pair<SliceKind, events::NameId>;

// What the slices of a track hold of their own, and with those inside.
struct Shares {
  std::vector<int64_t> self_ns, self_bytes, total_bytes;

  explicit Shares(const Track& track)
      : self_ns(track.slices.size()),
        self_bytes(track.slices.size()),
        total_bytes(track.slices.size()) {
    for (const MemoryChange& change : track.memory) {
      if (change.slice != Slice::none) self_bytes[change.slice] += change.bytes;
    }
    total_bytes = self_bytes;
    for (size_t i = track.slices.size(); i-- > 0;) {  // the inner ones come after the outer
      const Slice& slice = track.slices[i];
      self_ns[i] += slice.duration();
      if (slice.parent == Slice::none) continue;
      self_ns[slice.parent] -= slice.duration();
      total_bytes[slice.parent] += total_bytes[i];
    }
  }
};

bool inside_its_like(const Track& track, const Slice& slice) {
  for (uint32_t around = slice.parent; around != Slice::none;
       around = track.slices[around].parent) {
    const Slice& outer = track.slices[around];
    if (outer.name_id == slice.name_id && outer.kind == slice.kind) return true;
  }
  return false;
}

class Sums {
 public:
  void add(const Track& track, const Shares& shares, size_t i) {
    const Slice& slice = track.slices[i];
    const auto [found, fresh] = places_.try_emplace({slice.kind, slice.name_id}, entries_.size());
    if (fresh) {
      entries_.push_back({});
      entries_.back().name = slice.name();
      entries_.back().kind = slice.kind;
    }
    Average& entry = entries_[found->second];
    ++entry.count;
    entry.self_ns += shares.self_ns[i];
    entry.self_bytes += shares.self_bytes[i];
    entry.kernel_bytes += slice.bytes;
    entry.flops += slice.flops;
    if (inside_its_like(track, slice)) return;
    entry.total_ns += slice.duration();
    entry.total_bytes += shares.total_bytes[i];
  }
  std::vector<Average> take() { return std::move(entries_); }

 private:
  std::map<Key, size_t> places_;
  std::vector<Average> entries_;
};

// The larger of this comes first.
int64_t rank(const Average& entry, SortBy by) {
  switch (by) {
    case SortBy::self_time:
      return entry.self_ns;
    case SortBy::total_time:
      return entry.total_ns;
    case SortBy::count:
      return static_cast<int64_t>(entry.count);
    case SortBy::self_memory:
      return entry.self_bytes;
    case SortBy::flops:
      return static_cast<int64_t>(entry.flops);
    case SortBy::name:
      return 0;
  }
  return 0;
}

struct Shown {
  bool memory, rates;
};

std::vector<report::Column> columns(size_t name_width, Shown shown) {
  std::vector<report::Column> all{{"Name", report::Align::left, name_width},
                                  {"Self CPU %"},
                                  {"Self CPU"},
                                  {"CPU total %"},
                                  {"CPU total"},
                                  {"CPU time avg"}};
  if (shown.memory) all.insert(all.end(), {{"Self CPU Mem"}, {"CPU Mem"}});
  all.push_back({"# of Calls"});
  if (shown.rates) all.insert(all.end(), {{"Bytes"}, {"FLOPs"}, {"GB/s"}, {"GFLOP/s"}});
  return all;
}

// A quantity per nanosecond, times 1e9, in units of 1e9.
std::string rate_text(uint64_t amount, int64_t ns) {
  if (amount == 0 || ns <= 0) return "-";
  const double rate = static_cast<double>(amount) / static_cast<double>(ns);
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", rate);
  return text;
}

std::vector<report::Cell> cells(const Average& entry, int64_t busy_ns, Shown shown) {
  const auto self = static_cast<double>(entry.self_ns), total = static_cast<double>(entry.total_ns);
  const auto busy = static_cast<double>(busy_ns), count = static_cast<double>(entry.count);
  std::vector<report::Cell> row{entry.name,
                                report::percent_text(self, busy),
                                report::time_text(self),
                                report::percent_text(total, busy),
                                report::time_text(total),
                                report::time_text(total / count)};
  if (shown.memory) {
    row.emplace_back(report::bytes_text(static_cast<double>(entry.self_bytes)));
    row.emplace_back(report::bytes_text(static_cast<double>(entry.total_bytes)));
  }
  row.emplace_back(cat(entry.count));
  if (shown.rates) {
    const bool kernel = entry.kind == SliceKind::kernel;
    row.emplace_back(kernel ? report::bytes_text(static_cast<double>(entry.kernel_bytes)) : "-");
    row.emplace_back(kernel ? report::count_text(static_cast<double>(entry.flops)) : "-");
    row.emplace_back(rate_text(entry.kernel_bytes, entry.self_ns));
    row.emplace_back(rate_text(entry.flops, entry.self_ns));
  }
  return row;
}

}  // namespace

Averages::Averages(const Profile& profile, bool memory)
    : dropped_(profile.dropped), memory_(memory) {
  Sums all, top;
  for (const Track& track : profile.tracks) {
    const Shares shares(track);
    for (size_t i = 0; i < track.slices.size(); ++i) {
      const Slice& slice = track.slices[i];
      if (slice.kind == SliceKind::work) continue;  // the launch has the time
      all.add(track, shares, i);
      busy_ns_ += shares.self_ns[i];
      if (slice.parent == Slice::none) top.add(track, shares, i);
      if (slice.kind != SliceKind::phase) continue;
      compiling_ns_ += shares.self_ns[i];
      ++phases_;
    }
  }
  entries_ = all.take();
  top_level_ = top.take();
}

const Average* Averages::find(std::string_view name) const& {
  const auto found = std::ranges::find(entries_, name, &Average::name);
  return found == entries_.end() ? nullptr : &*found;
}

std::vector<const Average*> Averages::chosen(const TableOptions& options) const {
  std::vector<const Average*> rows;
  for (const Average& entry : options.top_level_events_only ? top_level_ : entries_)
    rows.push_back(&entry);
  if (options.sort_by == SortBy::name) {
    std::ranges::stable_sort(rows, {}, &Average::name);
  } else {
    std::ranges::stable_sort(rows, std::ranges::greater(),
                             [&](const Average* entry) { return rank(*entry, options.sort_by); });
  }
  return rows;
}

std::string Averages::table(const TableOptions& options) const {
  std::vector<const Average*> rows = chosen(options);
  const size_t all = rows.size();
  rows.resize(std::min(rows.size(), options.row_limit));
  const Shown shown{memory_, std::ranges::any_of(entries_, [](const Average& entry) {
                      return entry.kernel_bytes != 0 || entry.flops != 0;
                    })};
  report::Table table(columns(options.max_name_column_width, shown));
  for (const Average* entry : rows) table.row(cells(*entry, busy_ns_, shown));
  return table.text(options.colours) + footer(options, all);
}

std::string Averages::footer(const TableOptions& options, size_t rows) const {
  std::string lines =
      cat("Self CPU time total: ", report::time_text(static_cast<double>(busy_ns_)), "\n");
  if (rows > options.row_limit)
    lines += cat("(", rows - options.row_limit, " more rows: row_limit)\n");
  if (dropped_ != 0)
    lines += cat("(", dropped_, " events did not fit into max_bytes and are missing)\n");
  if (phases_ != 0) {
    lines += cat("Compiled meanwhile: ", phases_, " phases, ",
                 report::time_text(static_cast<double>(compiling_ns_)),
                 " that a later call will not take\n");
  }
  if (!note_.empty()) lines += note_ + "\n";
  return lines;
}

}  // namespace vitro
