#include "profiler/peaks_file.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "runtime/cpu/machine.h"
#include "vitro/base/cache_folder.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/base/hash.h"
#include "vitro/report/output.h"

namespace vitro {
namespace {

constexpr std::string_view first_line = "vitro machine 2";
constexpr std::string_view no_feature = "-";
constexpr size_t max_entries = 16;

bool sensible(double one, double all) {
  return std::isfinite(one) && std::isfinite(all) && one > 0 && all > 0;
}

// Parses one line into `peaks`; false if it is not understood.
bool read_line(const std::string& line, Peaks& peaks) {
  std::istringstream words(line);
  std::string what;
  words >> what >> std::ws;
  if (what == "threads") return !!(words >> peaks.threads);
  if (what == "processor") return !!std::getline(words, peaks.processor);
  if (what == "level") {
    Peaks::Level level;
    words >> level.name >> level.bytes >> level.one >> level.all;
    peaks.levels.push_back(level);
    return words && sensible(level.one, level.all);
  }
  Peaks::Rate rate;
  words >> rate.dtype >> rate.feature >> rate.one >> rate.all;
  if (rate.feature == no_feature) rate.feature.clear();
  peaks.rates.push_back(rate);
  return what == "rate" && words && sensible(rate.one, rate.all);
}

}  // namespace

std::string peaks_file(int threads) {
  const std::string folder = cache_folder();
  if (folder.empty()) return "";
  const runtime::Machine& m = runtime::machine();
  Hasher key;
  key.add(runtime::processor_name());
  for (const runtime::CpuFeature& feature : m.features) key.add(feature.name);
  for (const size_t bytes : {m.l1d_bytes, m.l2_bytes, m.l3_bytes}) key.add(bytes);
  key.add(threads);
  return cat(folder, "/machine-", key.finish().hex(), ".txt");
}

std::optional<Peaks> read_peaks(const std::string& path, int threads) {
  std::ifstream file(path);
  std::string line;
  if (path.empty() || !std::getline(file, line) || line != first_line) return std::nullopt;
  Peaks peaks;
  while (std::getline(file, line)) {
    if (!read_line(line, peaks)) return std::nullopt;
    if (std::max(peaks.levels.size(), peaks.rates.size()) > max_entries) return std::nullopt;
  }
  const bool whole = peaks.threads == threads && !peaks.levels.empty() && !peaks.rates.empty() &&
                     peaks.levels.back().name == "memory" && !peaks.processor.empty();
  return whole ? std::optional(std::move(peaks)) : std::nullopt;
}

void write_peaks(const std::string& path, const Peaks& peaks) {
  if (path.empty()) return;
  std::error_code ignored;
  const auto folder = std::filesystem::path(path).parent_path();
  if (std::filesystem::create_directories(folder, ignored))
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, ignored);
  try {
    const auto out = report::create_file(path);
    out->write(cat(first_line, "\nthreads ", peaks.threads, "\n"));
    for (const Peaks::Level& l : peaks.levels)
      out->write(cat("level ", l.name, " ", l.bytes, " ", l.one, " ", l.all, "\n"));
    for (const Peaks::Rate& r : peaks.rates) {
      const std::string_view feature = r.feature.empty() ? no_feature : r.feature;
      out->write(cat("rate ", r.dtype, " ", feature, " ", r.one, " ", r.all, "\n"));
    }
    out->write(cat("processor ", peaks.processor, "\n"));
    out->finish();
  } catch (const Error&) {  // an unwritable folder: the next process measures again
  }
}

}  // namespace vitro
