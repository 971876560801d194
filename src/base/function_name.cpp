#include "vitro/base/function_name.h"

namespace vitro {
namespace {

constexpr std::string_view call_operator = "operator()";

void remove_all(std::string& text, std::string_view part) {
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at))
    text.erase(at, part.size());
}

// What encloses a lambda: GCC writes "main()::<lambda(int)>", Clang "main()::(anonymous
// class)::operator()(int) const", both after the signature of that function.
std::string_view without_lambdas(std::string_view text) {
  for (const std::string_view mark : {"::<lambda", "::(anonymous class)", "::(lambda at"})
    text = text.substr(0, text.find(mark));
  return text;
}

// Where the parameters begin: the first parenthesis outside of template arguments that is not part
// of "operator()".
size_t parameters_of(std::string_view text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("operator")) {
      i += text.substr(i).starts_with(call_operator) ? call_operator.size() : 8;
      const size_t open = text.find('(', i);  // "operator<(...)" is not a template argument
      return depth == 0 ? open : text.npos;
    }
    if (text[i] == '<') ++depth;
    if (text[i] == '>') --depth;
    if (text[i] == '(' && depth == 0) return i;
  }
  return text.npos;
}

// Where the name begins: after the last space outside of template arguments.
size_t begin_of_name(std::string_view text) {
  int depth = 0;
  for (size_t i = text.size(); i-- > 0;) {
    if (text[i] == '>') ++depth;
    if (text[i] == '<') --depth;
    if (text[i] == ' ' && depth == 0) return i + 1;
  }
  return 0;
}

}  // namespace

std::string function_name(std::string_view signature) {
  std::string text(without_lambdas(signature));
  remove_all(text, "(anonymous namespace)::");
  remove_all(text, "{anonymous}::");
  const size_t parameters = parameters_of(text);
  if (parameters == text.npos) return {};
  text.resize(parameters);
  const size_t is_operator = text.find("operator");
  const size_t begin = begin_of_name(std::string_view(text).substr(0, is_operator));
  const size_t first = text.find_first_not_of("*&", begin);
  return first == text.npos ? std::string() : text.substr(first);
}

}  // namespace vitro
