// Shrinks a program while eager and compiled still differ.
#include <algorithm>
#include <functional>

#include "compare.h"
#include "vitro/base/error.h"

namespace vitro::fuzz {
namespace {

size_t first_variable(const Program& program, size_t at) {
  size_t first = program.inputs.size();
  for (size_t s = 0; s < at; ++s) first += program.steps[s].results;
  return first;
}

bool alike(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && attribute::same(a.sizes(), b.sizes());
}

void rename(Program& program, const std::function<size_t(size_t)>& renamed) {
  for (Step& s : program.steps) {
    for (Arg& arg : s.args) {
      arg.variable = renamed(arg.variable);
    }
  }
  for (size_t& r : program.results) r = renamed(r);
}

// Removes step `at`; readers of its results read variables of the same shape and dtype instead.
// False if there are none.
bool without_step(const Program& program, size_t at, const Variables& values, Program& smaller) {
  const size_t gone = first_variable(program, at), count = program.steps[at].results;
  std::vector<size_t> others(count, 0);
  for (size_t k = 0; k < count; ++k) {
    size_t other = 0;
    while (other < gone && !alike(values[other], values[gone + k])) ++other;
    const auto reads = [&](const Step& step) {
      return std::any_of(step.args.begin(), step.args.end(),
                         [&](const Arg& arg) { return arg.reads(gone + k); });
    };
    if (other == gone && std::any_of(program.steps.begin(), program.steps.end(), reads))
      return false;
    others[k] = other == gone ? 0 : other;
  }
  smaller = program;
  smaller.steps.erase(smaller.steps.begin() + static_cast<std::ptrdiff_t>(at));
  rename(smaller, [&](size_t v) {
    return v < gone ? v : v < gone + count ? others[v - gone] : v - count;
  });
  for (Region& region : smaller.regions) {
    if (region.begin > at) --region.begin;
    if (region.end > at) --region.end;
  }
  std::erase_if(smaller.regions, [](const Region& r) { return r.begin == r.end; });
  return true;
}

// The programs that are simpler than this one in one respect, the largest savings first.
std::vector<Program> simpler(const Program& program) {
  std::vector<Program> out;
  const Variables values = all_variables(program, make_inputs(program, 0), {});
  Program smaller;
  for (size_t at = program.steps.size(); at-- > 0;) {
    if (without_step(program, at, values, smaller)) out.push_back(smaller);
  }
  const auto with = [&](auto&& change) {
    Program changed = program;
    change(changed);
    out.push_back(std::move(changed));
  };
  for (size_t r = 0; program.results.size() > 1 && r < program.results.size(); ++r) {
    with([&](Program& p) { p.results.erase(p.results.begin() + static_cast<std::ptrdiff_t>(r)); });
  }
  if (program.sizes.size() > 1) with([](Program& p) { p.sizes.pop_back(); });
  if (program.threads) with([](Program& p) { p.threads = false; });
  if (program.gradients != Gradients::none) with([](Program& p) { p.gradients = Gradients::none; });
  if (program.gradients == Gradients::twice)
    with([](Program& p) { p.gradients = Gradients::inside; });
  if (program.twins) with([](Program& p) { p.twins = false; });
  if (program.cache != Cache::none) with([](Program& p) { p.cache = Cache::none; });
  if (program.form != Form::list) with([](Program& p) { p.form = Form::list; });
  if (program.backend != Backend::asked) with([](Program& p) { p.backend = Backend::asked; });
  if (!program.regions.empty()) with([](Program& p) { p.regions.clear(); });
  if (program.frozen) with([](Program& p) { p.frozen = false; });
  if (program.fullgraph && !program.frozen) with([](Program& p) { p.fullgraph = false; });
  if (program.drops) with([](Program& p) { p.drops = false; });
  if (program.dynamic >= 0) with([](Program& p) { p.dynamic = -1; });
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    Input plain = program.inputs[i];
    if (plain.leaf) with([&](Program& p) { p.inputs[i].leaf = false; });
    if (plain.parameter) with([&](Program& p) { p.inputs[i].parameter = false; });
    if (plain.wild) with([&](Program& p) { p.inputs[i].wild = false; });
    if (plain.restless) with([&](Program& p) { p.inputs[i].restless = false; });
    if (plain.layout != Layout::dense)
      with([&](Program& p) { p.inputs[i].layout = Layout::dense; });
    if (plain.shares >= 0) with([&](Program& p) { p.inputs[i].shares = -1; });
    const bool used = std::any_of(program.steps.begin(), program.steps.end(), [&](const Step& s) {
      return std::any_of(s.args.begin(), s.args.end(),
                         [&](const Arg& arg) { return arg.reads(i); });
    });
    const bool returned =
        std::find(program.results.begin(), program.results.end(), i) != program.results.end();
    if (!used && !returned && i + 1 == program.inputs.size() && i > 0) {
      with([&](Program& p) {
        p.inputs.pop_back();
        rename(p, [&](size_t v) { return v > i ? v - 1 : v; });
      });
    }
  }
  return out;
}

bool runs(const Program& program) {
  try {
    (void)all_variables(program, make_inputs(program, 0), {});
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

Program shrink(Program program, const Setup& setup) {
  for (bool found = true; found;) {
    found = false;
    for (Program& smaller : simpler(program)) {
      if (!runs(smaller) || compare(smaller, setup).empty()) continue;
      program = std::move(smaller);
      found = true;
      break;
    }
  }
  return program;
}

}  // namespace vitro::fuzz
