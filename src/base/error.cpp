#include "vitro/base/error.h"

#include <cstring>

namespace vitro {

void throw_error(std::string message) {
  throw Error(std::move(message));
}

void throw_bug(const char* condition, const char* file, int line, std::string message) {
  const char* name = std::strrchr(file, '/');
  std::string text =
      cat("this is a bug in vitro: ", condition, " (", name ? name + 1 : file, ":", line, ")");
  if (!message.empty()) text += ": " + message;
  throw Bug(std::move(text));
}

}  // namespace vitro
