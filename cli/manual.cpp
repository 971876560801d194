// `vitro man`: manual pages, generated from the commands' own descriptions (app.h).  Shows one on
// the terminal, or writes all to a folder for installation.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>

#include "app.h"
#include "command.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/base/nearest.h"
#include "vitro/base/option.h"
#include "vitro/report/output.h"
#include "vitro/version.h"

namespace vitro::cli {
namespace {

// Escaped for roff, so that nothing in the text is a request or an escape.
std::string roff(std::string_view text) {
  std::string out;
  bool begins_line = true;
  for (const char c : text) {
    if (begins_line && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    begins_line = c == '\n';
  }
  return out;
}

std::string bold(std::string_view text) {
  return cat("\\fB", roff(text), "\\fR");
}

std::string italic(std::string_view text) {
  return cat("\\fI", roff(text), "\\fR");
}

// "vitro-trace-gaps", the name of the page.
std::string page_name(std::string path) {
  std::ranges::replace(path, ' ', '-');
  return path;
}

std::string synopsis(const CommandText& command) {
  std::string out = cat(".SH SYNOPSIS\n", bold(command.path));
  if (!command.options.empty()) out += cat(" [", italic("options"), "]");
  for (const OptionText& argument : command.arguments) {
    const std::string name = cat(italic(argument.names[0]), argument.many ? " ..." : "");
    out += argument.required ? cat(" ", name) : cat(" [", name, "]");
  }
  if (!command.below.empty()) out += cat(" ", italic("command"), " ...");
  return out + "\n";
}

std::string item(const OptionText& option, bool is_argument) {
  std::string out = ".TP\n";
  for (size_t i = 0; i < option.names.size(); ++i)
    out += cat(i == 0 ? "" : ", ", is_argument ? italic(option.names[i]) : bold(option.names[i]));
  if (!is_argument && !option.value.empty()) out += cat(" ", italic(option.value));
  out += cat("\n", roff(option.about));
  for (size_t i = 0; i < option.choices.size(); ++i)
    out += cat(i == 0 ? ": " : ", ", bold(option.choices[i]));
  if (!option.fallback.empty() && !is_argument)
    out += cat(" (default ", roff(option.fallback), ")");
  return out + "\n";
}

std::string items(std::string_view heading, const std::vector<OptionText>& list, bool arguments) {
  if (list.empty()) return {};
  std::string out = cat(".SH ", heading, "\n");
  for (const OptionText& option : list) out += item(option, arguments);
  return out;
}

std::string below(const CommandText& command, const std::vector<CommandText>& texts) {
  if (command.below.empty()) return {};
  std::string out = ".SH COMMANDS\n";
  for (const CommandText& each : texts) {
    const size_t space = each.path.rfind(' ');
    if (space == std::string::npos || each.path.substr(0, space) != command.path) continue;
    out += cat(".TP\n", bold(page_name(each.path)), "(1)\n", roff(each.about), "\n");
  }
  return out;
}

std::string footer(const CommandText& command) {
  if (command.footer.empty()) return {};
  std::string lines = roff(command.footer);
  for (size_t at = lines.find('\n'); at != std::string::npos; at = lines.find('\n', at + 5))
    lines.replace(at, 1, "\n.br\n");
  return cat(".SH NOTES\n", lines, "\n");
}

std::string environment() {
  std::string out = ".SH ENVIRONMENT\n";
  for (const OptionBase* option : all_options())
    out += cat(".TP\n", bold(option->variable()), "\n", roff(option->help()), "\n");
  return out;
}

std::string see_also(const CommandText& command) {
  const size_t space = command.path.rfind(' ');
  if (space == std::string::npos) return {};
  return cat(".SH SEE ALSO\n", bold(page_name(command.path.substr(0, space))), "(1)\n");
}

std::string page(const CommandText& command, const std::vector<CommandText>& texts) {
  std::string title = page_name(command.path);
  std::ranges::transform(title, title.begin(), [](unsigned char c) { return std::toupper(c); });
  return cat(".TH ", roff(title), " 1 \"\" \"vitro ", version(), "\" \"Vitro\"\n.SH NAME\n",
             roff(page_name(command.path)), " \\- ", roff(command.about), "\n", synopsis(command),
             items("ARGUMENTS", command.arguments, true), items("OPTIONS", command.options, false),
             below(command, texts), footer(command), command.path == "vitro" ? environment() : "",
             see_also(command));
}

int write_pages(const std::string& folder) {
  const std::vector<CommandText> texts = command_texts();
  std::filesystem::create_directories(folder);
  for (const CommandText& command : texts) {
    const auto out = report::create_file(cat(folder, "/", page_name(command.path), ".1"));
    out->write(page(command, texts));
    out->finish();
  }
  return 0;
}

// Shows the page on a terminal with `man`, if available; else prints its text.
int show(const std::string& text) {
  FILE* const reader = isatty(STDOUT_FILENO) ? popen("man -l - 2>/dev/null", "w") : nullptr;
  if (reader) {
    std::fputs(text.c_str(), reader);
    if (pclose(reader) == 0) return 0;
  }
  return std::fputs(text.c_str(), stdout) < 0 ? 1 : 0;
}

int show_page(const std::vector<std::string>& words) {
  std::string path;
  for (const std::string& word : words) path += (path.empty() ? "" : " ") + word;
  std::ranges::replace(path, '-', ' ');  // vitro-trace-gaps is the page of `vitro trace gaps`
  if (path != "vitro" && !path.starts_with("vitro "))
    path = "vitro" + (path.empty() ? "" : " " + path);
  const std::vector<CommandText> texts = command_texts();
  std::vector<std::string> named;
  for (const CommandText& command : texts) {
    named.push_back(command.path);
    std::ranges::replace(named.back(), '-', ' ');
    if (named.back() == path) return show(page(command, texts));
  }
  const std::string_view meant = nearest(path, named);
  throw_error(cat("man: there is no page for `", path, "`",
                  meant.empty() ? "; `vitro --help` lists the commands"
                                : cat("; did you mean `", meant, "`?")));
}

const AddCommand man("man", "Show the manual page of vitro or of a command, or write all pages",
                     [](CLI::App& app) -> std::function<int()> {
                       auto folder = std::make_shared<std::string>();
                       auto words = std::make_shared<std::vector<std::string>>();
                       app.add_option("-o,--output", *folder,
                                      "write a page for each command into this folder");
                       app.add_option("command", *words, "as in `vitro man trace gaps`");
                       return [folder, words] {
                         return folder->empty() ? show_page(*words) : write_pages(*folder);
                       };
                     });

}  // namespace
}  // namespace vitro::cli
