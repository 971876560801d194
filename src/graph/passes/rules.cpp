#include "graph/passes/algebra.h"
#include "vitro/ops/all.h"

namespace vitro::graph {
namespace {

bool is_whole(In p) {
  return !is_floating(p.x.dtype());
}

// dims of a permute of a permute in one.
Dims in_one(const Dims& outer, const Dims& inner) {
  const auto rank = static_cast<int64_t>(inner.size());
  Dims out;
  for (const int64_t d : outer) out.push_back(inner[static_cast<size_t>(d < 0 ? d + rank : d)]);
  return out;
}

}  // namespace

const std::vector<Rule>& algebra_rules() {
  static const auto* rules = new std::vector<Rule>{
      {"mul_one", [](In p) { return p.x * 1; }, [](In p) { return p.x; }},
      {"one_mul", [](In p) { return 1 * p.x; }, [](In p) { return p.x; }},
      // x + 0.0 would turn -0.0 into 0.0.
      {"add_zero", [](In p) { return p.x + 0; }, [](In p) { return p.x; }, is_whole},
      {"zero_add", [](In p) { return 0 + p.x; }, [](In p) { return p.x; }, is_whole},
      {"add_minus_zero", [](In p) { return p.x + -0.0; }, [](In p) { return p.x; }},
      {"minus_zero_add", [](In p) { return -0.0 + p.x; }, [](In p) { return p.x; }},
      {"where_same", [](In p) { return where(p.c, p.x, p.x); }, [](In p) { return p.x; }},
      {"where_true", [](In p) { return where(true, p.x, p.y); }, [](In p) { return p.x; }},
      {"where_false", [](In p) { return where(false, p.x, p.y); }, [](In p) { return p.y; }},
      {"permute_permute", [](In p) { return permute(permute(p.x, {1, 0}), {1, 0}); },
       [](In p) {
         return permute(p.x, in_one(p.attrs[0].as<ops::PermuteAttrs>().dims,
                                    p.attrs[1].as<ops::PermuteAttrs>().dims));
       }},
      {"cat_one", [](In p) { return cat({p.x}); }, [](In p) { return p.x; }},
  };
  return *rules;
}

}  // namespace vitro::graph
