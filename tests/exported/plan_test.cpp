// What a node calls, with which arguments; programs that call for what there is not.
#include "exported/plan.h"

#include <gtest/gtest.h>

#include <random>

#include "error_of.h"
#include "exported/effects.h"
#include "exported/input_checks.h"
#include "exported/runner.h"
#include "io/pt2/package.h"
#include "io/pt2/program_text.h"
#include "vitro/base/cat.h"
#include "vitro/compile/compile.h"
#include "vitro/io/safetensors.h"
#include "vitro/ops/create.h"

namespace vitro::exported {
namespace {

using io::changed;

struct Planned {
  io::Program program;
  Plan plan;
  explicit Planned(const std::string& nodes)
      : program(io::parse_program(io::program_text(nodes), "net").value()),
        plan(make_plan(program.graph, "net")) {}
  Planned(const Planned&) = delete;
  Tensor run() const {
    const Tensor w = full({4}, 3.0), x = full({2, 4}, 1.0);
    return std::get<Tensor>(exported::run(plan, {w, x})[0]);
  }
};

std::string node_of(std::string_view target, std::string_view inputs,
                    std::string_view outputs = R"({"as_tensor": {"name": "y"}})") {
  return cat(
      R"({"target": ")", target, R"(", "inputs": [)", inputs, R"(], "outputs": [)", outputs,
      R"(], "metadata": {"stack_trace": "File \"/m/net.py\", line 7, in forward"}, "name": "n"})");
}
constexpr std::string_view self =
    R"({"name": "self", "arg": {"as_tensor": {"name": "x"}}, "kind": 1})";

std::string why(const std::string& nodes) {
  return error_of([&] { Planned one(nodes); });
}

TEST(Plan, runs_with_defaults_of_the_schema) {
  const Planned one(io::add_node);  // x + 2 * w
  EXPECT_EQ(one.run().to_vector<float>()[0], 7.0F);
  const Planned two(changed(io::add_node, R"({"name": "alpha", "arg": {"as_int": 2}, "kind": 2})",
                            R"({"name": "alpha", "arg": {"as_int": 1}, "kind": 2})"));
  EXPECT_EQ(two.run().to_vector<float>()[0], 4.0F);
}

TEST(Plan, takes_the_overload_for_numbers_where_a_number_stands_for_a_tensor) {
  const Planned one(node_of("torch.ops.aten.add.Tensor",
                            cat(self, R"(, {"name": "other", "arg": {"as_int": 1}, "kind": 1})")));
  EXPECT_EQ(one.plan.steps[0].overload->schema.full_name(), "add.Scalar");
  EXPECT_EQ(one.run().to_vector<float>()[0], 2.0F);
  // maximum has none: the number becomes a tensor.
  const Planned two(
      node_of("torch.ops.aten.maximum.default",
              cat(self, R"(, {"name": "other", "arg": {"as_float": 5.0}, "kind": 1})")));
  EXPECT_EQ(two.run().to_vector<float>()[0], 5.0F);
}

TEST(Plan, reads_a_view_as_reshape) {
  const Planned one(
      cat(node_of("torch.ops.aten.t.default", self, R"({"as_tensor": {"name": "z"}})"), ",",
          node_of("torch.ops.aten.view.default",
                  R"({"name": "self", "arg": {"as_tensor": {"name": "z"}}, "kind": 1},
                     {"name": "size", "arg": {"as_ints": [8]}, "kind": 1})")));
  EXPECT_EQ(one.run().rank(), 1);
}

// The operand is the view afterwards, under each of its names.
TEST(Plan, views_in_place_change_their_operand) {
  const std::string of_u = R"({"name": "self", "arg": {"as_tensor": {"name": "u"}}, "kind": 1})",
                    of_v = R"({"name": "self", "arg": {"as_tensor": {"name": "v"}}, "kind": 1})";
  const Planned one(
      cat(node_of("torch.ops.aten.neg.default", self, R"({"as_tensor": {"name": "u"}})"), ",",
          node_of("torch.ops.aten.relu_.default", of_u, R"({"as_tensor": {"name": "v"}})"), ",",
          node_of("torch.ops.aten.unsqueeze_.default",
                  cat(of_u, R"(, {"name": "dim", "arg": {"as_int": 0}, "kind": 1})"),
                  R"({"as_tensor": {"name": "q"}})"),
          ",",
          node_of("torch.ops.aten.transpose_.default",
                  cat(of_v, R"(, {"name": "dim0", "arg": {"as_int": 0}, "kind": 1},
                          {"name": "dim1", "arg": {"as_int": 2}, "kind": 1})"),
                  R"({"as_tensor": {"name": "z"}})"),
          ",", node_of("torch.ops.aten.exp.default", of_u)));
  EXPECT_EQ(cat(one.run().sizes()), cat(Sizes{4, 2, 1}));
  EXPECT_NE(why(node_of("torch.ops.aten.neg_view_.default", self)).find("aten.neg_view_"),
            std::string::npos);
}

// Only those of torch.autocast that change nothing here.
TEST(Plan, regions_that_cast_on_the_cpu_are_refused) {
  const auto region = [](std::string_view device, bool is_on) {
    return node_of("torch.ops.higher_order.wrap_with_autocast",
                   cat(R"({"name": "", "arg": {"as_string": ")", device,
                       R"("}, "kind": 1}, {"name": "", "arg": {"as_scalar_type": 13}, "kind": 1},
                          {"name": "", "arg": {"as_bool": )",
                       is_on ? "true" : "false",
                       R"(}, "kind": 1}, {"name": "", "arg": {"as_bool": false}, "kind": 1})"));
  };
  EXPECT_NE(why(region("cpu", true)).find("higher_order.wrap_with_autocast, 1 call: net.py:7"),
            std::string::npos)
      << why(region("cpu", true));
  for (const std::string& one : {region("cpu", false), region("cuda", true)})
    EXPECT_NE(why(one).find("another number of sub-graphs"), std::string::npos) << why(one);
}

// Attention returns other strides than PyTorch's, so that a view may have to copy, unless the
// program would show the difference.
TEST(Plan, copies_for_no_view_whose_memory_is_written) {
  const std::string relu =
      node_of("torch.ops.aten.relu.default", self, R"({"as_tensor": {"name": "u"}})");
  const auto views = [](std::string_view of) {
    return cat(node_of("torch.ops.aten.t.default",
                       cat(R"({"name": "self", "arg": {"as_tensor": {"name": ")", of,
                           R"("}}, "kind": 1})"),
                       R"({"as_tensor": {"name": "z"}})"),
               ",",
               node_of("torch.ops.aten.view.default",
                       R"({"name": "self", "arg": {"as_tensor": {"name": "z"}}, "kind": 1},
                   {"name": "size", "arg": {"as_ints": [8]}, "kind": 1})",
                       R"({"as_tensor": {"name": "v"}})"),
               ",");
  };
  const auto relu_of = [](std::string_view of, std::string_view to) {
    return node_of(
        "torch.ops.aten.relu_.default",
        cat(R"({"name": "self", "arg": {"as_tensor": {"name": ")", of, R"("}}, "kind": 1})"),
        cat(R"({"as_tensor": {"name": ")", to, R"("}})"));
  };
  // Nobody looks at u again.
  EXPECT_EQ(Planned(cat(relu, ",", views("u"), relu_of("v", "y"))).run().rank(), 1);
  // The caller's x should change; z is read after v was written, v after z was.
  for (const std::string& nodes :
       {cat(views("x"), relu_of("v", "y")),
        cat(relu, ",", views("u"), relu_of("v", "q"), ",",
            node_of("torch.ops.aten.neg.default",
                    R"({"name": "self", "arg": {"as_tensor": {"name": "z"}}, "kind": 1})")),
        cat(relu, ",", views("u"), relu_of("u", "q"), ",",
            node_of("torch.ops.aten.neg.default",
                    R"({"name": "self", "arg": {"as_tensor": {"name": "v"}}, "kind": 1})"))}) {
    const Planned one(nodes);
    for (const std::string& text :
         {error_of([&] { one.run(); }), error_of([&] { compile([&] { return one.run(); })(); })})
      EXPECT_NE(text.find("the strides of the tensor allow no view of this shape"), text.npos)
          << text;
  }
}

TEST(Plan, views_what_is_contiguous_and_written_when_compiled_too) {
  const Planned one(
      cat(node_of("torch.ops.aten.view.default",
                  cat(self, R"(, {"name": "size", "arg": {"as_ints": [8]}, "kind": 1})"),
                  R"({"as_tensor": {"name": "v"}})"),
          ",",
          node_of("torch.ops.aten.neg_.default",
                  R"({"name": "self", "arg": {"as_tensor": {"name": "v"}}, "kind": 1})",
                  R"({"as_tensor": {"name": "q"}})"),
          ",", io::add_node));  // x + 2 * w
  ASSERT_TRUE(one.plan.steps[0].needs_memory);
  EXPECT_EQ(one.run().to_vector<float>()[0], 5.0F);
  EXPECT_EQ(compile([&] { return one.run(); })().to_vector<float>()[0], 5.0F);
}

TEST(Plan, checks_what_the_program_asserts) {
  const auto asserted = [](int limit) {
    return cat(
        node_of("torch.ops.aten.lt.Scalar",
                cat(self, R"(, {"name": "other", "arg": {"as_int": )", limit, R"(}, "kind": 1})"),
                R"({"as_tensor": {"name": "b"}})"),
        ",",
        node_of("torch.ops.aten.all.default",
                R"({"name": "self", "arg": {"as_tensor": {"name": "b"}}, "kind": 1})",
                R"({"as_tensor": {"name": "c"}})"),
        ",",
        node_of("torch.ops.aten._assert_async.msg",
                R"({"name": "self", "arg": {"as_tensor": {"name": "c"}}, "kind": 1},
                          {"name": "assert_msg", "arg": {"as_string": "x is small"}, "kind": 1})",
                ""),
        ",", io::add_node);
  };
  const Planned holds(asserted(2));
  EXPECT_EQ(holds.run().to_vector<float>()[0], 7.0F);
  EXPECT_TRUE(asks_for_elements(holds.plan));
  const std::string text = error_of([&] { Planned(asserted(1)).run(); });
  EXPECT_EQ(text, "aten._assert_async.msg: x is small");
}

TEST(Plan, knows_what_is_random) {
  const std::string input = changed(std::string(self), "self", "input");
  const auto draws = [](std::string_view target, std::string_view more,
                        const std::string& first = std::string(self)) {
    return draws_random_numbers(Planned(node_of(target, cat(first, more))).plan);
  };
  const auto dropout = [](bool trains) {
    return cat(R"(, {"name": "p", "arg": {"as_float": 0.5}, "kind": 1},
                   {"name": "train", "arg": {"as_bool": )",
               trains ? "true" : "false", R"(}, "kind": 1})");
  };
  EXPECT_TRUE(draws("torch.ops.aten.dropout.default", dropout(true), input));
  EXPECT_FALSE(draws("torch.ops.aten.dropout.default", dropout(false), input));
  EXPECT_TRUE(draws("torch.ops.aten.rand_like.default", ""));
  EXPECT_TRUE(draws("torch.ops.aten.bernoulli.default", ""));
  EXPECT_FALSE(draws("torch.ops.aten.relu.default", ""));
}

TEST(Plan, lists_all_that_vitro_lacks) {
  const auto z = [](int i) { return cat(R"({"as_tensor": {"name": "z)", i, R"("}})"); };
  const std::string text = why(cat(node_of("torch.ops.aten.fry.default", self, z(0)), ",",
                                   node_of("torch.ops.torchvision.nms.default", self, z(1)), ",",
                                   node_of("torch.ops.higher_order.triton", self, z(2)), ",",
                                   node_of("torch.ops.aten.fry.default", self)));
  EXPECT_EQ(text,
            "model net: calls 3 functions that Vitro does not have:\n"
            "  aten.fry.default, 2 calls: net.py:7\n"
            "  higher_order.triton, 1 call: net.py:7\n"
            "  torchvision.nms.default, 1 call: net.py:7");
}

TEST(Plan, says_which_argument_does_not_fit) {
  EXPECT_EQ(why(node_of("torch.ops.aten.relu.default",
                        cat(self, R"(, {"name": "speed", "arg": {"as_int": 1}, "kind": 1})"))),
            "model net: node n (aten.relu.default) of net.py:7: does not take the argument speed "
            "of relu(Tensor self) -> Tensor");
  EXPECT_NE(why(node_of("torch.ops.aten.softmax.int",
                        cat(self, R"(, {"name": "dim", "arg": {"as_string": "a"}, "kind": 1})")))
                .find("does not take dim=\"a\", the schema is softmax.int("),
            std::string::npos);
  EXPECT_NE(why(node_of("_operator.mod", self)).find("another number of operands"),
            std::string::npos);
  EXPECT_NE(why(node_of("torch.ops.higher_order.cond", self)).find("another number of sub-graphs"),
            std::string::npos);
  // Missing arguments are found by the call.
  const Planned one(node_of("torch.ops.aten.relu.default", ""));
  EXPECT_NE(error_of([&] { (void)one.run(); }), "");
}

TEST(Plan, knows_what_is_written) {
  const std::string view =
      node_of("torch.ops.aten.unsqueeze.default",
              R"({"name": "self", "arg": {"as_tensor": {"name": "w"}}, "kind": 1},
                                      {"name": "dim", "arg": {"as_int": 0}, "kind": 1})",
              R"({"as_tensor": {"name": "v"}})");
  const auto relu = [](std::string_view of) {
    return node_of(
        "torch.ops.aten.relu_.default",
        cat(R"({"name": "self", "arg": {"as_tensor": {"name": ")", of, R"("}}, "kind": 1})"));
  };
  EXPECT_EQ(written_inputs(Planned(relu("x")).plan), (std::vector<bool>{false, true}));
  EXPECT_EQ(written_inputs(Planned(cat(view, ",", relu("v"))).plan),
            (std::vector<bool>{true, false}));
  EXPECT_EQ(written_inputs(Planned(io::add_node).plan), (std::vector<bool>{false, false}));
}

// A text with a number or a quoted word replaced by another one, so that most are still JSON.
std::string damaged(std::string text, std::mt19937& random) {
  constexpr std::string_view pieces[] = {"0",    "-1",        "9223372036854775807",
                                         "3",    "as_none",   "as_int",
                                         "x",    "as_tensor", "as_ints",
                                         "add",  "relu_",     "torch.ops.aten.mul.Tensor",
                                         "self", "dim",       "torch.ops.aten.cat.default"};
  size_t at = text.find_first_of("0123456789\"", random() % text.size());
  if (at == text.npos) return text;
  size_t end = 0;
  if (text[at] == '"') {
    end = std::min(text.find('"', ++at), text.size());
  } else {
    end = std::min(text.find_first_not_of("0123456789", at), text.size());
  }
  return text.replace(at, end - at, pieces[random() % std::size(pieces)]);
}

// Runs it with the inputs of the sample, as far as it goes.
void run_anyhow(const io::Program& program, const io::PackageModel& package,
                const io::Safetensors& sample) {
  const Plan plan = make_plan(program.graph, "net");
  (void)written_inputs(plan);
  (void)asks_for_elements(plan);
  std::vector<ArgValue> inputs;
  for (const io::InputSpec& spec : program.inputs) {
    inputs.emplace_back(spec.literal.number);
    if (spec.kind == io::InputSpec::Kind::frozen) continue;
    auto tensor = spec.kind == io::InputSpec::Kind::user ? sample.tensor(cat("0.in.", spec.name))
                                                         : package.weight(spec.target);
    if (tensor) inputs.back() = clone(*tensor);
  }
  (void)run(plan, std::move(inputs));
}

// Whatever the programs of the samples have become, they are refused, or run to an error or an end.
TEST(Plan, of_damaged_programs_is_no_crash) {
  std::mt19937 random(1);
  int ran = 0;
  for (const std::string_view name : {"tree", "control", "dynamic", "dynamic_core"}) {
    const std::string path = cat(VITRO_TEST_DATA, "/pt2/", name);
    const auto package = io::Package::open(cat(path, ".pt2")).value().model().value();
    const auto sample = io::Safetensors::read(cat(path, ".safetensors")).value();
    const std::string good(package.program_json);
    for (int i = 0; i < 1000; ++i) {
      std::string text = good;
      for (int k = 0; k < 1 + i % 3; ++k) text = damaged(text, random);
      const auto program = io::parse_program(text, "net");
      if (!program || name == "control") continue;  // whose loops may never end
      ran += error_of([&] { run_anyhow(*program, package, sample); }).empty();
    }
  }
  EXPECT_GT(ran, 100);
}

}  // namespace
}  // namespace vitro::exported
