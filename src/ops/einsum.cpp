// einsum: parses the equation and contracts the operands from left to right.
#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <vector>

#include "core/numbers.h"
#include "ops/common_size.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/ops/binary.h"
#include "vitro/ops/create.h"
#include "vitro/ops/linear_algebra.h"
#include "vitro/ops/product.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/view.h"

namespace vitro {
namespace {

// A letter, or `first_of_dots` + i for dimension i of "...", which broadcasts.
using Label = int;
using Labels = std::vector<Label>;
constexpr Label dots = -1, first_of_dots = 256;

bool has(const Labels& labels, Label one) {
  return std::ranges::find(labels, one) != labels.end();
}
int64_t place(const Labels& labels, Label one) {
  return std::ranges::find(labels, one) - labels.begin();
}

// The labels of one operand or of the result, with `dots` for "...".
Labels parse_term(std::string_view text) {
  Labels out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') continue;
    if (text[i] == '.') {
      VITRO_CHECK(text.substr(i, 3) == "..." && !has(out, dots), "einsum: needs one \"...\" in \"",
                  text, "\"");
      out.push_back(dots);
      i += 2;
      continue;
    }
    VITRO_CHECK(std::isalpha(static_cast<unsigned char>(text[i])),
                "einsum: dimensions are named by letters, got '", text.substr(i, 1), "' in \"",
                text, "\"");
    out.push_back(text[i]);
  }
  return out;
}

struct Equation {
  std::vector<Labels> operands;
  std::optional<Labels> result;
};

Equation parse(std::string_view text) {
  Equation out;
  const size_t arrow = text.find("->");
  if (arrow != text.npos) out.result = parse_term(text.substr(arrow + 2));
  std::string_view left = text.substr(0, arrow);
  for (size_t comma = 0; comma != left.npos;) {
    comma = left.find(',');
    out.operands.push_back(parse_term(left.substr(0, comma)));
    if (comma != left.npos) left.remove_prefix(comma + 1);
  }
  return out;
}

// Replaces `dots` by `count` labels, the last ones of `most`.
void spell_out(Labels& labels, int64_t count, int64_t most) {
  const auto at = std::ranges::find(labels, dots);
  if (at == labels.end()) return;
  Labels more;
  for (int64_t i = most - count; i < most; ++i)
    more.push_back(first_of_dots + static_cast<Label>(i));
  labels.insert(labels.erase(at), more.begin(), more.end());
}

// The labels that occur once, those of "..." first.
Labels implied_result(const std::vector<Labels>& operands) {
  std::map<Label, int> uses;
  for (const Labels& labels : operands) {
    for (const Label one : labels) ++uses[one];
  }
  Labels out, letters;
  for (const auto& [label, count] : uses) {
    if (label >= first_of_dots) out.push_back(label);
    if (label < first_of_dots && count == 1) letters.push_back(label);
  }
  out.insert(out.end(), letters.begin(), letters.end());
  return out;
}

struct Factor {
  Tensor tensor;
  Labels labels;
};

// Labels that occur more than once select a diagonal.
void take_diagonals(Factor& f) {
  for (size_t i = 0; i < f.labels.size(); ++i) {
    const Label label = f.labels[i];
    const auto again =
        std::find(f.labels.begin() + static_cast<std::ptrdiff_t>(i) + 1, f.labels.end(), label);
    if (again == f.labels.end()) continue;
    const auto first = static_cast<int64_t>(i), second = again - f.labels.begin();
    VITRO_CHECK(equal(f.tensor.size(first), f.tensor.size(second)),
                "einsum: dimensions with the same letter have sizes ",
                number_of(f.tensor.size(first)), " and ", number_of(f.tensor.size(second)));
    const Tensor diagonals = diagonal(f.tensor, 0, first, second);
    Dims dims;
    for (int64_t d = 0; d + 1 < diagonals.rank(); ++d) dims.push_back(d);
    dims.insert(i, diagonals.rank() - 1);
    f.tensor = contiguous(permute(diagonals, dims));
    f.labels.erase(again);
    --i;
  }
}

// Removes dimensions of size 1 that broadcast to another size, which another operand has.
void drop_broadcast(std::vector<Factor>& factors) {
  std::map<Label, Size> sizes;
  for (const Factor& f : factors) {
    for (size_t i = 0; i < f.labels.size(); ++i) {
      const Size size = f.tensor.size(static_cast<int64_t>(i));
      const auto [known, added] = sizes.try_emplace(f.labels[i], size);
      const std::optional<Size> common = added ? size : ops::common_size(known->second, size);
      VITRO_CHECK(common, "einsum: dimensions with the same letter have sizes ",
                  number_of(known->second), " and ", number_of(size));
      known->second = *common;
    }
  }
  for (Factor& f : factors) {
    for (size_t i = f.labels.size(); i-- > 0;) {
      const auto dim = static_cast<int64_t>(i);
      if (!known_equal(f.tensor.size(dim), 1) || known_equal(sizes.at(f.labels[i]), 1)) continue;
      f.tensor = squeeze(f.tensor, dim);
      f.labels.erase(f.labels.begin() + dim);
    }
  }
}

// Sums over the labels that `kept` lacks.
void sum_others(Factor& f, const Labels& kept) {
  Dims summed;
  Labels left;
  for (size_t i = 0; i < f.labels.size(); ++i) {
    if (has(kept, f.labels[i])) {
      left.push_back(f.labels[i]);
    } else {
      summed.push_back(static_cast<int64_t>(i));
    }
  }
  if (!summed.empty()) f = {sum(f.tensor, summed), left};
}

Tensor ordered(const Factor& f, const Labels& labels) {
  Dims dims;
  for (const Label one : labels) dims.push_back(place(f.labels, one));
  return permute(f.tensor, dims);
}

Labels joined(std::initializer_list<const Labels*> parts) {
  Labels out;
  for (const Labels* part : parts) out.insert(out.end(), part->begin(), part->end());
  return out;
}

// The sizes of x at some of its dimensions, and their product.
struct Extent {
  Sizes sizes;
  Size count = 1;

  Extent(const Factor& f, const Labels& labels) {
    for (const Label one : labels) {
      sizes.push_back(f.tensor.size(place(f.labels, one)));
      count = count * sizes.back();
    }
  }
};

// x with its labels in the order of `labels`, and size 1 for those that it lacks.
Tensor spread(const Factor& f, const Labels& labels) {
  Labels own;
  Sizes sizes;
  for (const Label one : labels) {
    if (has(f.labels, one)) own.push_back(one);
    sizes.push_back(has(f.labels, one) ? f.tensor.size(place(f.labels, one)) : Size(1));
  }
  return reshape(ordered(f, own), sizes);
}

// The labels of two factors in the order of `kept`: those of both, of the left one, of the right
// one; and those that are summed, which `kept` lacks.
struct Parts {
  Labels all, shared, left, right, summed;

  Parts(const Factor& a, const Factor& b, const Labels& kept) {
    for (const Label one : kept) {
      const bool in_a = has(a.labels, one), in_b = has(b.labels, one);
      if ((!in_a && !in_b) || has(all, one)) continue;
      all.push_back(one);
      (in_a && in_b ? shared : in_a ? left : right).push_back(one);
    }
    for (const Label one : a.labels) {
      if (!has(kept, one)) summed.push_back(one);
    }
  }
  // Whether the last label of the result is one of the left factor.
  bool left_is_last() const {
    return !left.empty() && !right.empty() && place(all, left.back()) > place(all, right.back());
  }
};

// The sum over k of a[batch..., rows..., k...] * b[batch..., k..., columns...].
Factor product_of(const Factor& a, const Factor& b, const Parts& parts) {
  const auto& [all, shared, left, right, summed] = parts;
  const Extent batch(a, shared), rows(a, left), inner(a, summed), columns(b, right);
  const Tensor x = ordered(a, joined({&shared, &left, &summed})),
               y = ordered(b, joined({&shared, &summed, &right}));
  const Tensor product =
      shared.empty()
          ? mm(reshape(x, {rows.count, inner.count}), reshape(y, {inner.count, columns.count}))
          : bmm(reshape(x, {batch.count, rows.count, inner.count}),
                reshape(y, {batch.count, inner.count, columns.count}));
  Sizes sizes = batch.sizes;
  for (const Size s : rows.sizes) sizes.push_back(s);
  for (const Size s : columns.sizes) sizes.push_back(s);
  return {reshape(product, sizes), joined({&shared, &left, &right})};
}

// The product of two factors, summed over the labels that `kept` lacks.
Factor contracted(Factor a, Factor b, const Labels& kept) {
  const auto wanted_by = [&](const Factor& other) { return joined({&kept, &other.labels}); };
  sum_others(a, wanted_by(b));
  sum_others(b, wanted_by(a));
  const Parts parts(a, b, kept);
  if (parts.summed.empty()) return {mul(spread(a, parts.all), spread(b, parts.all)), parts.all};
  return parts.left_is_last() ? product_of(b, a, Parts(b, a, kept)) : product_of(a, b, parts);
}

// The operands with their labels; "..." is spelled out in these and in the result.
std::vector<Factor> factors_of(std::string_view text, Equation& equation,
                               std::span<const Tensor> tensors) {
  VITRO_CHECK(!tensors.empty(), "einsum: needs at least one tensor");
  VITRO_CHECK(equation.operands.size() == tensors.size(), "einsum: \"", text, "\" has ",
              equation.operands.size(), " operands, got ", tensors.size(), " tensors");
  std::vector<int64_t> counts;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Labels& labels = equation.operands[i];
    const auto letters = static_cast<int64_t>(labels.size()) - (has(labels, dots) ? 1 : 0);
    const int64_t rank = tensors[i].rank();
    VITRO_CHECK(has(labels, dots) ? rank >= letters : rank == letters, "einsum: \"", text,
                "\" names ", letters, " dimensions of operand ", i, ", which has sizes ",
                numbers_of(tensors[i].sizes()));
    counts.push_back(rank - letters);
  }
  const int64_t most = *std::ranges::max_element(counts);
  std::vector<Factor> out;
  for (size_t i = 0; i < tensors.size(); ++i) {
    spell_out(equation.operands[i], counts[i], most);
    out.push_back({tensors[i], equation.operands[i]});
  }
  if (equation.result) spell_out(*equation.result, most, most);
  return out;
}

void check_result(std::string_view text, const Labels& result, const std::vector<Labels>& given) {
  for (const Label one : result) {
    const bool known = std::ranges::any_of(given, [&](const Labels& l) { return has(l, one); });
    VITRO_CHECK(known && std::ranges::count(result, one) == 1, "einsum: the result of \"", text,
                "\" must have letters of the operands, each once");
  }
}

}  // namespace

Tensor einsum(std::string_view equation, std::span<const Tensor> tensors,
              std::source_location from) {
  const CalledAs name("einsum", from);
  Equation parsed = parse(equation);
  std::vector<Factor> factors = factors_of(equation, parsed, tensors);
  const Labels result = parsed.result ? *parsed.result : implied_result(parsed.operands);
  check_result(equation, result, parsed.operands);
  for (Factor& f : factors) take_diagonals(f);
  drop_broadcast(factors);
  Factor all = factors[0];
  for (size_t i = 1; i < factors.size(); ++i) {
    Labels kept = result;
    for (size_t later = i + 1; later < factors.size(); ++later)
      kept.insert(kept.end(), factors[later].labels.begin(), factors[later].labels.end());
    all = contracted(all, factors[i], kept);
  }
  sum_others(all, result);
  return ordered(all, result);
}

}  // namespace vitro
