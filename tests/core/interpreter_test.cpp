// The stack of interpreters: calls, deferred tensors and symbols on it, and the scopes that change
// it.
#include "vitro/core/interpreter.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "error_of.h"
#include "vitro/base/error.h"

namespace vitro {
namespace {

using Log = std::vector<std::string>;

void fail_inside(std::span<const Operand>, AttrsView, std::span<Tensor>) {
  throw Error(Error("softmax: no"), "composite.cpp:7");
}
constexpr CompositeInfo failing{&fail_inside};

// The bottom of all stacks in these tests.
class Eager : public Interpreter {
 public:
  explicit Eager(Log* log) : log_(log) { set_eager(Device::Kind::cpu, this); }
  ~Eager() override { set_eager(Device::Kind::cpu, nullptr); }
  void call(const OpCall& call, std::span<Tensor> results) override {
    log_->push_back("eager");
    if (call.op->composite) call.op->composite->expand(call.operands, call.attrs, results);
  }

 private:
  Log* log_;
};

class PassThrough : public Interpreter {};

// Owns deferred tensors and symbols. Logs the calls that it receives, and whether it is the top of
// the stack at that time.
class Owner : public Interpreter {
 public:
  Owner(const std::string& name, uint64_t number, Log* log)
      : symbol(sym::Expr::symbol("of_" + name, {0, sym::unbounded})),
        name_(name),
        number_(number),
        log_(log) {}
  void call(const OpCall& call, std::span<Tensor> results) override {
    note("call");
    call_below(call, results);
  }
  void materialize(TensorImpl& impl, Need, std::source_location) override {
    note("materialize");
    impl.call = 0;
  }
  void before_access(const TensorImpl&, Need, std::source_location) override {
    note("before_access");
  }
  const TensorMeta* meta_of(const TensorImpl& impl) const override {
    return &impl == known ? &meta : nullptr;
  }
  std::optional<Size> offset_of(const TensorImpl& impl) const override {
    return &impl == known ? std::optional(Size(7)) : std::nullopt;
  }
  std::optional<int64_t> value_of(sym::Expr expr) const override {
    return expr == symbol ? std::optional<int64_t>(number_) : std::nullopt;
  }
  uint64_t call_number() const override { return number_; }

  const TensorImpl* known = nullptr;
  TensorMeta meta;
  sym::Expr symbol;

 private:
  void note(const char* what) {
    const bool is_top = thread_state.top && thread_state.top->interpreter == this;
    log_->push_back(name_ + ' ' + what + (is_top ? "" : " from above"));
  }
  std::string name_;
  uint64_t number_;
  Log* log_;
};

struct Stack {
  Log log;
  Eager eager{&log};
  Owner low{"low", 5, &log}, high{"high", 6, &log};
  PassThrough pass;
  Using first{&pass}, second{&low}, third{&pass}, fourth{&high}, fifth{&pass};
};

void call_op(OpKind kind = OpKind::pointwise) {
  OpDef op{};
  op.name = "op";
  op.kind = kind;
  op.composite = kind == OpKind::composite ? &failing : nullptr;
  Tensor result;
  call(OpCall{&op, {}, {}, false, std::source_location::current()}, {&result, 1});
}

TEST(Interpreter, hands_calls_down_to_eager) {
  Stack s;
  call_op();
  EXPECT_EQ(s.log, (Log{"high call", "low call", "eager"}));
  EXPECT_EQ(thread_state.top->interpreter, &s.pass);
}

TEST(Interpreter, materializes_its_own_deferred_tensors_and_no_others) {
  Stack s;
  TensorImpl low, high, nobodys;
  low.call = 5;
  high.call = 6;
  nobodys.call = 99;
  materialize(low, Need::item, {});
  materialize(high, Need::item, {});
  EXPECT_EQ(s.log, (Log{"low materialize", "high materialize"}));
  EXPECT_EQ(low.call + high.call, 0U);
  EXPECT_NE(error_of([&] { materialize(nobodys, Need::item, {}); }).find("another thread"),
            std::string::npos);
}

TEST(Interpreter, hears_of_looks_at_memory_with_all_of_its_stack) {
  Stack s;
  before_access({}, Need::pointer, {});
  EXPECT_EQ(s.log, (Log{"high before_access", "low before_access"}));
}

TEST(Interpreter, answers_for_the_tensors_and_symbols_that_are_its_own) {
  Stack s;
  TensorImpl known, unknown;
  unknown.offset = 3;
  EXPECT_EQ(meta_of(known), nullptr);
  s.low.known = &known;
  EXPECT_EQ(meta_of(known), &s.low.meta);
  EXPECT_EQ(offset_of(known).hint(), 7);
  EXPECT_EQ(offset_of(unknown).hint(), 3);
  s.high.known = &known;
  EXPECT_EQ(meta_of(known), &s.high.meta);  // of the topmost interpreter that knows it
  EXPECT_EQ(value_of(s.low.symbol), 5);
  EXPECT_EQ(value_of(s.high.symbol), 6);
  EXPECT_THROW((void)value_of(sym::Expr::symbol("of_nobody", {0, sym::unbounded})), Bug);
}

TEST(Interpreter, is_left_out_where_those_below_it_or_eager_are_asked_for) {
  Stack s;
  {
    const Below below_the_pass;
    const Below below_high;
    call_op();
  }
  EXPECT_EQ(s.log, (Log{"low call", "eager"}));
  s.log.clear();
  {
    const UsingStack eager(nullptr);
    call_op();
    const Below nothing_is_below_eager;
    call_op();
  }
  EXPECT_EQ(s.log, (Log{"eager", "eager"}));
}

TEST(Interpreter, that_ends_late_changes_nothing_that_is_not_its_own) {
  Stack s;
  const InterpreterFrame* const top = thread_state.top;
  std::optional<Using> late;
  {
    const UsingStack scope(top);
    const Using gone(&s.low);
    late.emplace(&s.high);
  }
  EXPECT_EQ(thread_state.top, top);  // not `late`, although it has not ended yet
  late.reset();
  EXPECT_EQ(thread_state.top, top);
  call_op();
  EXPECT_EQ(s.log, (Log{"high call", "low call", "eager"}));
  std::optional<Using> under(&s.pass), above(&s.pass);
  under.reset();
  EXPECT_EQ(thread_state.top, top);
  above.reset();
  EXPECT_EQ(thread_state.top, top);
}

// Calls inside of a composite have source locations in its own file.
TEST(Interpreter, leaves_the_place_of_a_mistake_to_the_program) {
  Stack s;
  const auto place_of = [] {
    try {
      call_op(OpKind::composite);
    } catch (const Error& e) {
      return std::string(e.location());
    }
    return std::string("no error");
  };
  const std::string under_all = place_of();
  const UsingStack eager(nullptr);
  EXPECT_EQ(under_all, place_of());
  EXPECT_EQ(under_all.find("interpreter_test.cpp:"), 0U) << under_all;
}

}  // namespace
}  // namespace vitro
