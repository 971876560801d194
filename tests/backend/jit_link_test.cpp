// The linker of compiled objects: all kinds of relocations, damaged objects, and random modules
// compared with lld.
#include "backend/jit/link/link.h"

#include <dlfcn.h>
#include <elf.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "backend/jit/code_map.h"
#include "backend/jit/compiler.h"
#include "backend/jit/link/elf_object.h"
#include "backend/jit/link/relocation.h"
#include "backend/jit_folder.h"
#include "vitro/base/cat.h"

namespace vitro::jit {
namespace {

std::vector<std::string> objects_of(const std::vector<std::string>& texts) {
  WireRequest request = request_for(host_target());
  request.sources = texts;
  auto compiled = compile_in_process(request);
  EXPECT_TRUE(compiled) << compiled.why();
  return compiled ? compiled->objects : std::vector<std::string>();
}

// A shared object that is loaded as long as this lives.
class Loaded {
 public:
  explicit Loaded(const std::string& bytes) {
    char name[] = "/tmp/vitro-link-test.XXXXXX";
    const int file = mkstemp(name);
    EXPECT_EQ(write(file, bytes.data(), bytes.size()), ssize_t(bytes.size()));
    close(file);
    handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    why_ = handle_ ? "" : dlerror();
    unlink(name);
  }
  ~Loaded() {
    if (handle_) dlclose(handle_);
  }
  Loaded(const Loaded&) = delete;
  const std::string& why() const { return why_; }
  template <class F>
  F* get(const char* name) const {
    return handle_ ? reinterpret_cast<F*>(dlsym(handle_, name)) : nullptr;
  }

 private:
  void* handle_ = nullptr;
  std::string why_;
};

std::string linked(const std::vector<std::string>& texts) {
  auto object = link(objects_of(texts));
  EXPECT_TRUE(object) << object.why();
  return object ? *object : "";
}

std::string refusal(const std::string& text) {
  auto object = link(objects_of({text}));
  EXPECT_FALSE(object);
  return object ? "" : object.why();
}

const char* const of_all_kinds =
    "extern \"C\" void* memcpy(void*, const void*, unsigned long);\n"
    "extern \"C\" int abs(int);\n"
    "extern \"C\" int nowhere() __attribute__((weak));\n"
    "inline int shared(int x) { static int calls = 0; return x * 3 + ++calls; }\n"
    "int counter = 5; static int zeros[1000]; __attribute__((visibility(\"hidden\"))) int hidden = "
    "9;\n"
    "static int square(int x) { return x * x; } static int twice(int x) { return 2 * x; }\n"
    "int (*table[])(int) = {square, twice}; const char* names[] = {\"a\", \"bb\"};\n"
    "extern \"C\" int other(int);\n"
    "extern \"C\" int through_table(int i, int x) { return table[i](x) + names[i][0]; }\n"
    "extern \"C\" int variables(int i) { return zeros[i] += i + counter++ + hidden; }\n"
    "extern \"C\" int calls(int i) { return shared(i) + other(i); }\n"
    "extern \"C\" int weak() { return nowhere ? nowhere() : -1; }\n"
    "extern \"C\" int host(int x) { return abs(x); }\n"
    "extern \"C\" void copy(char* to, const char* from, unsigned long n) { memcpy(to, from, n); }\n"
    "extern \"C\" int cases(int i) { switch (i) { case 0: return 5; case 1: return 99; case 2:\n"
    "  return counter; case 3: return 1234; case 4: return 8; case 5: return 77; } return 0; }\n"
    "extern \"C\" double constant(double x) { return x * 1.25 + 0.1; }\n";
const char* const other_text =
    "inline int shared(int x) { static int calls = 0; return x * 3 + ++calls; }\n"
    "extern int counter;\n"
    "extern \"C\" int other(int x) { return shared(x) + counter; }\n";

TEST(JitLink, every_kind_of_code_and_data_runs) {
  const Loaded module(linked({of_all_kinds, other_text}));
  ASSERT_EQ(module.why(), "");
  EXPECT_EQ(module.get<int(int, int)>("through_table")(0, 7), 49 + 'a');
  EXPECT_EQ(module.get<int(int, int)>("through_table")(1, 7), 14 + 'b');
  EXPECT_EQ(module.get<int(int)>("variables")(3), 17);
  EXPECT_EQ(module.get<int(int)>("variables")(3), 17 + 18);
  EXPECT_EQ(module.get<int(int)>("calls")(10), 30 + 1 + 30 + 2 + 7);  // one counter for both texts
  EXPECT_EQ(module.get<int()>("weak")(), -1);
  for (const auto& [of, is] :
       {std::pair(0, 5), {1, 99}, {2, 7}, {3, 1234}, {4, 8}, {5, 77}, {6, 0}})
    EXPECT_EQ(module.get<int(int)>("cases")(of), is);
  EXPECT_EQ(module.get<double(double)>("constant")(2), 2.6);
  char to[4] = {};
  module.get<void(char*, const char*, size_t)>("copy")(to, "abc", 3);
  EXPECT_STREQ(to, "abc");
  EXPECT_EQ(module.get<int(int)>("host")(-7), 7);  // of the C library
  EXPECT_EQ(module.get<int>("hidden"), nullptr);
  Dl_info info = {};
  ASSERT_NE(dladdr(reinterpret_cast<void*>(module.get<int(int)>("cases")), &info), 0);
  EXPECT_STREQ(info.dli_sname, "cases");
}

TEST(JitLink, the_same_objects_give_the_same_bytes) {
  const std::vector<std::string> objects = objects_of({of_all_kinds, other_text});
  EXPECT_EQ(*link(objects), *link(objects));
}

TEST(JitLink, what_it_does_not_know_is_named) {
  EXPECT_TRUE(says(refusal("thread_local int x; extern \"C\" int f() { return ++x; }"),
                   "thread-local variables are not supported"));
  EXPECT_TRUE(says(refusal("int g(); int x = g(); extern \"C\" int f() { return x; }"),
                   "constructors and destructors are not supported"));
  const auto twice = link(objects_of({adder(1), adder(1)}));
  ASSERT_FALSE(twice);
  EXPECT_TRUE(says(twice.why(), "symbol add1: is defined twice")) << twice.why();
  EXPECT_TRUE(
      says(link(std::vector<std::string>{"no object"}).why(), "not a complete 64-bit ELF file"));
}

// Where a section's own relocations are; 0 where there are none.
size_t first_relocation(const std::string& object) {
  const auto elf = ElfObject::read(object);
  for (const Elf64_Shdr& section : elf->sections()) {
    if (section.sh_type == SHT_RELA && elf->name(section) == ".rela.text") return section.sh_offset;
  }
  return 0;
}

TEST(JitLink, an_unknown_relocation_is_a_failure_that_names_its_place) {
  std::vector<std::string> objects = objects_of({of_all_kinds, other_text});
  const uint32_t type = 250;
  const size_t at = first_relocation(objects[0]);
  ASSERT_NE(at, 0u);
  std::memcpy(objects[0].data() + at + offsetof(Elf64_Rela, r_info), &type, sizeof type);
  const auto object = link(objects);
  ASSERT_FALSE(object);
  EXPECT_TRUE(says(object.why(), "object 0, section .text") &&
              says(object.why(), "unsupported relocation 250"))
      << object.why();
}

TEST(JitLink, damaged_objects_are_refused_or_linked_without_harm) {
  const std::vector<std::string> sound = objects_of({of_all_kinds, other_text});
  std::mt19937 random(7);
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::string> objects = sound;
    std::string& bytes = objects[random() % 2];
    for (unsigned n = random() % 8 + 1; n > 0; --n) {
      // Headers as often as the rest.
      const size_t tables = ElfObject::read(sound[0])->head().e_shoff;
      const size_t at = random() % 2 ? random() % bytes.size()
                                     : std::min(bytes.size() - 1, tables + random() % 2000);
      bytes[at] = char(random() % 3 == 0 ? 255 : random());
    }
    if (random() % 4 == 0) bytes.resize(random() % bytes.size());
    (void)link(objects).ok();
  }
}

// A text of functions that call each other, with tables, constants, variables and branches.
std::string random_text(std::mt19937& random, int functions) {
  std::string text = "extern \"C\" void* memcpy(void*, const void*, unsigned long);\n";
  text +=
      cat("static const double numbers[] = {", random() % 100, ".5, 2.25, -", random() % 9, "};\n");
  text += "static long state[64]; long shown = 3; struct Pair { long a, b; double c[20]; };\n";
  for (int i = 0; i < functions; ++i) {
    const bool is_static = random() % 2 && i + 1 < functions;
    text += cat(
        is_static ? "__attribute__((noinline)) static" : "extern \"C\"", " long f", i,
        "(long x, const float* in) {\n  Pair p{x, ", random() % 1000,
        ", {}}, q; double d = numbers[x % 3];\n",
        "  memcpy(&q, &p, sizeof q); state[x & 63] += q.b; shown += x;\n",
        "  for (int i = 0; i < 16; ++i) d += in[i] * ", random() % 50, ".125f;\n",
        "  switch (x % 7) { case 0: d += 5; break; case 1: d *= 3; break; case 2: x += 77; break;",
        " case 3: x ^= ", random() % 500, "; break; case 4: d -= x; break; case 5: x *= 3; }\n");
    if (i > 0) text += cat("  x += f", random() % i, "(x / 2 + 1, in);\n");
    text += "  return x + (long)d + state[(x + 1) & 63] + shown;\n}\n";
  }
  return text;
}

std::string linked_by_lld([[maybe_unused]] const std::vector<std::string>& objects) {
#ifdef VITRO_TEST_LLD
  CacheFolder folder;
  std::string command = cat(VITRO_TEST_LLD " -shared -z now -Bsymbolic -o ", folder.path(), "/out");
  for (size_t i = 0; i < objects.size(); ++i) {
    const std::string file = cat(folder.path(), "/", i, ".o");
    std::ofstream(file, std::ios::binary) << objects[i];
    command += cat(" ", file);
  }
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::ifstream in(folder.path() + "/out", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
#else
  return "";
#endif
}

TEST(JitLink, random_modules_do_what_those_of_lld_do) {
  std::mt19937 random(11);
  const float in[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  for (int i = 0; i < 12; ++i) {
    const int functions = int(random() % 12 + 1);
    const std::vector<std::string> objects = objects_of({random_text(random, functions)});
    const std::string by_lld = linked_by_lld(objects);
    if (by_lld.empty()) GTEST_SKIP() << "there is no ld.lld";
    const auto ours = link(objects);
    ASSERT_TRUE(ours) << ours.why();
    const Loaded a(*ours), b(by_lld);
    ASSERT_EQ(a.why() + b.why(), "");
    const std::string last = cat("f", functions - 1);
    for (long x = 0; x < 30; ++x) {
      EXPECT_EQ(a.get<long(long, const float*)>(last.c_str())(x, in),
                b.get<long(long, const float*)>(last.c_str())(x, in));
    }
    const auto mine = functions_of(*ours), its = functions_of(by_lld);
    ASSERT_TRUE(mine && its);
    ASSERT_EQ(mine->size(), its->size());
    for (size_t f = 0; f < mine->size(); ++f) {
      EXPECT_EQ((*mine)[f].name, (*its)[f].name);
      EXPECT_EQ((*mine)[f].size, (*its)[f].size);
      EXPECT_EQ((*mine)[f].lines.size(), (*its)[f].lines.size());
    }
  }
}

uint32_t patched(Field field, uint32_t instruction, uint64_t value) {
  EXPECT_TRUE(write_field(field, reinterpret_cast<char*>(&instruction), value));
  return instruction;
}

// As `llvm-mc --triple=aarch64` has them.
TEST(JitLink, instructions_of_a_arch64_take_their_values) {
  EXPECT_EQ(patched(Field::branch26, 0x94000000, 0x1000), 0x94000400u);         // bl
  EXPECT_EQ(patched(Field::branch26, 0x94000000, uint64_t(-4)), 0x97ffffffu);   // bl
  EXPECT_EQ(patched(Field::branch19, 0x54000000, 8), 0x54000040u);              // b.eq
  EXPECT_EQ(patched(Field::branch14, 0x36000000, 8), 0x36000040u);              // tbz w0, #0
  EXPECT_EQ(patched(Field::address21, 0x90000000, 1), 0xb0000000u);             // adrp x0
  EXPECT_EQ(patched(Field::address21, 0x90000008, 0x12345), 0xb0091a28u);       // adrp x8
  EXPECT_EQ(patched(Field::address21, 0x90000000, uint64_t(-1)), 0xf0ffffe0u);  // adrp x0
  EXPECT_EQ(patched(Field::offset12, 0x91000000, 0xfff), 0x913ffc00u);          // add x0, x0
  EXPECT_EQ(patched(Field::offset12x8, 0xf9400000, 0x938), 0xf9449c00u);        // ldr x0, [x0]
  EXPECT_EQ(patched(Field::offset12x16, 0x3dc00000, 0x20), 0x3dc00800u);        // ldr q0, [x0]
}

TEST(JitLink, values_that_do_not_fit_are_not_written) {
  char word[8] = {};
  EXPECT_FALSE(write_field(Field::signed32, word, uint64_t{1} << 31));
  EXPECT_TRUE(write_field(Field::word32, word, uint64_t{1} << 31));
  EXPECT_FALSE(write_field(Field::word32, word, uint64_t(-1)));
  EXPECT_TRUE(write_field(Field::any32, word, uint64_t(-1)));
  EXPECT_FALSE(write_field(Field::branch26, word, uint64_t{1} << 27));
  EXPECT_FALSE(write_field(Field::branch26, word, 2));
  EXPECT_FALSE(write_field(Field::address21, word, uint64_t{1} << 20));
  EXPECT_FALSE(write_field(Field::offset12x8, word, 4));
}

}  // namespace
}  // namespace vitro::jit
