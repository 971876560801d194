#include "capture/plan.h"

#include "capture/aliases.h"
#include "capture/bind_results.h"
#include "capture/codes.h"
#include "capture/functionalize.h"
#include "capture/keep_less.h"
#include "capture/prune.h"
#include "capture/recorded_path.h"
#include "vitro/core/interpreter.h"

namespace vitro::capture {
namespace {

// Shape rules ask the thread's interpreters for the values of symbols.  While a plan is made, this
// one answers with given values, regardless of the rest of the stack.
class GivenValues final : public Interpreter {
 public:
  explicit GivenValues(const ValueOf& value_of)
      : value_of_(value_of), stack_(nullptr), use_(this) {}
  std::optional<int64_t> value_of(sym::Expr expr) const override { return value_of_(expr); }

 private:
  const ValueOf& value_of_;
  UsingStack stack_;
  Using use_;
};

// Clears a refused plan, except for its coverings: the calls to which the refusal applies.
Verdict refuse(Plan* plan, const Code& code, const std::string& why) {
  std::vector<Covering> coverings = std::move(plan->coverings);
  *plan = {};
  plan->coverings = std::move(coverings);
  return Verdict::no(code, why);
}

}  // namespace

bool Covering::holds(const Symbols& symbols) const {
  return may_cover_itself(symbols.values(window->sizes), symbols.values(window->strides)) == answer;
}

Verdict make_plan(const TraceNode& last, const std::vector<uint64_t>& live,
                  const std::vector<uint64_t>& saved, double memory_budget, const ValueOf& value_of,
                  Plan* plan) {
  const sym::GuardSink answers_follow_from_the_path;
  const GivenValues answers(value_of);
  try {
    const RecordedPath path(last, value_of);
    sym::DataBounds bounds;  // answer questions about data sizes
    for (const TraceNode* node : path.nodes) {
      if (node->data_size.defined()) bounds.add(node->data_size, path.known(node->data_bound));
    }
    Functional program = functionalize(path, value_of, &plan->coverings);
    std::vector<graph::Output> outputs = bind_results(path, program, live, plan);
    if (!saved.empty()) keep_less(path, saved, memory_budget, value_of, program, outputs, plan);
    prune(program, outputs, value_of, plan);
  } catch (const Refused& refused) {
    return refuse(plan, *refused.code, refused.why);
  } catch (const std::exception& e) {
    return refuse(plan, write_not_a_value, e.what());
  }
  return Verdict::yes();
}

}  // namespace vitro::capture
