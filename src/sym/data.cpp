// Data sizes: who answers questions about them, and what follows from their bounds.
//   0 <= u0 <= s0:   u0 <= s0,  u0 < s0 + 1,  2*u0 <= 2*s0   are true,   u0 < s0  is unknown
#include <algorithm>

#include "sym/unlink.h"
#include "vitro/base/cat.h"
#include "vitro/sym/size.h"

namespace vitro::sym {
namespace {

constinit thread_local DataSizes* innermost __attribute__((tls_model("initial-exec"))) = nullptr;

}  // namespace

Undecided::Undecided(Guard question)
    : Error(cat("a data-dependent size has no number yet: ",
                Guard{question.question, question.a, question.b, true}.text(), "?")),
      asked(question) {}

Undecided::Undecided(Expr size)
    : Error(cat("the data-dependent size ", size,
                " has no number here; query it in the compiled function that created it")),
      asked{Guard::Question::equal, size, size, true} {}

DataSizes::DataSizes() : before_(innermost) {
  innermost = this;
}

DataSizes::~DataSizes() {
  unlink(innermost, this, &DataSizes::before_);
}

DataSizes* DataSizes::current() {
  return innermost;
}

// A sum that is linear in each size, with a coefficient of known sign, has its minimum at an end of
// each range.  Goes backwards because a bound may contain earlier sizes.
std::optional<Expr> DataBounds::least(Expr e) const {
  for (auto at = bounds_.rbegin(); at != bounds_.rend(); ++at) {
    const auto& [symbol, bound] = *at;
    if (!contains(e, symbol)) continue;
    const auto parts = as_linear(e, symbol);
    if (!parts) return std::nullopt;
    if (prove_less(parts->coefficient, 0) == false) {
      e = parts->rest;
    } else if (prove_less(0, parts->coefficient) == false) {
      e = parts->coefficient * bound + parts->rest;
    } else {
      return std::nullopt;
    }
  }
  return e;
}

std::optional<bool> DataBounds::decide(Guard::Question question, Expr a, Expr b) const {
  try {
    const auto never_negative = [this](Expr e) {
      const auto least_of_all = least(e);
      return least_of_all && prove_less(*least_of_all, 0) == false;
    };
    if (question == Guard::Question::less) {
      if (never_negative(b - a - 1)) return true;
      if (never_negative(a - b)) return false;
    } else if (never_negative(a - b - 1) || never_negative(b - a - 1)) {
      return false;
    } else if (never_negative(a - b) && never_negative(b - a)) {
      return true;
    }
  } catch (const Overflow&) {  // undecided
  }
  return std::nullopt;
}

bool DataBounds::answer(Guard::Question question, Expr a, Expr b) {
  if (const auto known = decide(question, a, b)) return *known;
  throw Undecided({question, a, b, false});
}

// The number, if the bounds allow only one.
int64_t DataBounds::number(Expr e) {
  const auto low = least(e), high = least(-e);
  if (low && high && low->constant() && prove_equal(*low, -*high) == true) return *low->constant();
  throw Undecided(e);
}

}  // namespace vitro::sym
