// Explains a command line that the parser rejected: reads its words again, as far as the parser's
// options and commands allow, and reports the first that does not fit.
#include "usage.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>
#include <vector>

#include "vitro/base/cat.h"
#include "vitro/base/nearest.h"

namespace vitro::cli {
namespace {

// The argument that takes another program's command line, whose options come after "--".
constexpr std::string_view program_argument = "program";

// The command named by the words, and what follows it.
struct Reading {
  const CLI::App* at;
  std::string path;                      // "vitro trace ops"
  std::string wrong_command;             // the word that should be a command
  std::string unknown_option;            // the first, without its value
  std::vector<std::string_view> others;  // the remaining words, in order
};

const CLI::Option* option_of(const CLI::App& app, const std::string& name) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->nonpositional() && option->check_name(name)) return option;
  }
  return nullptr;
}

// "--rows" of "--rows=3", "-o" of "-ofile".
std::string name_of(std::string_view word) {
  return std::string(word.starts_with("--") ? word.substr(0, word.find('=')) : word.substr(0, 2));
}

// The number of following words that belong to the option's value.
size_t values_after(const CLI::Option& option, std::string_view word, std::string_view name) {
  if (word.size() > name.size()) return 0;  // the value is attached
  return static_cast<size_t>(std::max(option.get_items_expected_min(), 0));
}

Reading read(const CLI::App& app, std::span<char* const> words) {
  Reading r{&app, app.get_name(), {}, {}, {}};
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == "--") {
      r.others.insert(r.others.end(), words.begin() + static_cast<ptrdiff_t>(i) + 1, words.end());
      break;
    }
    if (word.size() > 1 && word.starts_with("-")) {
      const std::string name = name_of(word);
      const CLI::Option* option = option_of(*r.at, name);
      if (!option) return r.unknown_option = name, r;
      i += values_after(*option, word, name);
      continue;
    }
    const std::vector<const CLI::App*> below = r.at->get_subcommands({});
    if (below.empty()) {
      r.others.push_back(word);
      continue;
    }
    const auto known = std::ranges::find(
        below, word, [](const CLI::App* each) -> std::string_view { return each->get_name(); });
    if (known == below.end()) return r.wrong_command = word, r;
    r.at = *known;
    r.path += cat(" ", word);
  }
  return r;
}

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* each : app.get_subcommands({})) names.push_back(each->get_name());
  return names;
}

std::string joined(const std::vector<std::string>& all, std::string_view last = ", ") {
  std::string out;
  for (size_t i = 0; i < all.size(); ++i)
    out += cat(i == 0 ? "" : i + 1 == all.size() ? last : ", ", all[i]);
  return out;
}

std::string wrong_command(const Reading& r) {
  const std::vector<std::string> names = commands_of(*r.at);
  const std::string_view meant = nearest(r.wrong_command, names);
  return cat("has no command '", r.wrong_command, "'; ",
             meant.empty() ? cat("it has ", joined(names)) : cat("did you mean ", meant, "?"));
}

// The nearest long name, or the only one beginning with that letter; empty if there is none.
std::string meant_option(const CLI::App& app, std::string_view unknown) {
  const std::string_view word = unknown.substr(unknown.find_first_not_of('-'));
  std::vector<std::string> names, with_letter;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back(name);
      if (word.size() == 1 && name.starts_with(word)) with_letter.push_back(name);
    }
  }
  const std::string_view near = nearest(word, names);
  if (!near.empty()) return cat("--", near);
  return with_letter.size() == 1 ? cat("--", with_letter.front()) : "";
}

bool passes_words_on(const CLI::App& app) {
  return std::ranges::any_of(app.get_options(), [](const CLI::Option* option) {
    return option->get_positional() && option->get_name() == program_argument;
  });
}

std::string unknown_option(const Reading& r) {
  std::string out = cat("unknown option ", r.unknown_option);
  if (const std::string meant = meant_option(*r.at, r.unknown_option); !meant.empty())
    out += cat("; did you mean ", meant, "?");
  if (passes_words_on(*r.at) && !r.others.empty())
    out += cat(out.ends_with('?') ? " Options" : "; options",
               " of the program come after --: ", r.path, " -- ", r.others.front(), " ",
               r.unknown_option);
  return out;
}

// Reports required arguments that are missing.
std::string missing(const CLI::App& app) {
  std::vector<std::string> needed, given, absent;
  std::string about;
  bool files = true;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_required()) continue;
    needed.push_back(option->get_name());
    (option->count() > 0 ? given : absent).push_back(option->get_name());
    files &= option->get_positional() && option->get_type_name() == "FILE";
    if (option->count() == 0 && about.empty()) about = option->get_description();
  }
  if (absent.empty()) return {};
  if (needed.size() == 1) return cat("needs ", files ? "a file" : absent.front(), ": ", about);
  const std::string all = joined(needed, " and ");
  const std::string what = files && needed.size() == 2 ? cat("two files, ", all) : all;
  return cat("needs ", what, "; ", joined(absent, " and "), absent.size() == 1 ? " is" : " are",
             " missing");
}

// Reports a value of the wrong type; empty for other errors.
std::string not_converted(const CLI::App& app, std::string_view why) {
  constexpr std::string_view begin = "Could not convert: ", between = " = ";
  const size_t middle = why.find(between);
  if (!why.starts_with(begin) || middle == std::string_view::npos) return {};
  const std::string name(why.substr(begin.size(), middle - begin.size()));
  const CLI::Option* option = app.get_option_no_throw(name);
  const std::string type = option ? option->get_type_name() : "";
  std::string_view needed = "another value";
  if (type.starts_with("FLOAT")) needed = "a number";
  if (type.starts_with("INT")) needed = "an integer";
  if (type.starts_with("UINT")) needed = "an integer of at least 0";
  return cat(name, ": needs ", needed, ", got '", why.substr(middle + between.size()), "'");
}

std::string too_many(const Reading& r) {
  size_t taken = 0;
  for (const CLI::Option* option : r.at->get_options())
    if (option->get_positional()) taken += option->count();
  if (taken >= r.others.size()) return {};
  return cat("unexpected argument '", r.others[taken], "'");
}

std::string wrong(const Reading& r, const CLI::Error& error) {
  if (!r.unknown_option.empty()) return unknown_option(r);
  if (!r.wrong_command.empty()) return wrong_command(r);
  if (!r.at->get_subcommands({}).empty())
    return cat("needs a command: ", joined(commands_of(*r.at)));
  std::string said;
  const auto code = static_cast<CLI::ExitCodes>(error.get_exit_code());
  if (code == CLI::ExitCodes::RequiredError) said = missing(*r.at);
  if (code == CLI::ExitCodes::ExtrasError) said = too_many(r);
  if (code == CLI::ExitCodes::ConversionError) said = not_converted(*r.at, error.what());
  return said.empty() ? error.what() : said;
}

}  // namespace

std::string usage_error(const CLI::App& app, std::span<char* const> words,
                        const CLI::Error& error) {
  const Reading r = read(app, words);
  return cat(r.path, ": ", wrong(r, error), "\n`", r.path, " --help` explains its use.\n");
}

}  // namespace vitro::cli
