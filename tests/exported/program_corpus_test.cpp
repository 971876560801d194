#include <gtest/gtest.h>

#include <filesystem>

#include "exported/run_any.h"
#include "io/files.h"
#include "io/pt2/program_text.h"

namespace vitro::exported {
namespace {

namespace fs = std::filesystem;

TEST(ProgramCorpus, whatever_a_program_says_is_run_or_refused) {
  size_t files = 0;
  for (const auto& entry : fs::directory_iterator(VITRO_TEST_DATA "/program_corpus")) {
    EXPECT_NO_THROW(run_any(io::content_of(entry.path()))) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 9U);
  EXPECT_TRUE(run_any(io::content_of(VITRO_TEST_DATA "/program_corpus/add")));
}

// x = x + 2 * w.
TEST(ProgramCorpus, what_is_written_is_an_input_of_the_program) {
  const auto writes_to = [](std::string_view name) {
    const std::string text = io::changed(
        io::program_text(io::add_node),
        R"({\"type\": \"builtins.dict\", \"context\": \"[\\\"sum\\\"]\", \"children_spec\": [{\"type\": null, \"context\": null, \"children_spec\": []}]})",
        R"({\"type\": \"builtins.tuple\", \"context\": \"null\", \"children_spec\": []})");
    return io::changed(text, R"({"user_output": {"arg": {"as_tensor": {"name": "y"}}}})",
                       cat(R"({"user_input_mutation": {"arg": {"name": "y"}, "user_input_name": ")",
                           name, R"("}})"));
  };
  EXPECT_TRUE(run_any(writes_to("x")));
  EXPECT_FALSE(run_any(writes_to("z")));
}

}  // namespace
}  // namespace vitro::exported
