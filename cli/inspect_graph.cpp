// `vitro inspect --graph`: which node of a model reads what, as a picture.
#include "inspect_graph.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "vitro/base/cat.h"
#include "vitro/report/diagram.h"
#include "vitro/report/output.h"

namespace vitro::cli {
namespace {

using Kind = ModelGraph::Value::Kind;
using report::DiagramNode;

std::string named_type(const ModelGraph::Value& value) {
  return value.type.empty() ? value.name : cat(value.name, ": ", value.type);
}

class GraphPicture {
 public:
  GraphPicture(const ExportedModel& model, int depth)
      : graph_(model.graph()), depth_(depth), defined_by_(graph_.values.size()) {
    diagram_.title = cat("model ", model.name());
    for (uint32_t i = 0; i < graph_.values.size(); ++i)
      if (graph_.values[i].kind == Kind::input) add_terminal(i, graph_.values[i].name);
    for (const ModelGraph::Node& node : graph_.nodes) add_node(node);
    for (const ModelGraph::Output& output : graph_.outputs) add_output(output);
  }
  const report::Diagram& diagram() const { return diagram_; }

 private:
  uint32_t next() const { return static_cast<uint32_t>(diagram_.nodes.size()); }

  void add_terminal(uint32_t value, const std::string& name) {
    DiagramNode node{.lines = {name}, .shape = DiagramNode::Shape::terminal};
    if (!graph_.values[value].type.empty()) node.lines.push_back(graph_.values[value].type);
    defined_by_[value] = next();
    diagram_.nodes.push_back(std::move(node));
  }

  // The edge from the node that defines the value to the next one.
  void add_edge(uint32_t value) {
    if (defined_by_[value])
      diagram_.edges.push_back({*defined_by_[value], next(), named_type(graph_.values[value])});
  }

  // "conv2d" of "aten.conv2d.default".
  static std::string op_name(std::string_view target) {
    constexpr std::string_view space = "aten.", overload = ".default";
    if (target.starts_with(space)) target.remove_prefix(space.size());
    if (target.ends_with(overload)) target.remove_suffix(overload.size());
    return std::string(target);
  }

  // The op, what it gives, and the weights that it reads.
  void add_node(const ModelGraph::Node& node) {
    DiagramNode box{.lines = {op_name(node.call.target)},
                    .group = module_prefix(node.call.module, depth_)};
    box.tooltip = cat(node.call.target, node.call.location.empty() ? "" : " at ",
                      node.call.location, node.call.module.empty() ? "" : " in ", node.call.module);
    for (const uint32_t one : node.results) {
      if (!graph_.values[one].type.empty()) box.lines.push_back(graph_.values[one].type);
      box.tooltip += cat("\ngives ", named_type(graph_.values[one]));
    }
    for (const uint32_t one : node.operands) {
      const ModelGraph::Value& value = graph_.values[one];
      box.tooltip += cat("\nreads ", named_type(value));
      if (value.kind != Kind::weight) {
        add_edge(one);
      } else {
        const size_t dot = value.name.rfind('.');
        box.lines.push_back(
            cat(value.name.substr(dot == value.name.npos ? 0 : dot + 1), ' ', value.type));
      }
    }
    for (const uint32_t one : node.results) defined_by_[one] = next();
    diagram_.nodes.push_back(std::move(box));
  }

  // An output that is an input, or a weight, has no node between.
  void add_output(const ModelGraph::Output& output) {
    const ModelGraph::Value& value = graph_.values[output.value];
    DiagramNode node{.lines = {output.name}, .shape = DiagramNode::Shape::terminal};
    if (!value.type.empty()) node.lines.push_back(value.type);
    if (value.kind == Kind::weight) node.lines.push_back(cat("weight ", value.name));
    add_edge(output.value);
    diagram_.nodes.push_back(std::move(node));
  }

  ModelGraph graph_;
  int depth_;
  std::vector<std::optional<uint32_t>> defined_by_;  // the node of the diagram, by value
  report::Diagram diagram_;
};

}  // namespace

std::string module_prefix(std::string_view path, int depth) {
  size_t end = 0;
  for (int i = 0; i < depth; ++i) {
    end = path.find('.', end == 0 ? 0 : end + 1);
    if (end == path.npos) return std::string(path);
  }
  return std::string(path.substr(0, end));
}

void write_graph(const ExportedModel& model, const std::string& path, int depth) {
  const GraphPicture picture(model, depth);
  const std::unique_ptr<report::Output> out = report::create_file(path);
  report::write_diagram(*out, picture.diagram());
  out->finish();
}

}  // namespace vitro::cli
