// Mapped files: what is written to a storage stays in the process, and shared pages are shared.
#include "io/mapped_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>

#include "io/files.h"
#include "vitro/base/cat.h"

namespace vitro::io {
namespace {

char* text_of(const Storage& storage) {
  return static_cast<char*>(storage.data());
}

TEST(MappedFile, writes_stay_in_the_process_and_storages_keep_the_file) {
  const std::string path = file_of("pages", std::string(10'000, 'a'));
  auto file = MappedFile::open(path).value();
  const Storage whole = file->storage(100, 9000), part = file->storage(200, 10);
  const Storage apart = file->storage_apart(5000, 100);
  const auto bytes = file->bytes();
  text_of(whole)[100] = 'b';
  EXPECT_EQ(text_of(part)[0], 'b');  // the same pages
  text_of(whole)[4900] = 'c';
  EXPECT_EQ(text_of(apart)[0], 'a');
  EXPECT_EQ(static_cast<char>(bytes[200]), 'a');
  EXPECT_EQ(content_of(path), std::string(10'000, 'a'));
  file.reset();
  EXPECT_EQ(text_of(part)[0], 'b');
  EXPECT_FALSE(part.exposed());
}

TEST(MappedFile, a_file_that_became_shorter_is_found_by_a_check) {
  const std::string path = file_of("shrinking", "0123456789");
  const auto file = MappedFile::open(path).value();
  EXPECT_TRUE(file->check());
  std::filesystem::resize_file(path, 4);
  EXPECT_EQ(file->check().why(),
            cat(path, ": another program shortened it to 4 bytes; it had 10 when it was opened"));
}

TEST(MappedFile, what_is_not_a_file_is_refused) {
  EXPECT_TRUE(MappedFile::open(file_of("empty", "")).value()->bytes().empty());
  EXPECT_EQ(MappedFile::open("/nowhere").why(),
            "/nowhere: cannot be opened: No such file or directory");
  EXPECT_EQ(MappedFile::open(scratch("")).why(), cat(scratch(""), ": is not a regular file"));
  const std::string pipe = scratch("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(MappedFile::open(pipe).why(), cat(pipe, ": is not a regular file"));
}

}  // namespace
}  // namespace vitro::io
