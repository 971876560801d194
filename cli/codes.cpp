#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "command.h"
#include "vitro/base/cat.h"
#include "vitro/base/code.h"
#include "vitro/base/nearest.h"

namespace vitro::cli {
namespace {

void show(const Code& code) {
  std::printf("%s: %s\n\n%s\n", code.id.data(), code.title.data(), code.meaning.data());
  if (!code.example.empty()) std::printf("\nExample:\n%s\n", code.example.data());
  std::printf("\nWhat to do: %s\n", code.advice.data());
}

int list() {
  for (const Code* code : all_codes()) std::printf("%s  %s\n", code->id.data(), code->title.data());
  return 0;
}

// Codes are matched case-insensitively.
int explain_one(const std::string& wanted) {
  std::string id = wanted;
  std::ranges::transform(id, id.begin(), [](unsigned char c) { return std::toupper(c); });
  std::vector<std::string> ids;
  for (const Code* code : all_codes()) {
    if (code->id == id) return show(*code), 0;
    ids.emplace_back(code->id);
  }
  const std::string_view meant = nearest(id, ids);
  std::fprintf(stderr, "vitro explain: there is no code %s; %s`vitro explain` lists them\n",
               wanted.c_str(), meant.empty() ? "" : cat("did you mean ", meant, "? ").c_str());
  return bad_usage;
}

const AddCommand explain("explain", "Explain a code such as V0201, or list all",
                         [](CLI::App& app) -> std::function<int()> {
                           auto wanted = std::make_shared<std::string>();
                           app.add_option("code", *wanted,
                                          "a code from a message, a trace or a report");
                           return
                               [wanted] { return wanted->empty() ? list() : explain_one(*wanted); };
                         });

}  // namespace
}  // namespace vitro::cli
