#include "vitro/base/error.h"

#include <cstring>

#include "base/program_place.h"
#include "vitro/base/called_as.h"
#include "vitro/base/function_name.h"
#include "vitro/base/module_path.h"

namespace vitro {

Error::Error(const Error& mistake, std::string location)
    : std::runtime_error(location.empty() ? std::string(mistake.message())
                                          : cat(mistake.message(), " (", location, ")")),
      message_size_(mistake.message().size()) {}

std::string_view Error::location() const {
  const std::string_view text = what();
  return message_size_ >= text.size()
             ? std::string_view()
             : text.substr(message_size_ + 2, text.size() - message_size_ - 3);
}

std::string file_and_line(std::source_location where) {
  where = program_place(where);
  if (where.line() == 0) return "";
  const std::string_view path = where.file_name();
  return cat(path.substr(path.rfind('/') + 1), ':', where.line());  // npos + 1 == 0
}

std::string call_location(std::source_location where) {
  std::string out = file_and_line(where);
  if (out.empty()) return out;
  if (const std::string name = function_name(where.function_name()); !name.empty())
    out += cat(" in ", name);
  if (current_module != 0) out += cat(", module ", module_path(current_module));
  return out;
}

void throw_error(std::string message) {
  const Error mistake(in_words_of_call(std::move(message)));
  const std::string location = call_location(CalledAs::current().from);
  throw Error(mistake, location);
}

void throw_bug(const char* condition, const char* file, int line, std::string message) {
  const char* name = std::strrchr(file, '/');
  std::string text =
      cat("this is a bug in vitro: ", condition, " (", name ? name + 1 : file, ":", line, ")");
  if (!message.empty()) text += ": " + message;
  throw Bug(std::move(text));
}

}  // namespace vitro
