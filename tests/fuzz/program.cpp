// Generates and runs random programs; see program.h.
#include "program.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "choose.h"
#include "gradients.h"
#include "vitro/base/error.h"
#include "vitro/compile/compile.h"
#include "vitro/ops/create.h"

namespace vitro::fuzz {
namespace {

int64_t random_size(Random& random) {
  static constexpr int64_t sizes[] = {varies, varies, varies, varies_too, 4, 1, 6, 17, 3, 0, 33};
  const int64_t size = sizes[below(random, std::size(sizes))];
  return size == 0 && !one_in(random, 4) ? 5 : size;
}

// Sizes around multiples of the tiles of transposes and reductions over columns.
int64_t large_size(Random& random) {
  static constexpr int64_t sizes[] = {varies, varies_too, 16, 31, 32, 33, 64, 65, 100, 128};
  return sizes[below(random, std::size(sizes))];
}

DType random_dtype(Random& random) {
  static constexpr DType dtypes[] = {
      DType::f32, DType::f32, DType::f32, DType::f32,  DType::f32,  DType::f64,
      DType::f64, DType::i64, DType::i64, DType::bf16, DType::bf16, DType::f16,
      DType::f16, DType::i32, DType::i8,  DType::u8,   DType::i16,  DType::boolean};
  return dtypes[below(random, std::size(dtypes))];
}

Input large_input(Random& random) {
  Input input;
  input.dtype = random_dtype(random);
  input.sizes = {large_size(random), large_size(random)};
  if (one_in(random, 4)) input.sizes.insert(input.sizes.begin(), 2);
  if (one_in(random, 2)) input.layout = static_cast<Layout>(below(random, layout_count));
  input.restless = one_in(random, 6);
  return input;
}

Input random_input(Random& random, size_t number) {
  Input input;
  input.dtype = random_dtype(random);
  const size_t rank = one_in(random, 12) ? 0 : 1 + below(random, one_in(random, 8) ? 4 : 3);
  for (size_t d = 0; d < rank; ++d) input.sizes.push_back(random_size(random));
  if (one_in(random, 3)) input.layout = static_cast<Layout>(below(random, layout_count));
  input.restless = one_in(random, 6);
  input.wild = one_in(random, 3);
  if (number > 0 && one_in(random, 12)) input.shares = static_cast<int>(below(random, number));
  return input;
}

// A size per call that is constant at first and then changes, starts from 0 or 1, or always
// changes.
std::vector<int64_t> changing_size(Random& random, bool large) {
  static constexpr int64_t firsts[] = {6, 6, 5, 16, 33}, others[] = {9, 17, 4, 7, 40};
  static constexpr int64_t larges[] = {64, 128, 33, 96, 31, 65, 130};
  static const std::vector<int64_t> small_ones[] = {
      {0, 1, 2, 3, 4, 5}, {1, 2, 3, 5, 9, 1}, {1, 1, 2, 7, 0, 5}, {0, 0, 3, 8, 17, 3},
      {1, 1, 1, 6, 9, 1}, {2, 1, 0, 1, 2, 3}, {3, 4, 5, 6, 7, 8}};
  if (!large && one_in(random, 4)) return small_ones[below(random, std::size(small_ones))];
  const auto pick = [&](auto& all) { return all[below(random, std::size(all))]; };
  const int64_t first = large ? pick(larges) : pick(firsts);
  std::vector<int64_t> out(3, first);
  for (int k = 0; k < 2; ++k) out.push_back(large ? pick(larges) : pick(others));
  out.push_back(one_in(random, 2) ? first : static_cast<int64_t>(below(random, 3)));
  return out;
}

std::vector<int64_t> changing_number(Random& random, size_t calls) {
  static const std::vector<int64_t> patterns[] = {
      {0, 1, 2, 3, 4, 5}, {0, 1, 2, 1, 0, 2}, {0, 0, 0, 1, 1, 0}, {0, 2, 1, 2, 3, 2}};
  std::vector<int64_t> out = patterns[below(random, std::size(patterns))];
  out.resize(calls, 1);
  return out;
}

void choose_calls(Random& random, Program& program, bool large) {
  program.sizes = changing_size(random, large);
  program.other_sizes = changing_size(random, large);
  program.numbers = changing_number(random, program.sizes.size());
  if (one_in(random, 4)) program.form = static_cast<Form>(below(random, form_count));
  program.twins = one_in(random, 10);
}

// Makes input 0 the rows that each call adds to the cache; `varies` is the number of rows so far.
void choose_cache(Random& random, Program& program) {
  program.cache = static_cast<Cache>(1 + below(random, cache_count - 1));
  Input& piece = program.inputs[0];
  const auto rows = static_cast<int64_t>(1 + below(random, 2));
  piece.restless = piece.parameter = false;
  if (piece.sizes.empty()) piece.sizes = {rows};
  for (int64_t& size : piece.sizes) size = size < 0 ? 4 : size;
  piece.sizes[0] = rows;
  for (size_t call = 0; call < program.sizes.size(); ++call)
    program.sizes[call] = rows * static_cast<int64_t>(call + 1);
}

void choose_parameters(Random& random, Program& program) {
  for (Input& input : program.inputs) {
    const bool fixed =
        std::none_of(input.sizes.begin(), input.sizes.end(), [](int64_t size) { return size < 0; });
    if (input.shares < 0 && fixed && one_in(random, 3)) input.parameter = true;
    if (input.parameter) input.restless = false;
  }
  for (Input& input : program.inputs) {
    if (input.shares >= 0) program.inputs[static_cast<size_t>(input.shares)].parameter = false;
  }
}

bool writes_parameters(const Program& program) {
  Variables inputs = make_inputs(program, 0);
  std::vector<uint64_t> versions;
  for (const Tensor& t : inputs) versions.push_back(t.storage().version());
  try {
    (void)all_variables(program, inputs, {});
  } catch (const Error&) {  // what a refused step had written may have been read by later ones
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (program.inputs[i].parameter && inputs[i].storage().version() != versions[i]) return true;
  }
  return false;
}

// A list of indices may contain masks, which select a number of elements that depends on data.
bool may_take_masks(const ops::Overload& call) {
  const auto& arguments = call.schema.arguments;
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const auto& a) { return a.name == "indices" && a.type.list; });
}

// Whether a call reads elements or their memory on the host, or has results whose sizes depend on
// elements.
bool may_read_elements(const ops::Overload& call) {
  static const std::set<std::string_view> names{"repeat_interleave.self_Tensor",
                                                "repeat_interleave.Tensor",
                                                "one_hot",
                                                "bincount",
                                                "histogram.bin_ct",
                                                "histogramdd",
                                                "histogramdd.int_bins",
                                                "ctc_loss.Tensor",
                                                "is_nonzero",
                                                "linalg_lstsq",
                                                "equal",
                                                "allclose",
                                                "_unique2",
                                                "unique_dim",
                                                "unique_consecutive",
                                                "narrow.Tensor",
                                                "view.dtype",
                                                "nonzero_numpy",
                                                "tensor_split.tensor_indices_or_sections"};
  return names.contains(call.schema.full_name());
}

void choose_options(Random& random, Program& program) {
  // Steps after an op with a data size may need its value.
  const bool breaks = std::any_of(program.steps.begin(), program.steps.end(), [](const Step& s) {
    if (kind_of(s).breaks) return true;
    return s.call && ((s.call->op && s.call->op->compaction) || may_take_masks(*s.call) ||
                      may_read_elements(*s.call));
  });
  program.drops = one_in(random, 2);
  if (one_in(random, 4)) program.dynamic = static_cast<int>(below(random, 2));
  if (one_in(random, 4)) {
    const size_t begin = below(random, program.steps.size());
    const size_t length = 1 + below(random, program.steps.size() - begin);
    program.regions.push_back(
        {one_in(random, 4) ? RegionKind::disabled : RegionKind::nested, begin, begin + length});
  }
  const bool disabled = !program.regions.empty() && program.regions[0].kind == RegionKind::disabled;
  program.fullgraph = !breaks && !disabled && one_in(random, 4);
  program.frozen = program.fullgraph && one_in(random, 2);
  if (one_in(random, 8))
    program.backend = one_in(random, 2) ? Backend::interprets : Backend::misbehaves;
  program.threads =
      program.cache == Cache::none && one_in(random, 8) && !writes_parameters(program);
}

// By numbers of its own, so that the program is the same without gradients.
void choose_gradients(Program& program) {
  Random random(program.seed ^ 0x9E3779B97F4A7C15ULL);
  if (program.frozen || program.cache != Cache::none || !one_in(random, 4)) return;
  program.gradients = static_cast<Gradients>(1 + below(random, 3));
  program.writes_copies = !one_in(random, 4);
  for (Input& input : program.inputs) {
    // A view is made before its base requires a gradient.
    const bool is_viewed =
        std::ranges::any_of(program.inputs, [&](const Input& other) { return other.shares >= 0; });
    input.leaf = is_floating(input.dtype) && !is_viewed && !one_in(random, 4);
  }
}

void leave_out(Program& program, const Without& without) {
  const auto gone = [&](const char* name) { return without.contains(name); };
  if (gone("forms")) program.form = Form::list;
  if (gone("caches")) program.cache = Cache::none;
  if (gone("gradients")) program.gradients = Gradients::none;
  if (gone("twins")) program.twins = false;
  if (gone("threads")) program.threads = false;
  if (gone(program.backend == Backend::misbehaves ? "misbehaving" : "interpreting"))
    program.backend = Backend::asked;
  for (Input& input : program.inputs) {
    if (gone("parameters")) input.parameter = false;
    if (gone("overlaps") && input.layout == Layout::windows) input.layout = Layout::offset;
  }
}

// Indices of the kinds, each repeated according to its weight.
const std::vector<size_t>& weighted_kinds() {
  static const auto* all = [] {
    auto* made = new std::vector<size_t>;
    for (size_t k = 0; k < kinds().size(); ++k) made->insert(made->end(), kinds()[k].weight, k);
    return made;
  }();
  return *all;
}

Variables run_step(const Program& program, size_t number, const Variables& variables,
                   Occasion occasion) {
  const Step& step = program.steps[number];
  if (number >= occasion.repaired_steps) occasion.repair = 0;
  Variables made = kind_of(step).run({variables, step, occasion});
  VITRO_CHECK(made.size() >= step.results, kind_of(step).name, ": ", made.size(),
              " results, where there were ", step.results);
  made.resize(step.results);
  return made;
}

// For each step, the variables whose last use it is.
std::vector<std::vector<size_t>> last_uses(const Program& program) {
  size_t count = program.inputs.size();
  for (const Step& step : program.steps) count += step.results;
  std::vector<size_t> last(count, 0);
  size_t made = program.inputs.size();
  for (size_t s = 0; s < program.steps.size(); ++s) {
    for (const Arg& arg : program.steps[s].args) {
      if (arg.reads(arg.variable)) last[arg.variable] = s;
    }
    for (size_t k = 0; k < program.steps[s].results; ++k) last[made++] = s;
  }
  for (const size_t r : program.results) last[r] = program.steps.size();
  std::vector<std::vector<size_t>> out(program.steps.size() + 1);
  for (size_t v = program.inputs.size(); v < count; ++v) out[last[v]].push_back(v);
  return out;
}

// Runs the steps of a region as one function of all variables so far; returns the new variables.
Variables run_region(const Program& program, const Region& region, const Variables& variables,
                     const Occasion& occasion) {
  const auto body = [&](const Variables& before) {
    Variables all = before;
    for (size_t s = region.begin; s < region.end; ++s) {
      for (Tensor& t : run_step(program, s, all, occasion)) all.push_back(std::move(t));
    }
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(before.size()));
    return all;
  };
  if (region.kind == RegionKind::disabled) return disable(body)(variables);
  return vitro::compile(body)(variables);
}

}  // namespace

const Without& surroundings() {
  static const auto* all =
      new Without{"forms",        "caches",      "parameters", "twins",    "threads",
                  "interpreting", "misbehaving", "overlaps",   "gradients"};
  return *all;
}

Program generate(uint64_t seed, const Without& without) {
  Random random(seed);
  random.writes_overlaps = !without.contains("overlaps");
  Program program;
  program.seed = seed;
  const size_t inputs = 1 + below(random, 3), length = 2 + below(random, 11);
  const bool large = one_in(random, 8);
  if (large) random.most_elements = 40000;
  for (size_t i = 0; i < inputs; ++i)
    program.inputs.push_back(large ? large_input(random) : random_input(random, i));
  choose_calls(random, program, large);
  if (one_in(random, 3)) choose_parameters(random, program);
  if (!large && one_in(random, 10)) choose_cache(random, program);
  leave_out(program, without);
  Variables variables = make_inputs(program, 0);
  for (int tries = 0; program.steps.size() < length && tries < 300; ++tries) {
    Step step;
    step.kind = weighted_kinds()[below(random, weighted_kinds().size())];
    if (!kind_of(step).choose(random, variables, step)) continue;
    try {
      Variables made = kind_of(step).run({variables, step, {}});
      if (made.empty() || made.size() > 6) continue;
      step.results = made.size();
      variables.insert(variables.end(), made.begin(), made.end());
    } catch (const Error&) {
      continue;  // a step refused in the first call is dropped; later errors are compared
    }
    program.steps.push_back(std::move(step));
  }
  program.results.push_back(variables.size() - 1);
  while (one_in(random, 2)) program.results.push_back(below(random, variables.size()));
  if (!program.steps.empty()) choose_options(random, program);
  choose_gradients(program);
  leave_out(program, without);
  return program;
}

Variables all_variables(const Program& program, Variables variables, const Occasion& occasion) {
  for (size_t s = 0; s < program.steps.size(); ++s) {
    for (Tensor& t : run_step(program, s, variables, occasion)) variables.push_back(std::move(t));
  }
  return variables;
}

Variables run(const Program& program, const Variables& inputs, const Occasion& occasion,
              bool compiled) {
  Variables variables = inputs;
  for (size_t i = 0; program.writes_copies && i < inputs.size(); ++i) {
    if (has_gradients(program, i)) variables[i] = clone(inputs[i]);
  }
  const auto ends = last_uses(program);
  auto region = program.regions.begin();
  for (size_t s = 0; s < program.steps.size(); ++s) {
    const size_t first = s;
    Variables made;
    if (compiled && region != program.regions.end() && region->begin == s) {
      made = run_region(program, *region, variables, occasion);
      s = region->end - 1;
      ++region;
    } else {
      made = run_step(program, s, variables, occasion);
    }
    for (Tensor& t : made) variables.push_back(std::move(t));
    for (size_t done = first; program.drops && done <= s; ++done) {
      for (const size_t v : ends[done]) variables[v] = Tensor();
    }
  }
  Variables out;
  for (const size_t r : program.results) out.push_back(variables[r]);
  return out;
}

}  // namespace vitro::fuzz
