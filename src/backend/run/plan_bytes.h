// Plans as bytes, to keep them on disk; and what else is kept with them, field by field.
//   PlanWriter out;
//   out.add(plan);   out.add(guards.size());
//   if (!out.why().empty()) ...                 // something that bytes cannot hold
//   PlanReader in(out.take(), ops_named);
//   in.get(plan);                               // throws PlanReader::Broken on damaged bytes
// Fields are listed once for both directions, in `each_field` of a struct. Texts and expressions
// are in a table, each once; an expression refers to its symbols by name and range. Threads: one at
// a time.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "backend/run/plan.h"
#include "vitro/base/hash.h"
#include "vitro/graph/build_report.h"
#include "vitro/sym/size.h"

namespace vitro::backend {

template <class A, class T>
concept FieldsOf = std::same_as<std::remove_const_t<A>, T>;

class PlanWriter {
 public:
  void add(std::integral auto number) { put(static_cast<uint64_t>(number)); }
  void add(DType dtype) { put(static_cast<uint64_t>(dtype)); }
  void add(std::string_view text) { put(number_of(text)); }
  void add(const std::string& text) { add(std::string_view(text)); }
  void add(const Hash& hash) { put(hash.high), put(hash.low); }
  void add(events::NameId name) { add(events::text(name)); }
  template <class Tag>
  void add(Id<Tag> id) {
    put(id.n);
  }
  void add(Expr e);
  void add(const Scalar& scalar);
  void add(const OpDef* op) { add(op->name); }
  template <class T>
  void add(const std::optional<T>& value) {
    put(value.has_value());
    if (value) add(*value);
  }
  template <class T>
  void add(const std::vector<T>& list) {
    put(list.size());
    for (const T& one : list) add(one);
  }
  template <class S>
    requires requires(PlanWriter& out, const S& s) { each_field(out, s); }
  void add(const S& s) {
    each_field(*this, s);
  }
  // An enum with this number of values.
  template <class E>
  void choice(E value, size_t /*count*/) {
    put(static_cast<uint64_t>(value));
  }
  void add_attrs(const Attrs& attrs);

  // What cannot be written, if there is something.
  const std::string& why() const { return why_; }
  void refuse(std::string why) { why_ = std::move(why); }
  std::string take();

  template <class... Fields>
  void operator()(const Fields&... fields) {
    (add(fields), ...);
  }

 private:
  void put(uint64_t number);
  uint64_t number_of(std::string_view text);

  std::string body_, why_;
  std::vector<std::string_view> texts_;
  std::map<std::string, uint64_t, std::less<>> numbers_;
  std::vector<Expr> symbols_;
};

class PlanReader {
 public:
  // Damaged bytes, or a plan that cannot be used here.
  struct Broken : std::runtime_error {
    using std::runtime_error::runtime_error;
  };
  using OpNamed = std::function<const OpDef*(std::string_view)>;  // null: there is none

  // The bytes must outlive the reader.
  PlanReader(std::string_view bytes, OpNamed op_named);

  template <std::integral T>
  void get(T& number) {
    const uint64_t read = take();
    number = static_cast<T>(read);
    if (static_cast<uint64_t>(number) != read) fail("a number");
  }
  void get(DType& dtype) { choice(dtype, static_cast<size_t>(DType::c128) + 1); }
  void get(std::string& text) { text = this->text(); }
  void get(Hash& hash) { hash.high = take(), hash.low = take(); }
  void get(events::NameId& name) { name = events::intern(text()); }
  template <class Tag>
  void get(Id<Tag>& id) {
    get(id.n);
  }
  void get(Expr& e);
  void get(Scalar& scalar);
  void get(const OpDef*& op);
  template <class T>
  void get(std::optional<T>& value) {
    bool is_there = false;
    get(is_there);
    if (is_there) get(value.emplace());
  }
  template <class T>
  void get(std::vector<T>& list) {
    list.clear();
    const size_t size = count();
    list.reserve(size);
    for (size_t i = 0; i < size; ++i) get(list.emplace_back());
  }
  template <class S>
    requires requires(PlanReader& in, S& s) { each_field(in, s); }
  void get(S& s) {
    each_field(*this, s);
  }
  template <class E>
  void choice(E& value, size_t count) {
    const uint64_t read = take();
    if (read >= count) fail("a choice");
    value = static_cast<E>(read);
  }
  // Of the type.
  Attrs attrs(const AttrsType* type);
  std::string_view text();
  // A number of elements, of which each takes a byte at least.
  size_t count();
  bool at_end() const { return rest_.empty(); }

  template <class... Fields>
  void operator()(Fields&... fields) {
    (get(fields), ...);
  }
  [[noreturn]] static void fail(std::string_view what);

 private:
  uint64_t take();
  Expr symbol_named(std::string_view name) const;

  std::string_view rest_;
  OpNamed op_named_;
  std::vector<std::string_view> texts_;
  std::vector<Expr> exprs_;  // by text, if it was read as an expression
  std::map<std::string_view, Expr> symbols_;
};

// Without the stages, the times of passes, and the memory, which depends on the device.
void each_field(PlanWriter& out, const BuildReport& report);
void each_field(PlanReader& in, BuildReport& report);

void each_field(PlanWriter& out, const sym::Guard& guard);
void each_field(PlanReader& in, sym::Guard& guard);

// Refuses plans with interpreted kernels.
void each_field(PlanWriter& out, const ExecutablePlan& plan);
// `modules`: how many there are.  Everything that a number refers to is there.
ExecutablePlan read_plan(PlanReader& in, size_t modules);

}  // namespace vitro::backend
