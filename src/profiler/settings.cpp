// The fields of a WholeProgram that text can set, one line each; `vitro profile` makes an option of
// each, VITRO_PROFILE_OPTIONS takes them as NAME=VALUE.

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <memory>
#include <vector>

#include "vitro/base/error.h"
#include "vitro/profiler/whole_program.h"

namespace vitro {
namespace {

using Takes = ProfileSetting::Takes;

void read(std::string_view text, bool& value) {
  value = text.empty() || text == "1" || text == "true";
  VITRO_CHECK(value || text == "0" || text == "false", "got \"", text,
              "\", needs 1 or 0, or nothing for 1");
}

// 20, 64K, 512m, 2G
void read(std::string_view text, size_t& value) {
  constexpr std::string_view units = "KMGT";
  size_t n = 0;
  const char* const end = text.data() + text.size();
  const auto number = std::from_chars(text.data(), end, n);
  VITRO_CHECK(number.ec != std::errc::invalid_argument, "got \"", text,
              "\", needs an integer such as 20, 64K or 2G");
  const std::string_view unit(number.ptr, static_cast<size_t>(end - number.ptr));
  const size_t found =
      unit.size() == 1 ? units.find(static_cast<char>(std::toupper(unit[0]))) : units.npos;
  VITRO_CHECK(unit.empty() || found != units.npos, "got \"", text, "\", whose unit \"", unit,
              "\" is not K, M, G or T (of 1024)");
  const size_t shift = unit.empty() ? 0 : 10 * (found + 1);
  VITRO_CHECK(number.ec == std::errc{} && n <= SIZE_MAX >> shift, "got \"", text,
              "\", which does not fit in 64 bits");
  value = n << shift;
}

void read(std::string_view text, std::string& value) {
  value = text;
}

Takes takes(const bool&) {
  return Takes::nothing;
}
Takes takes(const size_t&) {
  return Takes::number;
}
Takes takes(const std::string&) {
  return Takes::text;
}

// A setting for a field of the program, or of a part of it.
template <auto of>
ProfileSetting setting(std::string_view name, std::string_view help) {
  WholeProgram defaults;
  return {name, help, takes(defaults.*of),
          [](WholeProgram& program, std::string_view text) { read(text, program.*of); }};
}
template <auto part, auto of>
ProfileSetting setting(std::string_view name, std::string_view help) {
  WholeProgram defaults;
  return {name, help, takes(defaults.*part.*of),
          [](WholeProgram& program, std::string_view text) { read(text, program.*part.*of); }};
}

std::vector<ProfileSetting> make_settings() {
  constexpr auto profiler = &WholeProgram::profiler;
  constexpr auto rows = &WholeProgram::rows;
  constexpr auto group = &WholeProgram::group;
  using P = ProfilerOptions;
  using T = TableOptions;
  return {
      setting<profiler, &P::record_shapes>("record_shapes", "inputs of ops"),
      setting<profiler, &P::with_stack>("with_stack", "stacks of the program"),
      setting<profiler, &P::with_modules>("with_modules", "modules of ops"),
      setting<profiler, &P::with_flops>("with_flops", "floating-point operations of ops"),
      setting<profiler, &P::with_tensors>("with_tensors", "input and output tensors of ops"),
      setting<profiler, &P::profile_memory>("profile_memory", "allocations and frees"),
      setting<profiler, &P::max_bytes>("max_bytes", "maximum memory for events, such as 512M"),
      setting<&WholeProgram::table>("table", "print the sums per name at the end"),
      setting<&WholeProgram::table_file>("table_file", "write them to a file: .csv, .json or text"),
      setting<&WholeProgram::roofline_file>("roofline",
                                            "draw kernels under the machine's peaks, .svg"),
      setting<&WholeProgram::flame_graph_file>("flame_graph", "draw where the time went, .svg"),
      setting<&WholeProgram::memory_timeline_file>(
          "memory_timeline", "write memory by category over time, .html or .json"),
      setting<&WholeProgram::execution_trace_file>("execution_trace",
                                                   "write dependencies (Chakra), .json"),
      setting<group, &GroupBy::group_by_input_shape>("group_by_input_shape",
                                                     "a row for each shape of inputs"),
      setting<group, &GroupBy::group_by_thread>("group_by_thread", "a row for each thread"),
      setting<group, &GroupBy::group_by_stack_n>("group_by_stack_n",
                                                 "a row for each call site: number of frames"),
      setting<rows, &T::sort_by>("sort_by", "the sort key of rows"),
      setting<rows, &T::row_limit>("row_limit", "maximum number of rows"),
      setting<rows, &T::max_name_column_width>("max_name_column_width", "maximum width of names"),
      setting<rows, &T::top_level_events_only>("top_level_events_only", "only top-level events"),
  };
}

}  // namespace

std::span<const ProfileSetting> profile_settings() {
  static const auto& all =
      *std::make_unique<const std::vector<ProfileSetting>>(make_settings()).release();
  return all;
}

namespace {

std::string list(auto&& all, auto name_of) {
  std::string names;
  for (const auto& each : all) names += cat(names.empty() ? "" : ", ", name_of(each));
  return names;
}

void apply_one(WholeProgram& program, std::string_view name, std::string_view value) {
  const auto all = profile_settings();
  const auto found = std::ranges::find(all, name, &ProfileSetting::name);
  VITRO_CHECK(found != all.end(), "there is no setting \"", name, "\"; there are ",
              list(all, [](const ProfileSetting& each) { return each.name; }));
  try {
    found->set(program, value);
  } catch (const Error& e) {
    throw_error(cat(name, ": ", e.what()));
  }
}

}  // namespace

void apply_settings(WholeProgram& program, std::string_view text) {
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    const std::string_view word = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const size_t equals = std::min(word.find('='), word.size());
    apply_one(program, word.substr(0, equals), word.substr(std::min(equals + 1, word.size())));
  }
  program.profiler.profile_memory |= !program.memory_timeline_file.empty();
  program.profiler.with_tensors |= !program.execution_trace_file.empty();
  const auto keys = sort_keys();
  const std::string& sort_by = program.rows.sort_by;
  VITRO_CHECK(sort_by.empty() || std::ranges::count(keys, sort_by), "sort_by: there is no \"",
              sort_by, "\"; there are ", list(keys, [](std::string_view key) { return key; }));
}

}  // namespace vitro
