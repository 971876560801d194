#include "kernels/prelude.h"

#include <zstd.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "kernels/prelude_text.h"

namespace vitro::kernels {
namespace {

int find(std::string_view name) {
  for (int i = 0; i < part_count; ++i) {
    if (name == parts[i].name) return i;
  }
  std::fprintf(stderr, "prelude_text: there is no part named '%.*s'; this is a bug in vitro\n",
               int(name.size()), name.data());
  std::abort();
}

std::string_view all_parts() {
  static const std::string text = [] {
    std::string out(all_parts_size, '\0');
    if (ZSTD_decompress(out.data(), out.size(), packed_parts, packed_parts_size) != out.size()) {
      std::fputs("prelude_text: the parts cannot be decompressed; this is a bug in vitro\n",
                 stderr);
      std::abort();
    }
    return out;
  }();
  return text;
}

void append(int index, std::vector<bool>& done, std::string& text) {
  if (done[index]) return;
  done[index] = true;
  std::string_view needs = parts[index].needs;
  while (!needs.empty()) {
    size_t space = needs.find(' ');
    append(find(needs.substr(0, space)), done, text);
    needs.remove_prefix(space + 1);
  }
  text += all_parts().substr(parts[index].begin, parts[index].size);
}

}  // namespace

std::string prelude_text(std::span<const std::string_view> wanted) {
  std::vector<bool> done(part_count);
  std::string text;
  for (std::string_view name : wanted) append(find(name), done, text);
  return text;
}

std::string prelude_text(std::initializer_list<std::string_view> wanted) {
  return prelude_text(std::span(wanted.begin(), wanted.size()));
}

std::string prelude_header() {
  return "#ifndef VITRO_PRELUDE_H\n#define VITRO_PRELUDE_H\n" + prelude_text(prelude_parts()) +
         "using namespace vitro::kernels;\n#endif\n";
}

std::span<const std::string_view> prelude_parts() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (int i = 0; i < part_count; ++i) all.push_back(parts[i].name);
    return all;
  }();
  return names;
}

uint64_t prelude_version() {
  static const uint64_t version = [] {
    uint64_t h = 0xcbf29ce484222325u;  // FNV-1a, 64 bits
    for (const char c : all_parts()) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return h;
  }();
  return version;
}

}  // namespace vitro::kernels
