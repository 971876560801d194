#include "vitro/debug/codes.h"

#include "vitro/base/cat.h"
#include "vitro/base/code.h"

namespace vitro {
namespace {

struct Chapter {
  std::string_view prefix, title;
};
constexpr Chapter chapters[] = {
    {"V01", "Errors of the program"},
    {"V02", "Breaks of the graph"},
    {"V03", "Guards and recompiles"},
    {"V04", "Fusion and scheduling"},
    {"V05", "Compiling kernels, caches, libraries"},
    {"V06", "What runs eagerly, and why"},
    {"V07", "Files"},
    {"V08", "The profiler"},
};

void append_section(std::string& out, const Code& code) {
  out += cat("\n### ", code.id, ": ", code.title, "\n\n", code.meaning, "\n");
  if (!code.example.empty()) out += cat("\n```cpp\n", code.example, "\n```\n");
  out += cat("\nWhat to do: ", code.advice, "\n");
}

}  // namespace

std::string codes_page() {
  std::string out =
      "# Codes\n\n"
      "Whatever is refused, broken off or done in another way than asked has a code that never\n"
      "changes; messages, `explain`, logs and traces name it. `vitro explain V0201` shows one.\n"
      "This page is written by `vitro codes` from the declarations in the sources.\n";
  const auto codes = all_codes();
  for (const Chapter& chapter : chapters) {
    bool any = false;
    for (const Code* code : codes) {
      if (!code->id.starts_with(chapter.prefix)) continue;
      if (!any) out += cat("\n## ", chapter.prefix, "xx: ", chapter.title, "\n");
      any = true;
      append_section(out, *code);
    }
  }
  return out;
}

}  // namespace vitro
