// `vitro ops`: lists the functions that can be called, from their definitions.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>
#include <memory>
#include <span>

#include "command.h"
#include "op_names.h"
#include "vitro/autograd/vjp.h"
#include "vitro/base/cat.h"
#include "vitro/ops/overload.h"
#include "vitro/ops/page.h"
#include "vitro/report/json.h"

namespace vitro::cli {
namespace {

struct OpsSetting {
  std::string name;
  bool json = false, page = false;
};

// How the gradient is computed, and what is saved for it.
std::string gradient_of(const ops::Overload& one) {
  if (ops::returns_number(one.schema)) return "none: the result is a number";
  return one.op ? autograd::describe(*one.op) : "that of the ops it calls";
}

void json_of(report::Json& json, const Schema& schema) {
  json.key("arguments").begin_array();
  for (const SchemaArgument& argument : schema.arguments) {
    json.begin_object().member("name", argument.name).member("type", cat(argument.type));
    json.member("keyword_only", argument.keyword_only);
    if (argument.default_text) json.member("default", *argument.default_text);
    json.end();
  }
  json.end().key("results").begin_array();
  for (const SchemaResult& result : schema.results) json.value(cat(result.type));
  json.end();
}

int print_json(const OpsSetting& setting) {
  report::TextOutput text;
  report::Json json(text, 1);
  json.begin_array();
  const std::span<const ops::Overload> all = ops::overloads();
  for (const ops::Overload& one : setting.name.empty() ? all : ops::overloads(setting.name)) {
    json.begin_object().member("name", one.schema.name).member("overload", one.schema.overload);
    json.member("kind", ops::kind_of(one.schema.name)).member("doc", one.doc);
    json.member("schema", cat(one.schema)).member("gradient", gradient_of(one));
    json_of(json, one.schema);
    json.end();
  }
  json.end();
  text.finish();
  std::printf("%s\n", text.text().c_str());
  return 0;
}

int print_page(const std::string& name) {
  std::printf("%s\ngradient: %s\n", ops::page(name).c_str(),
              gradient_of(ops::overloads(name)[0]).c_str());
  return 0;
}

// For a name that is not an op.
int refuse(const std::string& name) {
  const std::string op = name.ends_with('_') ? name.substr(0, name.size() - 1) : "";
  const std::string why =
      !op.empty() && !ops::overloads(op).empty()
          ? cat("there is no function ", name, "; ", op, " is an op but has no in-place form")
          : ops::no_such_op(name);
  std::fprintf(stderr, "vitro ops: %s\n", why.c_str());
  return bad_usage;
}

int run(OpsSetting setting) {
  if (!setting.name.empty()) setting.name = op_name(setting.name);
  if (!setting.name.empty() && ops::overloads(setting.name).empty()) return refuse(setting.name);
  if (setting.json) return print_json(setting);
  if (setting.page) return std::fputs(ops::page().c_str(), stdout), 0;
  if (!setting.name.empty()) return print_page(setting.name);
  for (const ops::Overload& one : ops::overloads())
    std::printf("%-12s %s\n", ops::kind_of(one.schema.name).data(), cat(one.schema).c_str());
  return 0;
}

const AddCommand ops_command("ops", "List the ops and their schemas, or show one",
                             [](CLI::App& app) -> std::function<int()> {
                               auto setting = std::make_shared<OpsSetting>();
                               app.add_option(
                                   "name", setting->name,
                                   "an op, by ATen's name: add, add.Tensor, native_layer_norm");
                               app.add_flag("--json", setting->json, "as JSON");
                               app.add_flag("--page", setting->page, "the text of docs/ops.md");
                               return [setting] { return run(*setting); };
                             });

}  // namespace
}  // namespace vitro::cli
