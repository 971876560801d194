// Texts of programs as torch.export writes them, with what no test needs left out.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "vitro/base/cat.h"

namespace vitro::io {

// y = x + 2 * w, with x: f32[s0, 4].
inline const std::string add_node = R"({"target": "torch.ops.aten.add.Tensor", "inputs": [
  {"name": "self", "arg": {"as_tensor": {"name": "x"}}, "kind": 1},
  {"name": "other", "arg": {"as_tensor": {"name": "w"}}, "kind": 1},
  {"name": "alpha", "arg": {"as_int": 2}, "kind": 2}],
  "outputs": [{"as_tensor": {"name": "y"}}], "name": "add",
  "metadata": {"stack_trace": "  File \"/m/net.py\", line 12, in forward\n    y = x\n  File \"/v/torch/nn/modules/linear.py\", line 134, in forward\n",
               "nn_module_stack": "L__self__,,net.Net;L__self__a,block.0,torch.nn.modules.linear.Linear"}})";
inline const std::string meta = R"j({"dtype": 7, "sizes": [
  {"as_expr": {"expr_str": "Symbol('s0', positive=True, integer=True)", "hint": {"as_int": 3}}},
  {"as_int": 4}]})j";

// A program of x and w that returns y, which the nodes define.
inline std::string program_text(std::string nodes, std::string guards = "",
                                std::string outputs = "y") {
  return cat(R"({"graph_module": {"graph": {"inputs": [{"as_tensor": {"name": "w"}},
  {"as_tensor": {"name": "x"}}], "outputs": [{"as_tensor": {"name": ")",
             outputs, R"("}}], "nodes": [)", nodes, R"(], "tensor_values": {"x": )", meta,
             R"(, "y": )", meta,
             R"(, "w": {"dtype": 7, "sizes": [{"as_int": 4}]}}, "sym_int_values": {},
  "is_single_tensor_return": false},
  "signature": {"input_specs": [{"parameter": {"arg": {"name": "w"}, "parameter_name": "block.w"}},
      {"user_input": {"arg": {"as_tensor": {"name": "x"}}}}],
    "output_specs": [{"user_output": {"arg": {"as_tensor": {"name": "y"}}}}]},
  "module_call_graph": [{"fqn": "", "signature": {
    "in_spec": "[1, {\"type\": \"builtins.tuple\", \"context\": \"null\", \"children_spec\": [{\"type\": \"builtins.tuple\", \"context\": \"null\", \"children_spec\": [{\"type\": null, \"context\": null, \"children_spec\": []}]}, {\"type\": \"builtins.dict\", \"context\": \"[]\", \"children_spec\": []}]}]",
    "out_spec": "[1, {\"type\": \"builtins.dict\", \"context\": \"[\\\"sum\\\"]\", \"children_spec\": [{\"type\": null, \"context\": null, \"children_spec\": []}]}]",
    "forward_arg_names": ["x"]}}]},
  "range_constraints": {"s0": {"min_val": 2, "max_val": 64}}, "schema_version": {"major": 8, "minor": 20},
  "verifiers": ["TRAINING"], "torch_version": "2.13.0", "guards_code": [)",
             guards, "]}");
}

// The text with the first `from` replaced.
inline std::string changed(std::string text, std::string_view from, std::string_view to) {
  const size_t at = text.find(from);
  if (at == text.npos) throw std::logic_error(cat("no ", from, " in ", text));
  return text.replace(at, from.size(), to);
}
}  // namespace vitro::io
