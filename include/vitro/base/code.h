// Stable codes for refusals, graph breaks and reports: each is declared once, next to its use.
//   const Code item_break{"V0201", "item() needs a value", "…what it means…", "…an example…",
//                         "…what to do…"};
// `explain`, logs and traces print the code; docs/codes.md is generated from the declarations.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vitro {

struct Code {
  std::string_view id;       // "V0201": unique, never reused
  std::string_view title;    // a phrase
  std::string_view meaning;  // what happened, for readers who do not know the source
  std::string_view example;  // a few lines of C++ that raise it, or empty
  std::string_view advice;   // what to do

  Code(std::string_view id_, std::string_view title_, std::string_view meaning_,
       std::string_view example_, std::string_view advice_);
  Code(const Code&) = delete;
};

// All declared codes, sorted by id.  Threads: any, once main has begun.
std::vector<const Code*> all_codes();

inline void append_to(std::string& out, const Code& code) {
  out.append(code.id);
}

}  // namespace vitro
