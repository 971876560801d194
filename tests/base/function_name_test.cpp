// Extracts names of functions from signatures in the formats of GCC and Clang.
#include "vitro/base/function_name.h"

#include <gtest/gtest.h>

#include <source_location>

namespace vitro {
namespace {

TEST(FunctionName, is_without_return_type_and_parameters) {
  EXPECT_EQ(function_name("int main(int, char**)"), "main");
  EXPECT_EQ(function_name("vitro::Tensor Mlp::forward(const vitro::Tensor&) const"),
            "Mlp::forward");
  EXPECT_EQ(function_name("std::map<int, std::vector<int> > count(std::span<const int>)"), "count");
  EXPECT_EQ(function_name("const T& largest(const T&) [with T = std::pair<int (*)(), int>]"),
            "largest");
  EXPECT_EQ(function_name("char *name()"), "name");
  EXPECT_EQ(function_name("Mlp::Mlp(int)"), "Mlp::Mlp");
}

TEST(FunctionName, leaves_out_unnamed_namespaces) {
  EXPECT_EQ(function_name("virtual void vitro::{anonymous}::Case::run()"), "vitro::Case::run");
  EXPECT_EQ(function_name("void (anonymous namespace)::step(Tensor)"), "step");
}

TEST(FunctionName, of_an_operator_is_whole) {
  EXPECT_EQ(function_name("vitro::Tensor Gate::operator()(vitro::ops::At) const"),
            "Gate::operator()");
  EXPECT_EQ(function_name("bool operator<(const A&, const A&)"), "operator<");
  EXPECT_EQ(function_name("Out& operator<<(Out&, const A&)"), "operator<<");
}

TEST(FunctionName, of_a_lambda_is_that_of_the_function_around_it) {
  EXPECT_EQ(function_name("main(int, char**)::<lambda(const vitro::Tensor&)>"), "main");
  EXPECT_EQ(function_name("vitro::{anonymous}::T_Test::TestBody()::<lambda(auto:1)> [with auto:1 = "
                          "int]"),
            "vitro::T_Test::TestBody");
  EXPECT_EQ(function_name("auto main()::(anonymous class)::operator()(const Tensor &) const"),
            "main");
  const auto here = [] { return std::source_location::current(); };
  EXPECT_EQ(function_name(here().function_name()),
            "vitro::FunctionName_of_a_lambda_is_that_of_the_function_around_it_Test::TestBody");
}

TEST(FunctionName, of_no_signature_is_empty) {
  EXPECT_EQ(function_name(""), "");
  EXPECT_EQ(function_name("nothing"), "");
}

}  // namespace
}  // namespace vitro
