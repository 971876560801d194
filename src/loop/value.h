// Immutable expressions over sixteen lanes. Op bodies run on Value and produce the expression that
// they compute.
//   Pool pool;
//   Value x = pool.load(0, DType::f32, i), y = exp(x) * 2.0;      // y.node()->fn == Fn::mul
// Equal expressions of a pool are the same node. `==` between values compares elements, `same(a,
// b)` compares expressions. A literal takes the type of the other operand. Threads: a pool and its
// values belong to one thread.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_set>

#include "loop/element.h"
#include "loop/function.h"
#include "vitro/base/small_vector.h"
#include "vitro/core/dtype.h"
#include "vitro/sym/expr.h"

namespace vitro::loop {

class Pool;

struct Node {
  Fn fn = Fn::constant;
  DType dtype = DType::f32;
  SmallVector<const Node*, 3> operands;
  // constant: bits of the int64 or double; loads: number of the buffer; number, variable: which;
  // rotate: by how many lanes
  uint64_t payload = 0;
  sym::Expr index;  // load, load_where: the element; index: the value; not_negative: the operand
  Pool* pool = nullptr;
  uint64_t hash = 0;
  uint32_t id = 0;        // in order of creation
  std::string_view name;  // its name in the program; empty: none
};

class Value {
 public:
  Value() = default;
  explicit Value(const Node* node) : node_(node) {}
  const Node* node() const { return node_; }
  const Node* operator->() const { return node_; }
  bool defined() const { return node_ != nullptr; }
  DType dtype() const { return node_->dtype; }
  Pool& pool() const { return *node_->pool; }

 private:
  const Node* node_ = nullptr;
};
inline bool reads_memory(const Node& node) {
  return node.fn == Fn::load || node.fn == Fn::load_where;
}
inline bool same(Value a, Value b) {
  return a.node() == b.node();
}

class Pool {
 public:
  Pool() = default;
  Pool(const Pool&) = delete;
  Value constant(DType dtype, double value);
  Value constant(DType dtype, int64_t value);
  Value constant(DType dtype, Element element);
  Value load(int buffer, DType dtype, sym::Expr element);
  Value load_where(int buffer, DType dtype, sym::Expr element, Value condition);
  Value index(sym::Expr value);          // i64
  Value not_negative(sym::Expr value);   // bool
  Value number(int which, DType dtype);  // f64, i64 or bool
  Value variable(int which, DType dtype);
  Value make(Fn fn, DType dtype, std::initializer_list<Value> operands, uint64_t payload = 0);
  Value make(Node node);
  // Sets the name of the op or tensor that this value is, for printing; the first name stays.
  void name(Value v, std::string_view name);
  std::string_view keep(std::string_view text);

 private:
  struct ByContent {
    size_t operator()(const Node* n) const { return n->hash; }
    bool operator()(const Node* a, const Node* b) const;
  };
  std::deque<Node> nodes_;
  std::unordered_set<const Node*, ByContent, ByContent> known_;
  std::unordered_set<std::string> texts_;
};

template <class T>
concept Literal = std::is_arithmetic_v<T>;

// The literal as a value of x's type; a value is converted.
template <Literal N>
Value like(Value x, N n) {
  if constexpr (std::is_floating_point_v<N>) {
    return x.pool().constant(x.dtype(), static_cast<double>(n));
  } else {
    return x.pool().constant(x.dtype(), static_cast<int64_t>(n));
  }
}
Value like(Value x, Value a);
// Converts as PyTorch does; returns x itself if it has the type already.
Value cast(Value x, DType to);

Value operator-(Value x);
Value operator!(Value x);
Value operator~(Value x);
Value lowest(Value x);
Value highest(Value x);
Value last_index(Value x);
Value where(Value condition, Value a, Value b);
template <Literal N>
Value where(Value condition, Value a, N b) {
  return where(condition, a, like(a, b));
}
template <Literal N>
Value where(Value condition, N a, Value b) {
  return where(condition, like(b, a), b);
}
// Of i64; seed and stream are equal in all lanes.
Value philox(Value index, Value seed, Value stream);
Value rotate(Value x, int by);
Value first_lane(Value x);

// Declares name(Value, Value) and its forms with a literal on either side.
#define VITRO_LOOP_BINARY(name) \
  Value name(Value a, Value b); \
  template <Literal N>          \
  Value name(Value a, N b) {    \
    return name(a, like(a, b)); \
  }                             \
  template <Literal N>          \
  Value name(N a, Value b) {    \
    return name(like(b, a), b); \
  }
VITRO_LOOP_BINARY(operator+)
VITRO_LOOP_BINARY(operator-)
VITRO_LOOP_BINARY(operator*)
VITRO_LOOP_BINARY(operator/)
VITRO_LOOP_BINARY(operator<)
VITRO_LOOP_BINARY(operator<=)
VITRO_LOOP_BINARY(operator>)
VITRO_LOOP_BINARY(operator>=)
VITRO_LOOP_BINARY(operator==)
VITRO_LOOP_BINARY(operator!=)
VITRO_LOOP_BINARY(operator&&)
VITRO_LOOP_BINARY(operator||)
VITRO_LOOP_BINARY(operator&)
VITRO_LOOP_BINARY(operator|)
VITRO_LOOP_BINARY(operator^)
VITRO_LOOP_BINARY(operator<<)
VITRO_LOOP_BINARY(operator>>)

#define VITRO_LOOP_DECLARE_1(name) Value name(Value x);
#define VITRO_LOOP_DECLARE_2(name) VITRO_LOOP_BINARY(name)
#define VITRO_LOOP_DECLARE_3(name) Value name(Value a, Value b, Value c);
#define VITRO_LOOP_DECLARE(name, operands, ...) VITRO_LOOP_DECLARE_##operands(name)
VITRO_SCALAR_FUNCTIONS(VITRO_LOOP_DECLARE)
#undef VITRO_LOOP_DECLARE
#undef VITRO_LOOP_DECLARE_1
#undef VITRO_LOOP_DECLARE_2
#undef VITRO_LOOP_DECLARE_3
#undef VITRO_LOOP_BINARY

// "exp(x[i0*768 + i1]) * 2.0"; `buffer_name` names buffers.
void append_to(std::string& out, Value v);

}  // namespace vitro::loop
