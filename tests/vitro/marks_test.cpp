// Marks for ITT and NVTX. A child process runs a test of this program with a collector library (of
// tests/collector) that logs them, and the parent checks the log.
#include "vitro/profiler/marks.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include "leave_shard.h"
#include "vitro/base/cat.h"
#include "vitro/vitro.h"

namespace vitro {
namespace {

struct Heard {
  std::string tool, what, name;
  long thread = 0;
};

// Runs one of the tests below in a child process, with the test collector in place of every tool's.
class Child {
 public:
  explicit Child(const std::string& test, const std::string& more = "") {
    static int count = 0;
    folder_ = std::filesystem::temp_directory_path() / cat("vitro_marks_", getpid(), "_", count++);
    std::filesystem::create_directories(folder_);
    leave_shard();
    const std::string self = std::filesystem::read_symlink("/proc/self/exe");
    const std::string by = "='" VITRO_TEST_COLLECTOR "' ";
    const std::string command =
        cat("INTEL_LIBITTNOTIFY64", by, "INTEL_JIT_PROFILER64", by, "NVTX_INJECTION64_PATH", by,
            "VITRO_TEST_HEARD='", folder_, "/heard' VITRO_CACHE_DIR='", folder_, "/cache' ", more,
            " '", self, "' --gtest_also_run_disabled_tests --gtest_filter='DISABLED_Marks.", test,
            "' >'", folder_, "/out' 2>&1");
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    read();
  }
  Child(const Child&) = delete;
  ~Child() { std::filesystem::remove_all(folder_); }

  const std::vector<Heard>& heard() const { return heard_; }
  std::string output() const { return text_of(folder_ + "/out"); }
  static std::string text_of(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  void read() {
    std::ifstream file(folder_ + "/heard");
    for (std::string line; std::getline(file, line);) {
      Heard heard;
      std::istringstream words(line);
      words >> heard.tool >> heard.what >> heard.thread;
      words.get();
      std::getline(words, heard.name);
      heard_.push_back(heard);
    }
  }

  std::string folder_;
  std::vector<Heard> heard_;
};

// What a tool received on each thread, as text: names, "(" and ")".
std::map<long, std::string> nests(const std::vector<Heard>& all, std::string_view tool) {
  std::map<long, std::string> texts;
  for (const Heard& h : all) {
    if (h.tool != tool) continue;
    std::string& text = texts[h.thread];
    if (h.what == "push") text += h.name + "(";
    if (h.what == "pop") text += ")";
    if (h.what == "mark") text += h.name + " ";
  }
  return texts;
}

bool is_balanced(const std::string& nest) {
  int depth = 0;
  for (const char c : nest) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth < 0) return false;
  }
  return depth == 0;
}

Tensor ones() {
  return full({64, 64}, 1.0);
}

}  // namespace

// ---- run in the child

TEST(DISABLED_Marks, eager) {
  const Tensor x = ones();
  {
    const auto itt_marks = emit_itt();
    const auto nvtx_marks = emit_nvtx();
    itt::range_push("iteration_0");
    nvtx::range_push("iteration_0");
    (void)add(x, x);
    {
      const RecordFunction range("mine");
      (void)mul(x, x);
      itt::mark("now");
      nvtx::mark("now");
    }
    std::thread([&] { (void)sub(x, x); }).join();
    nvtx::range_pop();
    itt::range_pop();
  }
  (void)add(x, x);
  const auto alone = itt::range("after");
}

TEST(DISABLED_Marks, compiled) {
  auto fast = compile([](const Tensor& x) { return sin(cos(x)); });
  const Tensor x = ones();
  (void)fast(x).to_vector<float>();
  const auto marked = emit_itt();
  (void)fast(x).to_vector<float>();
}

TEST(DISABLED_Marks, products) {
  auto fast = compile([](const Tensor& x) { return relu(mm(x, x)); });
  const Tensor x = ones();
  const auto marked = emit_itt();
  (void)fast(x).to_vector<float>();
}

TEST(DISABLED_Marks, ended_in_between) {
  const Tensor x = ones();
  {
    const auto outer = std::make_unique<RecordFunction>("begun before");
    std::unique_ptr<Emission> marked(new Emission(emit_itt()));
    auto inside = std::make_unique<RecordFunction>("ends after");
    const std::unique_ptr<Emission> again(new Emission(emit_itt()));
    (void)add(x, x);
    marked.reset();
    (void)mul(x, x);
  }
  const auto later = emit_itt();
  (void)sub(x, x);
}

// ---- checks of what the tools received

TEST(Marks, nest_with_their_names_on_each_thread_for_both_tools) {
  const Child child("eager");
  auto of_itt = nests(child.heard(), "itt"), of_nvtx = nests(child.heard(), "nvtx");
  ASSERT_EQ(of_itt.size(), 2u);
  ASSERT_EQ(of_nvtx.size(), 2u);
  const std::string work = "iteration_0(aten::add()mine(aten::mul()";
  EXPECT_EQ(of_itt.begin()->second, work + "now of a thread ))after()");
  EXPECT_EQ(of_nvtx.begin()->second, work + "now ))");
  EXPECT_EQ(of_itt.rbegin()->second, "aten::sub()");
  EXPECT_EQ(of_nvtx.rbegin()->second, "aten::sub()");
}

TEST(Marks, show_regions_and_their_kernels_by_the_announced_names) {
  const Child child("compiled");
  std::string kernel, file;
  for (const Heard& h : child.heard()) {
    if (h.what != "load" || !h.name.starts_with("cos_sin\t")) continue;
    std::istringstream fields(h.name);
    std::string address, size, lines;
    std::getline(std::getline(fields, kernel, '\t'), address, '\t');
    std::getline(std::getline(std::getline(fields, size, '\t'), file, '\t'), lines, '\t');
    EXPECT_GT(std::stoul(address, nullptr, 16), 0u);
    EXPECT_GT(std::stoul(size), 0u);
    EXPECT_NE(lines.find(':'), std::string::npos) << lines;
    EXPECT_TRUE(std::filesystem::exists(file)) << file;
  }
  ASSERT_EQ(kernel, "cos_sin");
  EXPECT_NE(Child::text_of(file).find("cos_sin"), std::string::npos) << file;
  const auto of_itt = nests(child.heard(), "itt");
  ASSERT_FALSE(of_itt.empty());
  EXPECT_EQ(of_itt.begin()->second, "Torch-Compiled Region: 0/0(cos_sin())");
}

TEST(Marks, show_what_kernels_of_products_compute) {
  const auto of_itt = nests(Child("products").heard(), "itt");
  ASSERT_FALSE(of_itt.empty());
  const std::string& all = of_itt.begin()->second;
  EXPECT_NE(all.find("mm_relu (matmul [64, 64] x [64, 64])()"), std::string::npos) << all;
}

TEST(Marks, are_balanced_when_an_emission_ends_inside_a_range) {
  const auto of_itt = nests(Child("ended_in_between").heard(), "itt");
  ASSERT_EQ(of_itt.size(), 1u);
  EXPECT_TRUE(is_balanced(of_itt.begin()->second)) << of_itt.begin()->second;
  EXPECT_EQ(of_itt.begin()->second, "ends after(aten::add()aten::mul())aten::sub()");
}

TEST(Marks, do_nothing_where_nobody_listens) {
  ASSERT_FALSE(std::getenv("INTEL_LIBITTNOTIFY64"));
  EXPECT_FALSE(itt::is_available());
  EXPECT_FALSE(nvtx::is_available());
  const auto marked = emit_itt();
  const auto also = emit_nvtx();
  EXPECT_FALSE(events::recording());
  const auto range = itt::range("nothing");
  itt::mark("nothing");
  nvtx::range_push("nothing");
  nvtx::range_pop();
}

TEST(Marks, a_library_that_is_none_is_said_and_left_out) {
  const Child child("eager",
                    "INTEL_LIBITTNOTIFY64=/no/such.so NVTX_INJECTION64_PATH='" VITRO_LIBRARY "'");
  for (const Heard& h : child.heard()) EXPECT_EQ(h.tool, "jit") << h.what << " " << h.name;
  EXPECT_NE(child.output().find("INTEL_LIBITTNOTIFY64: /no/such.so"), std::string::npos);
  EXPECT_NE(child.output().find("does not export InitializeInjectionNvtx2"), std::string::npos);
}

}  // namespace vitro
