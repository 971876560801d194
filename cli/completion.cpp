// `vitro completion SHELL`: prints a script that completes commands and options in a shell.  Made
// from the tree of commands (app.h); used as `source <(vitro completion bash)`.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>

#include "app.h"
#include "command.h"
#include "vitro/base/cat.h"

namespace vitro::cli {
namespace {

using Texts = std::vector<CommandText>;

// Quoted as one word of bash and zsh.
std::string shell_word(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

std::string fish_word(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += cat(out.empty() ? "" : " ", word);
  return out;
}

std::vector<std::string> option_names(const CommandText& command) {
  std::vector<std::string> names;
  for (const OptionText& option : command.options)
    names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

// Words that may appear other than options: commands, or the choices of an argument.
std::vector<std::string> words_of(const CommandText& command) {
  std::vector<std::string> words = command.below;
  for (const OptionText& argument : command.arguments)
    words.insert(words.end(), argument.choices.begin(), argument.choices.end());
  return words;
}

// "'vitro trace'|'vitro trace gaps'": all commands except the root.
std::string all_paths(const Texts& texts) {
  std::string out;
  for (size_t i = 1; i < texts.size(); ++i)
    out += cat(i == 1 ? "" : "|", shell_word(texts[i].path));
  return out;
}

// Calls use(pattern, option) for each option with a value; the pattern has "'vitro trace gaps
// --rows'" for each of its names, separated by `|`.
void each_value(const CommandText& command, auto use) {
  for (const OptionText& option : command.options) {
    if (option.value.empty()) continue;
    std::string pattern;
    for (const std::string& name : option.names)
      pattern += cat(pattern.empty() ? "" : "|", shell_word(cat(command.path, " ", name)));
    use(pattern, option);
  }
}

std::string bash(const Texts& texts) {
  std::string out =
      cat("# Completion of vitro for bash: `vitro completion bash`.\n_vitro() {\n"
          "  local word=${COMP_WORDS[COMP_CWORD]} at=vitro words= options= i\n"
          "  for ((i = 1; i < COMP_CWORD; ++i)); do\n    case \"$at ${COMP_WORDS[i]}\" in\n      ",
          all_paths(texts), ") at=\"$at ${COMP_WORDS[i]}\" ;;\n    esac\n  done\n",
          "  COMPREPLY=()\n  case \"$at ${COMP_WORDS[COMP_CWORD-1]}\" in\n");
  for (const CommandText& command : texts) {
    each_value(command, [&](const std::string& pattern, const OptionText& option) {
      out += cat("    ", pattern, ") COMPREPLY=($(compgen -W ", shell_word(joined(option.choices)),
                 " -- \"$word\")); return ;;\n");
    });
  }
  out += "  esac\n  case $at in\n";
  for (const CommandText& command : texts) {
    out += cat("    ", shell_word(command.path), ") words=", shell_word(joined(words_of(command))),
               " options=", shell_word(joined(option_names(command))), " ;;\n");
  }
  return out +
         "  esac\n  [[ $word == -* ]] && words=$options\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n}\n"
         "complete -o bashdefault -o default -F _vitro vitro\n";
}

// "'name:description'" for `_describe` of zsh.
std::string described(std::string_view name, std::string_view about) {
  std::string text;
  for (const char c : name) text += c == ':' ? "\\:" : std::string(1, c);
  return shell_word(cat(text, ":", about));
}

std::string zsh_command(const Texts& texts, const CommandText& command) {
  std::string words, options;
  for (const CommandText& each : texts) {
    const size_t space = each.path.rfind(' ');
    if (space != std::string::npos && each.path.substr(0, space) == command.path)
      words += cat(" ", described(each.path.substr(space + 1), each.about));
  }
  for (const OptionText& argument : command.arguments)
    for (const std::string& choice : argument.choices) words += cat(" ", described(choice, {}));
  for (const OptionText& option : command.options)
    for (const std::string& name : option.names) options += cat(" ", described(name, option.about));
  return cat("    ", shell_word(command.path), ") words_here=(", words, " ) options=(", options,
             " ) ;;\n");
}

std::string zsh(const Texts& texts) {
  std::string out =
      cat("#compdef vitro\n# Completion of vitro for zsh: `vitro completion zsh`.\n_vitro() {\n"
          "  local at=vitro\n  local -i i\n  local -a words_here options choices\n"
          "  for ((i = 2; i < CURRENT; ++i)); do\n    case \"$at ${words[i]}\" in\n      (",
          all_paths(texts), ") at=\"$at ${words[i]}\" ;;\n    esac\n  done\n",
          "  case \"$at ${words[CURRENT-1]}\" in\n");
  for (const CommandText& command : texts) {
    each_value(command, [&](const std::string& pattern, const OptionText& option) {
      out += option.choices.empty() ? cat("    (", pattern, ") _files; return ;;\n")
                                    : cat("    (", pattern, ") choices=(", joined(option.choices),
                                          "); _describe value choices; return ;;\n");
    });
  }
  out += "  esac\n  case $at in\n";
  for (const CommandText& command : texts) out += zsh_command(texts, command);
  return out +
         "  esac\n  if [[ ${words[CURRENT]} == -* ]]; then\n    _describe -o option options\n"
         "  elif (( $#words_here )); then\n    _describe command words_here\n"
         "  else\n    _files\n  fi\n}\n"
         "if [[ $funcstack[1] == _vitro ]]; then _vitro \"$@\"; else compdef _vitro vitro; fi\n";
}

std::string fish_option(const std::string& at, const OptionText& option) {
  std::string out = at;
  for (const std::string& name : option.names)
    out += name.starts_with("--") ? cat(" -l ", name.substr(2)) : cat(" -s ", name.substr(1));
  if (!option.value.empty()) out += " -r";
  if (!option.choices.empty()) out += cat(" -f -a ", fish_word(joined(option.choices)));
  return cat(out, " -d ", fish_word(option.about), "\n");
}

std::string fish(const Texts& texts) {
  std::string paths;
  for (size_t i = 1; i < texts.size(); ++i) paths += cat(" ", fish_word(texts[i].path));
  std::string out = cat(
      "# Completion of vitro for fish: `vitro completion fish`.\nfunction __vitro_at\n"
      "  set -l at vitro\n  set -l words (commandline -opc)\n"
      "  for word in $words[2..-1]\n    switch \"$at $word\"\n      case",
      paths, "\n        set at \"$at $word\"\n    end\n  end\n  test \"$at\" = \"$argv\"\nend\n");
  for (const CommandText& command : texts) {
    const std::string at = cat("complete -c vitro -n ", fish_word("__vitro_at " + command.path));
    for (const CommandText& each : texts) {
      const size_t space = each.path.rfind(' ');
      if (space == std::string::npos || each.path.substr(0, space) != command.path) continue;
      out += cat(at, " -f -a ", each.path.substr(space + 1), " -d ", fish_word(each.about), "\n");
    }
    for (const OptionText& argument : command.arguments)
      if (!argument.choices.empty())
        out += cat(at, " -f -a ", fish_word(joined(argument.choices)), "\n");
    for (const OptionText& option : command.options) out += fish_option(at, option);
  }
  return out;
}

const AddCommand completion(
    "completion", "Print a script that completes commands and options in a shell",
    [](CLI::App& app) -> std::function<int()> {
      auto shell = std::make_shared<std::string>();
      app.add_option("shell", *shell, "whose script")
          ->required()
          ->check(CLI::IsMember({"bash", "zsh", "fish"}));
      app.footer(
          "bash: source <(vitro completion bash)\nzsh: source <(vitro completion zsh)\nfish: vitro "
          "completion fish | source\nAn installed vitro has them already.");
      return [shell] {
        const Texts texts = command_texts();
        const std::string text = *shell == "bash"  ? bash(texts)
                                 : *shell == "zsh" ? zsh(texts)
                                                   : fish(texts);
        return std::fputs(text.c_str(), stdout) < 0 ? 1 : 0;
      };
    });

}  // namespace
}  // namespace vitro::cli
