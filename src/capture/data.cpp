// Sizes that data decide: a symbol from the op that makes them on, with a value once what was put
// off has run.  Until then the largest number that it can be stands in for it; where that does not
// do, since somebody asks for the number itself, the segment ends.
#include <algorithm>

#include "capture/call.h"
#include "capture/codes.h"
#include "vitro/base/error.h"
#include "vitro/ops/compaction.h"

namespace vitro::capture {
namespace {

std::string text_of(sym::Guard::Question question, sym::Expr a, sym::Expr b) {
  return sym::Guard{question, a, b, true}.text();
}

}  // namespace

bool Call::DataAnswers::answer(sym::Guard::Question question, sym::Expr a, sym::Expr b) {
  {
    sym::DataBounds bounds;
    call_.add_bounds(bounds);
    if (const auto known = bounds.decide(question, a, b)) return *known;
  }
  const std::string text = text_of(question, a, b);
  const std::string_view who = call_.asking();
  const int64_t x = call_.number_of(a, who, text);
  const int64_t y = call_.number_of(b, who, text);
  return question == sym::Guard::Question::equal ? x == y : x < y;
}

int64_t Call::DataAnswers::number(sym::Expr e) {
  return call_.number_of(e, call_.asking(), cat("the number ", e));
}

void Call::hand_out_data(const TraceNode& node) {
  m_.data.push_back(&node);
  if (!data_) data_.emplace(*this);
}

// A new symbol in the place of the bound, which is what the shape rule gives.
void Call::name_data(TraceNode& node, TensorMeta& result) {
  const Size most = result.sizes[0];
  node.data_bound = most.expr();
  node.data_size = sym::Expr::data(tree_->last_symbol().fetch_add(1));
  ops::set_count(result, {most.hint(), node.data_size});
}

void Call::add_bounds(sym::DataBounds& to) const {
  for (const TraceNode* node : m_.data) to.add(node->data_size, node->data_bound);
}

bool Call::has_value(const TraceNode& node) const {
  return node.data_size.defined() && m_.symbols.find(node.data_size);
}

void Call::bind_data(const TraceNode& node, const Tensor& result) {
  const bool is_first = m_.symbols.bind(node.data_size, result.impl()->sizes[0]);
  VITRO_ASSERT(is_first, node.data_size, " has another value in this call");
  data_is_known_ = true;
}

// What data decide counts as the most that it can be until it is known.
std::optional<int64_t> Call::value_of(sym::Expr expr) const {
  if (const auto known = m_.symbols.find_value(expr); known || m_.data.empty()) return known;
  bool all = true;
  const auto value = [&](sym::Expr symbol) -> int64_t {
    if (const int64_t* found = m_.symbols.find(symbol)) return *found;
    const auto of = std::ranges::find(m_.data, symbol, &TraceNode::data_size);
    const auto most = of == m_.data.end() ? std::nullopt : value_of((*of)->data_bound);
    all = all && most;
    return most.value_or(1);
  };
  const int64_t number = sym::evaluate(expr, value);
  return all ? std::optional(number) : std::nullopt;
}

// `who` asks `question`, which takes the number.
int64_t Call::number_of(sym::Expr e, std::string_view who, const std::string& question) {
  if (const auto known = m_.symbols.find_value(e)) return *known;
  const auto asked = std::ranges::find_if(m_.data, [&](const TraceNode* node) {
    return sym::contains(e, node->data_size) && !m_.symbols.find(node->data_size);
  });
  if (asked != m_.data.end() && cursor_) {
    const TraceNode& node = **asked;
    break_here(size_break,
               cat(node.data_size, ", a size of ", node.op->name, " (", place_text(node.place),
                   "): ", who, " asks ", question),
               cursor_->where);
  }
  const auto number = m_.symbols.find_value(e);
  VITRO_CHECK(number, "a size that data decide (", e,
              ") was never known: the op that makes it failed, or belongs to another call");
  return *number;
}

// What fits the call, or is recorded for it.  `*again`: a shape rule has asked for the number of a
// size, so that the segment has ended, and the call is to be made anew.
TraceNode* Call::next_node(const OpCall& call, bool* again) {
  try {
    return find_or_record(cursor_->next, call);
  } catch (const sym::Undecided& undecided) {
    const bool waits =
        cursor_ && cursor_->op && std::ranges::any_of(m_.data, [&](const TraceNode* s) {
          return !m_.symbols.find(s->data_size);
        });
    if (!waits) throw;
    const sym::Guard& asked = undecided.asked;
    (void)number_of(sym::is_data(asked.a) ? asked.a : asked.b, call.op->name,
                    text_of(asked.question, asked.a, asked.b));
    *again = true;
    return nullptr;
  }
}

// Whether an operand is a deferred tensor with a size that data decide.
bool Call::takes_data(const OpCall& call) const {
  if (m_.data.empty()) return false;
  const auto by_data = [](Size s) { return s.is_symbolic() && sym::is_data(s.expr()); };
  return std::ranges::any_of(call.operands, [&](const Operand& o) {
    const TensorImpl* impl = o.is_tensor() ? o.tensor().impl() : nullptr;
    return impl && impl->call == number_ && std::ranges::any_of(impl->deferred->sizes, by_data);
  });
}

bool Call::names_known_data(const OpCall& call) const {
  const auto is_one = [this](Size s) { return !identical(s, without_known_data(s)); };
  return std::ranges::any_of(sizes_in(call.attrs), is_one) ||
         std::ranges::any_of(call.operands, [&](const Operand& o) {
           return o.is_number() && o.number().is_symbolic() && is_one(o.number().size());
         });
}

// With numbers in the place of sizes that data have decided.
Size Call::without_known_data(Size size) const {
  if (!size.is_symbolic() || !sym::is_data(size.expr())) return size;
  sym::Expr e = size.expr();
  for (const sym::Expr symbol : sym::symbols_of(e)) {
    const int64_t* value = sym::is_data(symbol) ? m_.symbols.find(symbol) : nullptr;
    if (value) e = sym::substitute(e, symbol, *value);
  }
  return {e.constant() ? *e.constant() : value_of(e).value_or(size.hint()), e};
}

void Call::call_with_numbers(const OpCall& call, std::span<Tensor> results) {
  const SizeMap known = [this](Size s) { return without_known_data(s); };
  std::vector<Operand> operands(call.operands.begin(), call.operands.end());
  for (Operand& o : operands) {
    if (o.is_number() && o.number().is_symbolic()) o = Operand(known(o.number().size()));
  }
  const Attrs attrs = call.attrs ? Attrs(call.attrs).map_sizes(known) : Attrs();
  this->call(OpCall{call.op, operands, attrs.view(), call.in_place, call.where}, results);
}

}  // namespace vitro::capture
