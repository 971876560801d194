#include <algorithm>

#include "sym/node.h"
#include "sym/unlink.h"
#include "vitro/base/cat.h"
#include "vitro/sym/size.h"

namespace vitro::sym {
namespace {

constinit thread_local GuardSink* innermost __attribute__((tls_model("initial-exec"))) = nullptr;

}  // namespace

bool Guard::holds(FunctionRef<int64_t(Expr)> value_of) const {
  const int64_t x = evaluate(a, value_of), y = evaluate(b, value_of);
  return (question == Question::equal ? x == y : x < y) == answer;
}

std::string Guard::text() const {
  const bool is_equal = question == Question::equal;
  return cat(a, is_equal ? (answer ? " == " : " != ") : (answer ? " < " : " >= "), b);
}

GuardSink::GuardSink() : before_(innermost) {
  innermost = this;
}

GuardSink::~GuardSink() {
  unlink(innermost, this, &GuardSink::before_);
}

GuardSink* GuardSink::current() {
  return innermost;
}

void GuardSink::add(Guard guard) {
  const bool is_equal = guard.question == Guard::Question::equal;
  // Canonical form of an equality: a constant is on the right, else the smaller expression first.
  if (is_equal && (guard.a.constant() || (!guard.b.constant() && compare(guard.a, guard.b) > 0))) {
    std::swap(guard.a, guard.b);
  }
  if (std::find(guards_.begin(), guards_.end(), guard) != guards_.end()) return;
  const auto proven = is_equal ? prove_equal(guard.a, guard.b) : prove_less(guard.a, guard.b);
  if (!proven) guards_.push_back(guard);
}

}  // namespace vitro::sym
