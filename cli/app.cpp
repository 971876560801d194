#include "app.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>

#include "command.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/version.h"

namespace vitro::cli {
namespace {

// Splits "TEXT:{a,b}", CLI11's name for a type with choices.
std::vector<std::string> choices_in(const std::string& type) {
  std::vector<std::string> choices;
  const size_t open = type.find('{'), close = type.rfind('}');
  if (open == std::string::npos || close == std::string::npos) return choices;
  for (const std::string& choice : CLI::detail::split(type.substr(open + 1, close - open - 1), ','))
    choices.push_back(choice);
  return choices;
}

OptionText text_of(const CLI::Option& option) {
  OptionText text;
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  if (text.names.empty()) text.names.push_back(option.get_name());
  if (option.get_type_size() != 0) {
    const std::string type = option.get_type_name();
    text.choices = choices_in(type);
    text.value = type.substr(0, type.find(':'));
  }
  text.about = option.get_description();
  text.fallback = option.get_default_str();
  text.required = option.get_required();
  text.many = option.get_items_expected_max() > 1;
  return text;
}

void add_texts(const CLI::App& app, const std::string& path, std::vector<CommandText>& texts) {
  const std::vector<const CLI::App*> below = app.get_subcommands({});
  CommandText text{path, app.get_description(), app.get_footer(), {}, {}, {}};
  for (const CLI::Option* option : app.get_options())
    (option->nonpositional() ? text.options : text.arguments).push_back(text_of(*option));
  for (const CLI::App* command : below) text.below.push_back(command->get_name());
  texts.push_back(std::move(text));
  for (const CLI::App* command : below)
    add_texts(*command, path + " " + command->get_name(), texts);
}

}  // namespace

std::vector<Command>& commands() {
  static auto* all = new std::vector<Command>;
  return *all;
}

AddCommand::AddCommand(std::string name, std::string about, Declare declare) {
  commands().push_back({std::move(name), std::move(about), declare});
}

int or_report(const char* command, FunctionRef<int()> run) {
  try {
    return run();
  } catch (const Error& e) {
    std::fprintf(stderr, "vitro %s: %s\n", command, e.what());
    return bad_usage;
  }
}

std::unique_ptr<CLI::App> make_app(std::function<int()>& chosen) {
  auto app = std::make_unique<CLI::App>("Vitro: a tensor compiler you can see through", "vitro");
  app->require_subcommand(1);
  app->set_version_flag("--version", cat("vitro ", version()), "Print the version");
  std::ranges::sort(commands(), {}, &Command::name);
  for (const Command& command : commands()) {
    CLI::App* sub = app->add_subcommand(command.name, command.about);
    sub->callback([&chosen, body = command.declare(*sub)] { chosen = body; });
  }
  return app;
}

std::vector<CommandText> command_texts() {
  std::function<int()> unused;
  std::vector<CommandText> texts;
  add_texts(*make_app(unused), "vitro", texts);
  return texts;
}

}  // namespace vitro::cli
