// For every kind of wrong argument the error names the function that the program called and its
// location, and is the same in a compiled function.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "eager/call.h"
#include "vitro/base/error.h"
#include "vitro/compile/compile.h"
#include "vitro/init.h"
#include "vitro/ops/all.h"

namespace vitro::test {
namespace {

struct Case {
  const ops::Overload* overload;
  std::vector<NamedArg> arguments;
  std::string what;  // description, for messages
};

// ---- arguments that do not fit ----

Tensor filled(const Tensor& like, int64_t number) {
  return full(like.sizes(), number, like.dtype());
}

std::vector<ArgValue> other_tensors(const Tensor& x) {
  if (!x.defined()) return {};
  std::vector<ArgValue> out{zeros(x.sizes(), is_bool(x.dtype()) ? DType::f32 : DType::boolean),
                            zeros(x.sizes(), is_floating(x.dtype()) ? DType::i64 : DType::f64),
                            zeros({2, 1, 3, 1, 2, 1, 1}, x.dtype()),
                            zeros({}, x.dtype()),
                            zeros({0}, x.dtype()),
                            ArgValue()};
  if (is_integer(x.dtype())) {
    out.emplace_back(filled(x, 100));
    out.emplace_back(filled(x, -100));
    out.emplace_back(filled(x, 0));
  }
  return out;
}

std::vector<ArgValue> other_lists(const std::vector<Scalar>& list) {
  std::vector<Scalar> longer = list, below(list.size(), Scalar(-7)), none(list.size(), Scalar(0)),
                      above(list.size(), Scalar(40));
  longer.insert(longer.end(), 7, Scalar(1));
  return {std::vector<Scalar>(), longer, below, none, above, std::vector<Scalar>{0.5}};
}

std::vector<ArgValue> others_for(const ArgValue& value) {
  if (const auto* tensor = std::get_if<Tensor>(&value)) return other_tensors(*tensor);
  if (const auto* list = std::get_if<std::vector<Scalar>>(&value)) return other_lists(*list);
  if (std::holds_alternative<Scalar>(value))
    return {Scalar(100), Scalar(-100), Scalar(0), Scalar(0.5), Scalar(true), std::string("word")};
  if (std::holds_alternative<std::string>(value)) return {std::string("word"), Scalar(1)};
  if (const auto* tensors = std::get_if<std::vector<Tensor>>(&value)) {
    std::vector<ArgValue> out{std::vector<Tensor>()};
    for (const ArgValue& other : tensors->empty() ? out : other_tensors(tensors->back())) {
      const auto* tensor = std::get_if<Tensor>(&other);
      std::vector<Tensor> list = *tensors;
      list.back() = tensor ? *tensor : Tensor();
      out.emplace_back(std::move(list));
    }
    return out;
  }
  return {};
}

// Calls of functions that have no samples, because their results are random, not unique, or no
// tensors.
std::vector<Case> calls_without_samples() {
  const Tensor matrix = full({3, 3}, 1.0);
  std::vector<Case> out;
  for (const auto& [name, operand] : {std::pair("gumbel_softmax", "logits"),
                                      {"linalg_svd", "A"},
                                      {"svd", "self"},
                                      {"linalg_eigh", "self"}})
    out.push_back({ops::overload(name), {{operand, matrix}}, ""});
  for (const std::string_view name :
       {"sym_numel", "sym_storage_offset", "_local_scalar_dense", "item", "is_nonzero"})
    out.push_back({ops::overload(name), {{"self", matrix}}, ""});
  for (const std::string_view name : {"sym_size.int", "sym_stride.int"})
    out.push_back({ops::overload(name), {{"self", matrix}, {"dim", Scalar(1)}}, ""});
  out.push_back({ops::overload("_assert_tensor_metadata"), {{"a", matrix}}, ""});
  out.push_back({ops::overload("_assert_scalar"),
                 {{"self", Scalar(1)}, {"assert_msg", std::string("a reason")}},
                 ""});
  for (const std::string_view name : {"sym_constrain_range", "sym_constrain_range_for_size"})
    out.push_back({ops::overload(name), {{"size", Scalar(3)}}, ""});
  for (const std::string_view name : {"is_same_size", "equal", "allclose"})
    out.push_back({ops::overload(name), {{"self", matrix}, {"other", matrix}}, ""});
  return out;
}

// One call of each overload, from the samples, and of its in-place form.
std::vector<Case> calls() {
  std::map<std::string, Case> first;
  for (Case& one : calls_without_samples()) {
    const std::string name = one.overload->schema.full_name();
    first.emplace(name, std::move(one));
  }
  for (const std::string& family : OpSamples::families()) {
    const OpSamples samples = OpSamples::read(family);
    for (const OpSample& sample : samples.samples()) {
      if (sample.error || !is_callable(sample)) continue;
      SampleCall call = call_of(sample);
      const std::string name = call.overload->schema.full_name();
      const size_t dot = name.find('.');
      const std::string in_place =
          cat(name.substr(0, dot), '_', dot == name.npos ? "" : name.substr(dot));
      // The in-place form has the same argument names.
      if (const ops::Overload* other = ops::overload(in_place))
        first.try_emplace(in_place, Case{other, call.arguments, ""});
      first.try_emplace(name, Case{call.overload, std::move(call.arguments), ""});
    }
  }
  std::vector<Case> out;
  for (auto& [name, call] : first) out.push_back(std::move(call));
  return out;
}

std::vector<Case> wrong_calls() {
  std::vector<Case> out;
  for (const Case& call : calls()) {
    for (size_t i = 0; i < call.arguments.size(); ++i) {
      for (const ArgValue& other : others_for(call.arguments[i].value)) {
        Case wrong = call;
        wrong.arguments[i].value = other;
        wrong.what = cat(call.overload->schema.full_name(), ": ", call.arguments[i].name, " = ",
                         text_of(other));
        if (const auto* tensor = std::get_if<Tensor>(&other))
          wrong.what += cat(' ', tensor->dtype(), tensor->sizes());
        out.push_back(std::move(wrong));
      }
    }
    Case unknown = call;
    unknown.arguments.push_back({"word", Scalar(1)});
    unknown.what = cat(call.overload->schema.full_name(), ": an unknown argument");
    out.push_back(std::move(unknown));
  }
  return out;
}

// ---- errors ----

std::string said(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

// Copies of the tensors among the arguments, because a call may write into them. They are the
// inputs of the compiled program.
std::vector<Tensor> tensors_of(const Case& one) {
  std::vector<Tensor> out;
  for (const NamedArg& argument : one.arguments) {
    if (const auto* tensor = std::get_if<Tensor>(&argument.value)) out.push_back(clone(*tensor));
    if (const auto* list = std::get_if<std::vector<Tensor>>(&argument.value)) {
      for (const Tensor& t : *list) out.push_back(t.defined() ? clone(t) : t);
    }
  }
  return out;
}

std::vector<Tensor> run(const Case& one, const std::vector<Tensor>& given) {
  std::vector<NamedArg> arguments = one.arguments;
  auto next = given.begin();
  for (NamedArg& argument : arguments) {
    if (auto* tensor = std::get_if<Tensor>(&argument.value)) *tensor = *next++;
    if (auto* list = std::get_if<std::vector<Tensor>>(&argument.value)) {
      for (Tensor& t : *list) t = *next++;
    }
  }
  if (!ops::returns_number(one.overload->schema)) return ops::call(*one.overload, {}, arguments);
  (void)ops::evaluate(*one.overload, {}, arguments);
  return {};
}

// "add.Tensor(): argument 'other' ..." or "add: sizes [2, 3] ...", with the source location.
bool names(const std::string& error, const Schema& schema) {
  return (error.starts_with(cat(schema.name, ": ")) ||
          error.starts_with(cat(schema.full_name(), "(): "))) &&
         error.find(" (error_names_test.cpp:") != std::string::npos;
}

class ErrorNames : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    init();
    all_ = new std::vector<Case>(wrong_calls());
  }
  static const std::vector<Case>& all() { return *all_; }

 private:
  static inline std::vector<Case>* all_ = nullptr;
};

// A function without samples, or another name of one, would be called by no test of this file. An
// in-place form counts as called if the function is.
TEST_F(ErrorNames, are_checked_of_every_function) {
  std::set<std::string> called;
  for (const Case& one : all()) called.insert(one.overload->schema.name);
  for (const ops::Overload& one : ops::overloads()) {
    std::string name = one.schema.name;
    if (one.schema.in_place() && !called.contains(name)) name.pop_back();
    if (one.op && name == one.op->name) continue;  // samples_test.cpp
    EXPECT_TRUE(called.contains(name)) << cat(one.schema);
  }
}

TEST_F(ErrorNames, are_those_of_what_was_called) {
  size_t refused = 0;
  for (const Case& one : all()) {
    const std::string error = said([&] { (void)run(one, tensors_of(one)); });
    if (error.empty() || error.starts_with("cpu: cannot allocate ")) continue;
    ++refused;
    EXPECT_TRUE(names(error, one.overload->schema)) << one.what << "\n  " << error;
  }
  EXPECT_GT(refused, 1500U);
}

// Functions called directly from C++, without the checks of the overload table.
TEST_F(ErrorNames, are_those_of_functions_called_by_themselves) {
  size_t refused = 0;
  for (const Case& one : all()) {
    const auto& [schema, doc, op, function, roles] = *one.overload;
    const auto arguments = ops::arrange(schema, {}, one.arguments);
    if (!function || !arguments || (op && schema.in_place())) continue;
    const auto from = std::source_location::current();
    const std::string error = said([&] {
      if (ops::returns_number(schema))
        (void)function.number(schema, *arguments, from);
      else
        (void)function.call(schema, *arguments, from);
    });
    const bool of_argument = error.starts_with(cat(schema.full_name(), "(): "));  // the table's
    if (error.empty() || of_argument || error.starts_with("cpu: cannot allocate ")) continue;
    ++refused;
    EXPECT_TRUE(names(error, schema)) << one.what << "\n  " << error;
  }
  EXPECT_GT(refused, 300U);
}

TEST_F(ErrorNames, are_the_same_in_a_compiled_function) {
  for (const Case& one : all()) {
    const std::string want = said([&] { (void)run(one, tensors_of(one)); });
    if (want.empty()) continue;
    auto fast = compile([&](const std::vector<Tensor>& given) { return run(one, given); });
    EXPECT_EQ(said([&] { (void)fast(tensors_of(one)); }), want) << one.what;
    const CompiledReport report = fast.report();
    EXPECT_TRUE(report.fallbacks.empty()) << one.what << "\n  " << report.fallbacks[0].reason;
  }
}

}  // namespace
}  // namespace vitro::test
