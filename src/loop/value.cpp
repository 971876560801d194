// Makes nodes, each distinct content once per pool, and folds simple cases: constants and known
// conditions.
#include "loop/value.h"

#include <bit>
#include <limits>

#include "vitro/base/error.h"

namespace vitro::loop {
namespace {

uint64_t mix(uint64_t h, uint64_t v) {
  h ^= v + 0x9e3779b97f4a7c15 + (h << 6) + (h >> 2);
  return h * 0xff51afd7ed558ccd;
}

uint64_t hash_of_node(const Node& n) {
  uint64_t h = mix(static_cast<uint64_t>(n.fn), static_cast<uint64_t>(n.dtype));
  h = mix(h, n.payload);
  for (const Node* operand : n.operands) h = mix(h, operand->id);
  return mix(h, std::hash<const void*>()(n.index.node()));
}

Value unary(Fn fn, Value x) {
  return x.pool().make(fn, x.dtype(), {x});
}

// Converts both operands to one type: mixed types are an error of the caller, except for bool with
// a number.
Value binary(Fn fn, Value a, Value b) {
  VITRO_ASSERT(a.dtype() == b.dtype(), info(fn).name, " of ", a.dtype(), " and ", b.dtype());
  return a.pool().make(fn, a.dtype(), {a, b});
}

Value compare(Fn fn, Value a, Value b) {
  VITRO_ASSERT(a.dtype() == b.dtype(), info(fn).name, " of ", a.dtype(), " and ", b.dtype());
  return a.pool().make(fn, DType::boolean, {a, b});
}

bool is_integral(Value x) {
  return !is_floating(x.dtype());
}

}  // namespace

const FnInfo& info(Fn fn) {
  static constexpr FnInfo table[] = {
#define VITRO_LEAF(name, cost) {#name, 0, cost},
#define VITRO_OPERATOR(name, operands, cost) {#name, operands, cost},
#define VITRO_FUNCTION(name, operands, on_integers, cost, ...) {#name, operands, cost},
      VITRO_LOOP_LEAVES(VITRO_LEAF) VITRO_LOOP_OPERATORS(VITRO_OPERATOR)
          VITRO_SCALAR_FUNCTIONS(VITRO_FUNCTION)
#undef VITRO_LEAF
#undef VITRO_OPERATOR
#undef VITRO_FUNCTION
  };
  return table[static_cast<size_t>(fn)];
}

std::string_view sign_of(Fn fn) {
  switch (fn) {
    case Fn::add:
      return " + ";
    case Fn::sub:
      return " - ";
    case Fn::mul:
      return " * ";
    case Fn::div:
      return " / ";
    case Fn::lt:
      return " < ";
    case Fn::le:
      return " <= ";
    case Fn::eq:
      return " == ";
    case Fn::ne:
      return " != ";
    case Fn::and_:
      return " & ";
    case Fn::or_:
      return " | ";
    case Fn::xor_:
      return " ^ ";
    case Fn::shift_left:
      return " << ";
    case Fn::shift_right:
      return " >> ";
    default:
      return {};  // written as a call
  }
}

bool Pool::ByContent::operator()(const Node* a, const Node* b) const {
  return a->fn == b->fn && a->dtype == b->dtype && a->payload == b->payload &&
         a->index == b->index && a->operands == b->operands;
}

Value Pool::make(Node node) {
  node.hash = hash_of_node(node);
  const auto at = known_.find(&node);
  if (at != known_.end()) return Value(*at);
  node.pool = this;
  node.id = static_cast<uint32_t>(nodes_.size());
  nodes_.push_back(std::move(node));
  known_.insert(&nodes_.back());
  return Value(&nodes_.back());
}

Value Pool::make(Fn fn, DType dtype, std::initializer_list<Value> operands, uint64_t payload) {
  Node n;
  n.fn = fn;
  n.dtype = dtype;
  n.payload = payload;
  for (const Value v : operands) n.operands.push_back(v.node());
  return make(std::move(n));
}

Value Pool::constant(DType dtype, Element element) {
  Node n;
  n.dtype = dtype;
  n.payload = std::bit_cast<uint64_t>(element);
  return make(std::move(n));
}

Value Pool::constant(DType dtype, double value) {
  return constant(dtype, element_of(dtype, value));
}

Value Pool::constant(DType dtype, int64_t value) {
  return constant(dtype, element_of(dtype, value));
}

Value Pool::load(int buffer, DType dtype, sym::Expr element) {
  Node n;
  n.fn = Fn::load;
  n.dtype = dtype;
  n.payload = static_cast<uint64_t>(buffer);
  n.index = element;
  return make(std::move(n));
}

Value Pool::load_where(int buffer, DType dtype, sym::Expr element, Value condition) {
  if (condition->fn == Fn::constant)
    return condition->payload ? load(buffer, dtype, element) : constant(dtype, int64_t{0});
  Node n;
  n.fn = Fn::load_where;
  n.dtype = dtype;
  n.operands.push_back(condition.node());
  n.payload = static_cast<uint64_t>(buffer);
  n.index = element;
  return make(std::move(n));
}

Value Pool::not_negative(sym::Expr value) {
  if (const auto negative = sym::prove_less(value, 0))
    return constant(DType::boolean, int64_t{!*negative});
  Node n;
  n.fn = Fn::not_negative;
  n.dtype = DType::boolean;
  n.index = value;
  return make(std::move(n));
}

Value Pool::index(sym::Expr value) {
  if (const auto c = value.constant()) return constant(DType::i64, *c);
  Node n;
  n.fn = Fn::index;
  n.dtype = DType::i64;
  n.index = value;
  return make(std::move(n));
}

Value Pool::number(int which, DType dtype) {
  return make(Fn::number, dtype, {}, static_cast<uint64_t>(which));
}

Value Pool::variable(int which, DType dtype) {
  return make(Fn::variable, dtype, {}, static_cast<uint64_t>(which));
}

std::string_view Pool::keep(std::string_view text) {
  return *texts_.emplace(text).first;
}

void Pool::name(Value v, std::string_view name) {
  auto* node = const_cast<Node*>(v.node());  // NOLINT: the pool owns it
  if (node->name.empty()) node->name = keep(name);
}

Value cast(Value x, DType to) {
  if (x.dtype() == to) return x;
  if (x->fn == Fn::constant && is_floating(to) == is_floating(x.dtype()) && !is_bool(x.dtype())) {
    if (is_floating(to)) return x.pool().constant(to, std::bit_cast<double>(x->payload));
    return x.pool().constant(to, static_cast<int64_t>(x->payload));
  }
  return x.pool().make(Fn::cast, to, {x});
}

Value like(Value x, Value a) {
  return cast(a, x.dtype());
}

Value operator-(Value x) {
  return unary(Fn::neg, x);
}
Value operator!(Value x) {
  return x.pool().make(Fn::not_, DType::boolean, {cast(x, DType::boolean)});
}
Value operator~(Value x) {
  return unary(Fn::not_, x);
}

Value lowest(Value x) {
  if (!is_integral(x)) return like(x, -std::numeric_limits<double>::infinity());
  if (is_bool(x.dtype()) || x.dtype() == DType::u8) return like(x, 0);
  return like(x, std::numeric_limits<int64_t>::min() >> (64 - 8 * bytes_of(x.dtype())));
}
Value highest(Value x) {
  if (!is_integral(x)) return like(x, std::numeric_limits<double>::infinity());
  if (is_bool(x.dtype())) return like(x, 1);
  if (x.dtype() == DType::u8) return like(x, 255);
  return like(x, std::numeric_limits<int64_t>::max() >> (64 - 8 * bytes_of(x.dtype())));
}
Value last_index(Value x) {
  return x.pool().constant(DType::i64, std::numeric_limits<int64_t>::max());
}

namespace {

Value function(Fn fn, OnIntegers on_integers, Value x) {
  if (on_integers == OnIntegers::truth) {
    if (is_integral(x)) return x.pool().constant(DType::boolean, 0.0);
    return x.pool().make(fn, DType::boolean, {x});
  }
  const bool has_no_sign = is_bool(x.dtype()) || x.dtype() == DType::u8;
  if ((on_integers == OnIntegers::same && is_integral(x)) || (fn == Fn::abs && has_no_sign))
    return x;
  return unary(fn, x);
}

Value function(Fn fn, OnIntegers, Value a, Value b) {
  if (fn == Fn::minimum && is_bool(a.dtype())) fn = Fn::and_;
  if (fn == Fn::maximum && is_bool(a.dtype())) fn = Fn::or_;
  return binary(fn, a, b);
}

Value function(Fn fn, OnIntegers, Value a, Value b, Value c) {
  return a.pool().make(fn, a.dtype(), {a, b, c});
}

}  // namespace

#define VITRO_DEFINE_1(name, on_integers)                  \
  Value name(Value x) {                                    \
    return function(Fn::name, OnIntegers::on_integers, x); \
  }
#define VITRO_DEFINE_2(name, on_integers)                     \
  Value name(Value a, Value b) {                              \
    return function(Fn::name, OnIntegers::on_integers, a, b); \
  }
#define VITRO_DEFINE_3(name, on_integers)                        \
  Value name(Value a, Value b, Value c) {                        \
    return function(Fn::name, OnIntegers::on_integers, a, b, c); \
  }
#define VITRO_DEFINE(name, operands, on_integers, ...) VITRO_DEFINE_##operands(name, on_integers)
VITRO_SCALAR_FUNCTIONS(VITRO_DEFINE)
#undef VITRO_DEFINE
#undef VITRO_DEFINE_1
#undef VITRO_DEFINE_2
#undef VITRO_DEFINE_3

Value where(Value condition, Value a, Value b) {
  VITRO_ASSERT(a.dtype() == b.dtype(), "where of ", a.dtype(), " and ", b.dtype());
  if (same(a, b)) return a;
  if (condition->fn == Fn::constant) return condition->payload ? a : b;
  if (a->fn == Fn::select && a->operands[0] == condition.node()) a = Value(a->operands[1]);
  const bool is_zero = b->fn == Fn::constant && b->payload == 0;
  if (is_zero && a->fn == Fn::load_where && a->operands[0] == condition.node()) return a;
  return a.pool().make(Fn::select, a.dtype(), {condition, a, b});
}
Value philox(Value index, Value seed, Value stream) {
  return index.pool().make(Fn::philox, DType::i64, {index, seed, stream});
}
Value rotate(Value x, int by) {
  return x.pool().make(Fn::rotate, x.dtype(), {x}, static_cast<uint64_t>(by));
}
Value first_lane(Value x) {
  return x.pool().make(Fn::first_lane, x.dtype(), {x});
}

Value operator+(Value a, Value b) {
  return binary(is_bool(a.dtype()) ? Fn::or_ : Fn::add, a, b);
}
Value operator*(Value a, Value b) {
  return binary(is_bool(a.dtype()) ? Fn::and_ : Fn::mul, a, b);
}
Value operator>(Value a, Value b) {
  return compare(Fn::lt, b, a);
}
Value operator>=(Value a, Value b) {
  return compare(Fn::le, b, a);
}
namespace {

// `fn` of two truth values, one of which may be known; the value `decides` alone determines the
// result.
Value connect(Fn fn, bool decides, Value a, Value b) {
  a = cast(a, DType::boolean);
  b = cast(b, DType::boolean);
  for (const auto& [known, other] : {std::pair(a, b), std::pair(b, a)}) {
    if (known->fn == Fn::constant) return (known->payload != 0) == decides ? known : other;
  }
  return binary(fn, a, b);
}

}  // namespace

Value operator&&(Value a, Value b) {
  return connect(Fn::and_, false, a, b);
}
Value operator||(Value a, Value b) {
  return connect(Fn::or_, true, a, b);
}

#define VITRO_SIMPLE(name, make, fn) \
  Value name(Value a, Value b) {     \
    return make(Fn::fn, a, b);       \
  }
VITRO_SIMPLE(operator-, binary, sub)
VITRO_SIMPLE(operator/, binary, div)
VITRO_SIMPLE(operator<, compare, lt)
VITRO_SIMPLE(operator<=, compare, le)
VITRO_SIMPLE(operator==, compare, eq)
VITRO_SIMPLE(operator!=, compare, ne)
VITRO_SIMPLE(operator&, binary, and_)
VITRO_SIMPLE(operator|, binary, or_)
VITRO_SIMPLE(operator^, binary, xor_)
VITRO_SIMPLE(operator<<, binary, shift_left)
VITRO_SIMPLE(operator>>, binary, shift_right)
#undef VITRO_SIMPLE

}  // namespace vitro::loop
