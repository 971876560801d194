#include <gtest/gtest.h>

#include <set>

#include "vitro/base/error.h"
#include "vitro/profiler/whole_program.h"

namespace vitro {
namespace {

std::string error_of(const char* text) {
  WholeProgram program;
  try {
    apply_settings(program, text);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST(ProfileSettings, set_the_fields_that_they_name) {
  WholeProgram program;
  apply_settings(program,
                 "record_shapes,profile_memory=1,with_stack=0,max_bytes=512M,table,row_limit=7,"
                 "sort_by=count,group_by_input_shape=true");
  EXPECT_TRUE(program.profiler.record_shapes);
  EXPECT_TRUE(program.profiler.profile_memory);
  EXPECT_FALSE(program.profiler.with_stack);
  EXPECT_EQ(program.profiler.max_bytes, size_t{512} << 20);
  EXPECT_TRUE(program.table);
  EXPECT_EQ(program.rows.row_limit, 7u);
  EXPECT_EQ(program.rows.sort_by, "count");
  EXPECT_TRUE(program.group.group_by_input_shape);
}

TEST(ProfileSettings, take_units_in_any_case) {
  for (const char* text : {"max_bytes=64K", "max_bytes=64k"}) {
    WholeProgram program;
    apply_settings(program, text);
    EXPECT_EQ(program.profiler.max_bytes, size_t{64} << 10);
  }
}

TEST(ProfileSettings, have_different_names) {
  std::set<std::string_view> names;
  for (const ProfileSetting& setting : profile_settings()) names.insert(setting.name);
  EXPECT_EQ(names.size(), profile_settings().size());
}

TEST(ProfileSettings, report_invalid_text) {
  EXPECT_TRUE(error_of("shapes").starts_with(
      "there is no setting \"shapes\"; there are record_shapes, with_stack, "))
      << error_of("shapes");
  EXPECT_EQ(error_of("row_limit=many"),
            "row_limit: got \"many\", needs an integer such as 20, 64K or 2G");
  EXPECT_EQ(error_of("max_bytes=5Q"),
            "max_bytes: got \"5Q\", whose unit \"Q\" is not K, M, G or T (of 1024)");
  EXPECT_EQ(error_of("max_bytes=64KB"),
            "max_bytes: got \"64KB\", whose unit \"KB\" is not K, M, G or T (of 1024)");
  for (const char* huge : {"99999999999G", "99999999999999999999"})
    EXPECT_EQ(error_of(cat("max_bytes=", huge).c_str()),
              cat("max_bytes: got \"", huge, "\", which does not fit in 64 bits"));
  EXPECT_EQ(error_of("table=yes"), "table: got \"yes\", needs 1 or 0, or nothing for 1");
  EXPECT_TRUE(error_of("sort_by=cuda_time").starts_with("sort_by: there is no \"cuda_time\"; "));
  EXPECT_EQ(error_of(""), "");
}

}  // namespace vitro
