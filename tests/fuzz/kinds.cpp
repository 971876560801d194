// long: the table of steps
#include <array>

#include "program.h"
#include "vitro/ops/all.h"

namespace vitro::fuzz {
namespace {

using Variables = std::vector<Tensor>;

size_t below(Random& random, size_t n) {
  return static_cast<size_t>(random() % n);
}

std::string name_of(size_t variable) {
  return cat("v", variable);
}
std::string operand(const Step& s, size_t i) {
  return name_of(s.operands[i]);
}

// A variable that `fits`, later ones more often.
template <class F>
bool pick(Random& random, const Variables& all, Step& step, F fits) {
  for (int tries = 0; tries < 12; ++tries) {
    const size_t at = std::max(below(random, all.size()), below(random, all.size()));
    if (!fits(all[at])) continue;
    step.operands.push_back(at);
    return true;
  }
  return false;
}

bool is_float(const Tensor& t) {
  return is_floating(t.dtype());
}
bool is_whole(const Tensor& t) {
  return is_integer(t.dtype());
}
bool is_number(const Tensor& t) {
  return !is_bool(t.dtype());
}
bool anything(const Tensor&) {
  return true;
}
bool small(const Tensor& t) {
  return t.numel().value() <= 4096;
}

bool broadcasts(const Tensor& a, const Tensor& b) {
  const Sizes x = a.sizes(), y = b.sizes();
  for (size_t i = 1; i <= std::min(x.size(), y.size()); ++i) {
    const int64_t p = x[x.size() - i].value(), q = y[y.size() - i].value();
    if (p != q && p != 1 && q != 1) return false;
  }
  return true;
}

// ---- elementwise
// -------------------------------------------------------------------------------------------------------

template <bool (*fits)(const Tensor&)>
bool choose_one(Random& random, const Variables& all, Step& step) {
  return pick(random, all, step, fits);
}

template <bool (*fits)(const Tensor&)>
bool choose_two(Random& random, const Variables& all, Step& step) {
  if (!pick(random, all, step, fits)) return false;
  const Tensor& first = all[step.operands[0]];
  return pick(random, all, step,
              [&](const Tensor& t) { return fits(t) && broadcasts(first, t) && small(t); });
}

template <bool (*fits)(const Tensor&)>
bool choose_with_number(Random& random, const Variables& all, Step& step) {
  static constexpr std::array numbers{0.5, -1.25, 2.0, 3.0, 0.0, 1.0};
  step.number = numbers[below(random, numbers.size())];
  step.ints.push_back(static_cast<int64_t>(below(random, 5)) - 2);
  return pick(random, all, step, fits);
}

#define ONE(name, fits)                                                           \
  Kind {                                                                          \
    #name, &choose_one<fits>,                                                     \
        [](const Variables& v, const Step& s) { return name(v[s.operands[0]]); }, \
        [](const Step& s) { return cat(#name "(", operand(s, 0), ")"); }          \
  }
#define TWO(name, fits)                                                                       \
  Kind {                                                                                      \
    #name, &choose_two<fits>,                                                                 \
        [](const Variables& v, const Step& s) {                                               \
          return name(v[s.operands[0]], v[s.operands[1]]);                                    \
        },                                                                                    \
        [](const Step& s) { return cat(#name "(", operand(s, 0), ", ", operand(s, 1), ")"); } \
  }
#define WITH_NUMBER(name)                                                                   \
  Kind {                                                                                    \
    #name, &choose_with_number<is_float>,                                                   \
        [](const Variables& v, const Step& s) { return name(v[s.operands[0]], s.number); }, \
        [](const Step& s) { return cat(#name "(", operand(s, 0), ", ", s.number, ")"); }    \
  }
#define WITH_WHOLE(name)                                                                     \
  Kind {                                                                                     \
    #name, &choose_with_number<is_number>,                                                   \
        [](const Variables& v, const Step& s) { return name(v[s.operands[0]], s.ints[0]); }, \
        [](const Step& s) { return cat(#name "(", operand(s, 0), ", ", s.ints[0], ")"); }    \
  }

bool choose_where(Random& random, const Variables& all, Step& step) {
  if (!pick(random, all, step, [](const Tensor& t) { return is_bool(t.dtype()); })) return false;
  const Tensor& condition = all[step.operands[0]];
  const auto fits = [&](const Tensor& t) { return broadcasts(condition, t) && small(t); };
  if (!pick(random, all, step, fits)) return false;
  const Tensor& first = all[step.operands[1]];
  return pick(random, all, step, [&](const Tensor& t) { return fits(t) && broadcasts(first, t); });
}

// ---- dimensions
// --------------------------------------------------------------------------------------------------------

bool choose_dim(Random& random, const Variables& all, Step& step) {
  if (!pick(random, all, step, [](const Tensor& t) { return t.rank() > 0; })) return false;
  const int64_t rank = all[step.operands[0]].rank();
  step.ints.push_back(static_cast<int64_t>(below(random, static_cast<size_t>(rank))));
  step.ints.push_back(static_cast<int64_t>(below(random, 2)));
  return true;
}

template <bool (*fits)(const Tensor&)>
bool choose_reduced(Random& random, const Variables& all, Step& step) {
  return choose_dim(random, all, step) && fits(all[step.operands[0]]) &&
         all[step.operands[0]].size(step.ints[0]).value() > 0;
}

#define REDUCE(name, fits)                                                                    \
  Kind {                                                                                      \
    #name, &choose_reduced<fits>,                                                             \
        [](const Variables& v, const Step& s) {                                               \
          return name(v[s.operands[0]], {s.ints[0]}, s.ints[1] != 0);                         \
        },                                                                                    \
        [](const Step& s) {                                                                   \
          return cat(#name "(", operand(s, 0), ", {", s.ints[0], "}, ", s.ints[1] != 0, ")"); \
        }                                                                                     \
  }

Tensor transposed(const Tensor& x) {
  Dims dims;
  for (int64_t d = x.rank(); d-- > 0;) dims.push_back(d);
  return permute(x, dims);
}

bool choose_slice(Random& random, const Variables& all, Step& step) {
  if (!choose_dim(random, all, step)) return false;
  const int64_t size = all[step.operands[0]].size(step.ints[0]).value();
  if (size < 3) return false;
  step.ints[1] = static_cast<int64_t>(below(random, 2));            // start
  step.ints.push_back(static_cast<int64_t>(1 + below(random, 2)));  // step
  return true;
}

bool choose_joined(Random& random, const Variables& all, Step& step) {
  if (!choose_dim(random, all, step)) return false;
  const Tensor& first = all[step.operands[0]];
  const size_t dim = static_cast<size_t>(step.ints[0]);
  return pick(random, all, step, [&](const Tensor& t) {
    if (t.rank() != first.rank() || !small(t)) return false;
    const Sizes a = first.sizes(), b = t.sizes();
    for (size_t d = 0; d < a.size(); ++d) {
      if (d != dim && a[d].value() != b[d].value()) return false;
    }
    return true;
  });
}

bool is_matrix(const Tensor& t) {
  return t.rank() == 2 && t.dtype() == DType::f32;
}

bool choose_product(Random& random, const Variables& all, Step& step) {
  if (!pick(random, all, step, is_matrix)) return false;
  const Tensor& a = all[step.operands[0]];
  return pick(random, all, step, [&](const Tensor& b) {
    return is_matrix(b) && b.size(0).value() == a.size(1).value();
  });
}

// ---- writes in place
// -----------------------------------------------------------------------------------------------------

bool no_overlap(const Tensor& t) {
  const Sizes size = t.sizes(), stride = t.strides();
  for (size_t d = 0; d < size.size(); ++d) {
    if (stride[d].value() == 0 && size[d].value() > 1) return false;
  }
  return true;
}

bool writable(const Tensor& t) {
  return is_float(t) && no_overlap(t);
}

bool choose_write(Random& random, const Variables& all, Step& step) {
  if (!pick(random, all, step, writable)) return false;
  const Tensor& x = all[step.operands[0]];
  return pick(random, all, step, [&](const Tensor& t) {
    if (!is_float(t) || t.rank() > x.rank() || !broadcasts(x, t)) return false;
    const Sizes a = x.sizes(), b = t.sizes();
    for (size_t i = 1; i <= b.size(); ++i) {
      if (b[b.size() - i].value() != 1 && b[b.size() - i].value() != a[a.size() - i].value())
        return false;
    }
    return true;
  });
}

#define WRITE(name)                                                                           \
  Kind {                                                                                      \
    #name, &choose_write,                                                                     \
        [](const Variables& v, const Step& s) {                                               \
          return Tensor(name(v[s.operands[0]], v[s.operands[1]]));                            \
        },                                                                                    \
        [](const Step& s) { return cat(#name "(", operand(s, 0), ", ", operand(s, 1), ")"); } \
  }

// ---- the host looks
// ------------------------------------------------------------------------------------------------------

bool choose_branch(Random& random, const Variables& all, Step& step) {
  return pick(random, all, step, is_float) && pick(random, all, step, is_float);
}

Tensor run_branch(const Variables& v, const Step& s) {
  const bool positive = sum(v[s.operands[0]]).item<float>() > 0;
  return positive ? v[s.operands[1]] * 0.5 : -v[s.operands[1]];
}

std::string print_branch(const Step& s) {
  return cat("sum(", operand(s, 0), ").item<float>() > 0 ? ", operand(s, 1), " * 0.5 : -",
             operand(s, 1));
}

bool choose_halved(Random& random, const Variables& all, Step& step) {
  return choose_dim(random, all, step) && all[step.operands[0]].size(step.ints[0]).value() >= 2;
}

// ---- layers

bool choose_last(Random& random, const Variables& all, Step& step) {
  return pick(random, all, step, [](const Tensor& t) {
    return is_float(t) && t.rank() > 0 && t.size(-1).value() > 0;
  });
}

bool choose_matrix(Random& random, const Variables& all, Step& step) {
  return pick(random, all, step, [](const Tensor& t) { return is_number(t) && t.rank() >= 2; });
}

bool choose_two_alike(Random& random, const Variables& all, Step& step) {
  if (!pick(random, all, step, small)) return false;
  const Tensor& first = all[step.operands[0]];
  return pick(random, all, step,
              [&](const Tensor& t) { return attribute::same(first.sizes(), t.sizes()); });
}

bool choose_rows(Random& random, const Variables& all, Step& step) {
  const auto table = [](const Tensor& t) {
    return t.rank() > 0 && t.size(0).value() > 0 && t.numel().value() <= 512;
  };
  if (!pick(random, all, step, table)) return false;
  return pick(random, all, step,
              [](const Tensor& t) { return t.dtype() == DType::i64 && t.numel().value() <= 64; });
}

// Rows of `table`, one for each whole number.
Tensor rows_of(const Tensor& table, const Tensor& numbers) {
  return remainder(reshape(numbers, {numbers.numel()}), table.size(0));
}

bool choose_linear(Random& random, const Variables& all, Step& step) {
  const auto left = [](const Tensor& t) { return t.rank() >= 2 && t.dtype() == DType::f32; };
  if (!pick(random, all, step, left)) return false;
  const Size inner = all[step.operands[0]].size(-1);
  return pick(random, all, step,
              [&](const Tensor& t) { return is_matrix(t) && t.size(1).value() == inner.value(); });
}

bool choose_batched(Random& random, const Variables& all, Step& step) {
  return pick(random, all, step, [](const Tensor& t) {
    return t.rank() == 3 && (t.dtype() == DType::f32 || t.dtype() == DType::f64) && small(t);
  });
}

}  // namespace

const std::vector<Kind>& kinds() {
  static const auto* all = new std::vector<Kind>{
      ONE(exp, is_float),
      ONE(sin, is_float),
      ONE(tanh, is_float),
      ONE(sigmoid, is_float),
      ONE(relu, is_number),
      ONE(neg, is_number),
      ONE(abs, is_number),
      ONE(sqrt, is_float),
      ONE(gelu, is_float),
      ONE(silu, is_float),
      ONE(erf, is_float),
      ONE(floor, is_float),
      ONE(isnan, is_float),
      ONE(clone, anything),
      ONE(exp2, is_float),
      ONE(log, is_float),
      ONE(rsqrt, is_float),
      ONE(cos, is_float),
      ONE(round, is_float),
      TWO(add, is_number),
      TWO(sub, is_number),
      TWO(mul, is_number),
      TWO(div, is_number),
      TWO(maximum, is_number),
      TWO(minimum, is_number),
      TWO(lt, is_number),
      TWO(ge, is_number),
      TWO(eq, anything),
      TWO(atan2, is_float),
      TWO(pow, is_float),
      TWO(remainder, is_float),
      TWO(ne, anything),
      WITH_NUMBER(add),
      WITH_NUMBER(mul),
      WITH_NUMBER(gt),
      WITH_WHOLE(add),
      WITH_WHOLE(mul),
      Kind{"to f64", &choose_one<is_number>,
           [](const Variables& v, const Step& s) { return to(v[s.operands[0]], DType::f64); },
           [](const Step& s) { return cat("to(", operand(s, 0), ", DType::f64)"); }},
      Kind{"to f32", &choose_one<anything>,
           [](const Variables& v, const Step& s) { return to(v[s.operands[0]], DType::f32); },
           [](const Step& s) { return cat("to(", operand(s, 0), ", DType::f32)"); }},
      Kind{"to bf16", &choose_one<is_float>,
           [](const Variables& v, const Step& s) { return to(v[s.operands[0]], DType::bf16); },
           [](const Step& s) { return cat("to(", operand(s, 0), ", DType::bf16)"); }},
      Kind{"to f16", &choose_one<is_float>,
           [](const Variables& v, const Step& s) { return to(v[s.operands[0]], DType::f16); },
           [](const Step& s) { return cat("to(", operand(s, 0), ", DType::f16)"); }},
      Kind{"to i64", &choose_one<anything>,
           [](const Variables& v, const Step& s) { return to(v[s.operands[0]], DType::i64); },
           [](const Step& s) { return cat("to(", operand(s, 0), ", DType::i64)"); }},
      Kind{"where", &choose_where,
           [](const Variables& v, const Step& s) {
             return where(v[s.operands[0]], v[s.operands[1]], v[s.operands[2]]);
           },
           [](const Step& s) {
             return cat("where(", operand(s, 0), ", ", operand(s, 1), ", ", operand(s, 2), ")");
           }},
      REDUCE(sum, is_number),
      REDUCE(mean, is_float),
      REDUCE(amax, is_number),
      REDUCE(amin, is_float),
      Kind{"argmax", &choose_reduced<is_float>,
           [](const Variables& v, const Step& s) {
             return argmax(v[s.operands[0]], s.ints[0], s.ints[1] != 0);
           },
           [](const Step& s) {
             return cat("argmax(", operand(s, 0), ", ", s.ints[0], ", ", s.ints[1] != 0, ")");
           }},
      Kind{"var", &choose_reduced<is_float>,
           [](const Variables& v, const Step& s) {
             return var(v[s.operands[0]], {s.ints[0]}, 0, s.ints[1] != 0);
           },
           [](const Step& s) {
             return cat("var(", operand(s, 0), ", {", s.ints[0], "}, 0, ", s.ints[1] != 0, ")");
           }},
      Kind{"expand", &choose_dim,
           [](const Variables& v, const Step& s) {
             Sizes sizes{3};
             for (const Size size : v[s.operands[0]].sizes()) sizes.push_back(size);
             return expand(v[s.operands[0]], sizes);
           },
           [](const Step& s) { return cat("expand(", operand(s, 0), ", {3, its sizes})"); }},
      Kind{"linear", &choose_linear,
           [](const Variables& v, const Step& s) {
             return linear(v[s.operands[0]], v[s.operands[1]]);
           },
           [](const Step& s) { return cat("linear(", operand(s, 0), ", ", operand(s, 1), ")"); }},
      Kind{"bmm", &choose_batched,
           [](const Variables& v, const Step& s) {
             const Tensor& x = v[s.operands[0]];
             return bmm(x, transpose(x, 1, 2));
           },
           [](const Step& s) {
             return cat("bmm(", operand(s, 0), ", transpose(", operand(s, 0), ", 1, 2))");
           }},
      Kind{"layer_norm", &choose_last,
           [](const Variables& v, const Step& s) {
             const Tensor& x = v[s.operands[0]];
             return layer_norm(x, {x.size(-1)}, {}, {}, 1e-5);
           },
           [](const Step& s) {
             return cat("layer_norm(", operand(s, 0), ", {", operand(s, 0),
                        ".size(-1)}, {}, {}, 1e-5)");
           }},
      Kind{"tril", &choose_matrix,
           [](const Variables& v, const Step& s) { return tril(v[s.operands[0]]); },
           [](const Step& s) { return cat("tril(", operand(s, 0), ")"); }},
      Kind{"stack", &choose_two_alike,
           [](const Variables& v, const Step& s) {
             return stack({v[s.operands[0]], v[s.operands[1]]}, 0);
           },
           [](const Step& s) {
             return cat("stack({", operand(s, 0), ", ", operand(s, 1), "}, 0)");
           }},
      Kind{"index_select", &choose_rows,
           [](const Variables& v, const Step& s) {
             return index_select(v[s.operands[0]], 0, rows_of(v[s.operands[0]], v[s.operands[1]]));
           },
           [](const Step& s) {
             return cat("index_select(", operand(s, 0), ", 0, remainder(reshape(", operand(s, 1),
                        ", {", operand(s, 1), ".numel()}), ", operand(s, 0), ".size(0)))");
           }},
      Kind{"fill_", &choose_one<writable>,
           [](const Variables& v, const Step& s) { return Tensor(fill_(v[s.operands[0]], 0.75)); },
           [](const Step& s) { return cat("fill_(", operand(s, 0), ", 0.75)"); }},
      Kind{"clamp", &choose_one<is_float>,
           [](const Variables& v, const Step& s) { return clamp(v[s.operands[0]], -0.5, 1.5); },
           [](const Step& s) { return cat("clamp(", operand(s, 0), ", -0.5, 1.5)"); }},
      Kind{"sum of all", &choose_one<is_number>,
           [](const Variables& v, const Step& s) { return sum(v[s.operands[0]]); },
           [](const Step& s) { return cat("sum(", operand(s, 0), ")"); }},
      Kind{"softmax", &choose_reduced<is_float>,
           [](const Variables& v, const Step& s) { return softmax(v[s.operands[0]], s.ints[0]); },
           [](const Step& s) { return cat("softmax(", operand(s, 0), ", ", s.ints[0], ")"); }},
      Kind{"transposed", &choose_one<anything>,
           [](const Variables& v, const Step& s) { return transposed(v[s.operands[0]]); },
           [](const Step& s) { return cat("transposed(", operand(s, 0), ")"); }},
      Kind{"slice", &choose_slice,
           [](const Variables& v, const Step& s) {
             const Tensor& x = v[s.operands[0]];
             return slice(x, s.ints[0], s.ints[1], x.size(s.ints[0]), s.ints[2]);
           },
           [](const Step& s) {
             return cat("slice(", operand(s, 0), ", ", s.ints[0], ", ", s.ints[1], ", ",
                        operand(s, 0), ".size(", s.ints[0], "), ", s.ints[2], ")");
           }},
      Kind{"first half", &choose_halved,
           [](const Variables& v, const Step& s) {
             const Tensor& x = v[s.operands[0]];
             return slice(x, s.ints[0], 0, x.size(s.ints[0]) / 2);
           },
           [](const Step& s) {
             return cat("slice(", operand(s, 0), ", ", s.ints[0], ", 0, ", operand(s, 0), ".size(",
                        s.ints[0], ") / 2)");
           }},
      Kind{"select", &choose_reduced<anything>,
           [](const Variables& v, const Step& s) {
             return select(v[s.operands[0]], s.ints[0], s.ints[1] == 0 ? 0 : -1);
           },
           [](const Step& s) {
             return cat("select(", operand(s, 0), ", ", s.ints[0], ", ", s.ints[1] == 0 ? 0 : -1,
                        ")");
           }},
      Kind{"unsqueeze", &choose_dim,
           [](const Variables& v, const Step& s) { return unsqueeze(v[s.operands[0]], s.ints[0]); },
           [](const Step& s) { return cat("unsqueeze(", operand(s, 0), ", ", s.ints[0], ")"); }},
      Kind{"flattened", &choose_one<anything>,
           [](const Variables& v, const Step& s) {
             return reshape(v[s.operands[0]], {v[s.operands[0]].numel()});
           },
           [](const Step& s) {
             return cat("reshape(", operand(s, 0), ", {", operand(s, 0), ".numel()})");
           }},
      Kind{"cat", &choose_joined,
           [](const Variables& v, const Step& s) {
             return cat({v[s.operands[0]], v[s.operands[1]]}, s.ints[0]);
           },
           [](const Step& s) {
             return cat("cat({", operand(s, 0), ", ", operand(s, 1), "}, ", s.ints[0], ")");
           }},
      Kind{"mm", &choose_product,
           [](const Variables& v, const Step& s) { return mm(v[s.operands[0]], v[s.operands[1]]); },
           [](const Step& s) { return cat("mm(", operand(s, 0), ", ", operand(s, 1), ")"); }},
      WRITE(add_),
      WRITE(mul_),
      WRITE(copy_),
      Kind{"branch", &choose_branch, &run_branch, &print_branch},
      Kind{"scaled by item", &choose_branch,
           [](const Variables& v, const Step& s) {
             return v[s.operands[1]] * sum(v[s.operands[0]]).item<float>();
           },
           [](const Step& s) {
             return cat(operand(s, 1), " * sum(", operand(s, 0), ").item<float>()");
           }},
      Kind{"scaled by size", &choose_dim,
           [](const Variables& v, const Step& s) {
             return v[s.operands[0]] * v[s.operands[0]].size(s.ints[0]);
           },
           [](const Step& s) {
             return cat(operand(s, 0), " * ", operand(s, 0), ".size(", s.ints[0], ")");
           }},
  };
  return *all;
}

}  // namespace vitro::fuzz
