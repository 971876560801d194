// The table of algebraic rules, one line each; algebra.h describes them.
#include "graph/passes/algebra.h"
#include "vitro/ops/all.h"

namespace vitro::graph {
namespace {

bool is_integral(In p) {
  return !is_floating(p.x.dtype());
}

// Integer negation wraps around, so it cancels only within one dtype.
bool negates_exactly(In p) {
  return is_floating(p.y.dtype()) || p.x.dtype() == p.y.dtype();
}

bool is_signed(In p) {
  return p.x.dtype() != DType::u8;
}

// Whether `to` represents each value of `from` exactly.
bool holds(DType to, DType from) {
  if (is_floating(to) != is_floating(from)) return is_bool(from);
  return promote(to, from) == to;
}

DType dtype_of_cast(const Attrs& attrs, DType otherwise) {
  return attrs.as<ops::DTypeAttrs>().dtype.value_or(otherwise);
}

// Whether the inner cast is lossless, and the outer one stays within integers or floating point.
bool first_cast_is_exact(In p) {
  const DType inner = dtype_of_cast(p.attrs[1], p.x.dtype());
  const DType outer = dtype_of_cast(p.attrs[0], inner);
  return holds(inner, p.x.dtype()) && is_floating(outer) == is_floating(p.x.dtype());
}

// The dims of the permute that equals the composition of two.
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
      {"add_zero", [](In p) { return p.x + 0; }, [](In p) { return p.x; }, is_integral},
      {"zero_add", [](In p) { return 0 + p.x; }, [](In p) { return p.x; }, is_integral},
      {"add_minus_zero", [](In p) { return p.x + -0.0; }, [](In p) { return p.x; }},
      {"minus_zero_add", [](In p) { return -0.0 + p.x; }, [](In p) { return p.x; }},
      {"sub_zero", [](In p) { return p.x - 0; }, [](In p) { return p.x; }},
      {"div_one", [](In p) { return p.x / 1; }, [](In p) { return p.x; }},
      {"neg_neg", [](In p) { return -(-p.x); }, [](In p) { return p.x; }},
      {"sub_neg", [](In p) { return p.x - (-p.y); }, [](In p) { return p.x + p.y; },
       negates_exactly},
      {"add_neg", [](In p) { return p.x + (-p.y); }, [](In p) { return p.x - p.y; },
       negates_exactly},
      {"neg_add", [](In p) { return (-p.y) + p.x; }, [](In p) { return p.x - p.y; },
       negates_exactly},
      {"abs_abs", [](In p) { return abs(abs(p.x)); }, [](In p) { return abs(p.x); }},
      {"abs_neg", [](In p) { return abs(-p.x); }, [](In p) { return abs(p.x); }, is_signed},
      {"relu_relu", [](In p) { return relu(relu(p.x)); }, [](In p) { return relu(p.x); }},
      {"floor_floor", [](In p) { return floor(floor(p.x)); }, [](In p) { return floor(p.x); }},
      {"ceil_ceil", [](In p) { return ceil(ceil(p.x)); }, [](In p) { return ceil(p.x); }},
      {"round_round", [](In p) { return round(round(p.x)); }, [](In p) { return round(p.x); }},
      {"trunc_trunc", [](In p) { return trunc(trunc(p.x)); }, [](In p) { return trunc(p.x); }},
      {"floor_integer", [](In p) { return floor(p.x); }, [](In p) { return p.x; }, is_integral},
      {"ceil_integer", [](In p) { return ceil(p.x); }, [](In p) { return p.x; }, is_integral},
      {"round_integer", [](In p) { return round(p.x); }, [](In p) { return p.x; }, is_integral},
      {"trunc_integer", [](In p) { return trunc(p.x); }, [](In p) { return p.x; }, is_integral},
      {"minimum_same", [](In p) { return minimum(p.x, p.x); }, [](In p) { return p.x; }},
      {"maximum_same", [](In p) { return maximum(p.x, p.x); }, [](In p) { return p.x; }},
      {"and_same", [](In p) { return p.c & p.c; }, [](In p) { return p.c; }},
      {"or_same", [](In p) { return p.c | p.c; }, [](In p) { return p.c; }},
      {"not_not", [](In p) { return logical_not(logical_not(p.c)); }, [](In p) { return p.c; }},
      {"bits_not_not", [](In p) { return ~~p.c; }, [](In p) { return p.c; }},
      {"not_eq", [](In p) { return logical_not(p.x == p.y); }, [](In p) { return p.x != p.y; }},
      {"not_ne", [](In p) { return logical_not(p.x != p.y); }, [](In p) { return p.x == p.y; }},
      {"bits_not_eq", [](In p) { return ~(p.x == p.y); }, [](In p) { return p.x != p.y; }},
      {"bits_not_ne", [](In p) { return ~(p.x != p.y); }, [](In p) { return p.x == p.y; }},
      {"where_same", [](In p) { return where(p.c, p.x, p.x); }, [](In p) { return p.x; }},
      {"where_true", [](In p) { return where(true, p.x, p.y); }, [](In p) { return p.x; }},
      {"where_false", [](In p) { return where(false, p.x, p.y); }, [](In p) { return p.y; }},
      {"where_not", [](In p) { return where(logical_not(p.c), p.x, p.y); },
       [](In p) { return where(p.c, p.y, p.x); }},
      {"copy_same", [](In p) { return copy(p.x, p.y); }, [](In p) { return p.y; }},
      {"clone", [](In p) { return clone(p.x); }, [](In p) { return p.x; }},
      {"cast_same", [](In p) { return to(p.x, DType::f64); }, [](In p) { return p.x; }},
      {"cast_cast", [](In p) { return to(to(p.x, DType::f64), DType::f16); },
       [](In p) { return to(p.x, dtype_of_cast(p.attrs[0], p.x.dtype())); }, first_cast_is_exact},
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
