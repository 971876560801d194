// Zip archives: what ZipWriter writes is read, with numbers of 32 and of 64 bits; whatever is wrong
// with an archive is refused, one thing at a time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "io/files.h"
#include "io/little_endian.h"
#include "io/zip_archive.h"
#include "io/zip_writer.h"
#include "vitro/base/cat.h"

namespace vitro::io {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}
std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// An archive of a.txt and b/c.txt.
std::string small_archive(uint64_t widest = 0xffffffff) {
  report::TextOutput out;
  ZipWriter zip(out, widest);
  zip.add("a.txt", "hello");
  zip.add("b/c.txt", "");
  zip.add("d", "the last one");
  zip.finish();
  out.finish();
  return out.text();
}

constexpr size_t first_content = 64;  // that of a.txt

std::string content(const ZipArchive& archive, std::string_view name) {
  const ZipEntry* const entry = archive.find(name);
  if (!entry) return "there is no such entry";
  const auto bytes = archive.stored(*entry);
  if (!bytes) return bytes.why();
  std::string unpacked(entry->size, '?');
  const auto done = archive.unpack(*entry, std::as_writable_bytes(std::span(unpacked)));
  EXPECT_TRUE(done) << done.why();
  EXPECT_TRUE(archive.verify(*entry));
  EXPECT_EQ(unpacked, text_of(*bytes));
  return unpacked;
}

// Why the archive, or else an entry of it, cannot be read.
std::string why(const std::string& file) {
  const auto archive = ZipArchive::over(bytes_of(file));
  if (!archive) return archive.why();
  for (const ZipEntry& entry : archive->entries()) {
    if (auto possible = archive->check_size(entry); !possible) return possible.why();
    std::string unpacked(entry.size, '?');
    const auto done = archive->unpack(entry, std::as_writable_bytes(std::span(unpacked)));
    if (!done) return done.why();
  }
  return "fine";
}

// The archive with a number replaced, in the record that begins with `signature`, the nth one.
template <class T>
std::string changed(std::string file, uint32_t signature, size_t nth, size_t at, T number) {
  const std::string_view mark(reinterpret_cast<const char*>(&signature), sizeof signature);
  size_t record = file.find(mark);
  while (nth-- > 0) record = file.find(mark, record + 1);
  std::memcpy(file.data() + record + at, &number, sizeof number);
  return file;
}

size_t position(const std::string& file, uint32_t signature) {
  return file.find(std::string_view(reinterpret_cast<const char*>(&signature), sizeof signature));
}

TEST(Zip, what_was_written_is_read) {
  const std::string file = small_archive();
  const auto archive = ZipArchive::over(bytes_of(file));
  ASSERT_TRUE(archive) << archive.why();
  ASSERT_EQ(archive->entries().size(), 3U);
  EXPECT_EQ(archive->entries()[0].name, "a.txt");
  EXPECT_EQ(content(*archive, "a.txt"), "hello");
  EXPECT_EQ(content(*archive, "b/c.txt"), "");
  EXPECT_EQ(content(*archive, "d"), "the last one");
  EXPECT_EQ(archive->find("nope"), nullptr);
  for (const ZipEntry& entry : archive->entries()) {
    const auto bytes = archive->stored(entry).value();
    EXPECT_EQ((bytes.data() - archive->file().data()) % 64, 0) << entry.name;
  }
}

TEST(Zip, numbers_of_64_bits_are_written_and_read_where_they_are_needed) {
  const std::string plain = small_archive();
  EXPECT_EQ(position(plain, zip::end64_signature), std::string::npos);
  for (const uint64_t widest : {1, 6, 70, 200}) {
    const std::string file = small_archive(widest);
    EXPECT_NE(position(file, zip::end64_signature), std::string::npos);
    const auto archive = ZipArchive::over(bytes_of(file));
    ASSERT_TRUE(archive) << archive.why();
    EXPECT_EQ(content(*archive, "a.txt"), "hello");
    EXPECT_EQ(content(*archive, "b/c.txt"), "");
    EXPECT_EQ(content(*archive, "d"), "the last one");
  }
}

TEST(Zip, an_archive_of_no_entries_is_read) {
  report::TextOutput out;
  ZipWriter zip(out);
  zip.finish();
  out.finish();
  const auto archive = ZipArchive::over(bytes_of(out.text()));
  ASSERT_TRUE(archive) << archive.why();
  EXPECT_TRUE(archive->entries().empty());
}

TEST(Zip, more_entries_than_16_bits_count_are_read) {
  report::TextOutput out;
  ZipWriter zip(out);
  for (int i = 0; i < 70'000; ++i) zip.add(cat(i), "");
  zip.finish();
  out.finish();
  const auto archive = ZipArchive::over(bytes_of(out.text()));
  ASSERT_TRUE(archive) << archive.why();
  EXPECT_EQ(archive->entries().size(), 70'000U);
  EXPECT_NE(archive->find("69999"), nullptr);
}

TEST(Zip, a_file_that_is_cut_anywhere_is_refused) {
  const std::string file = small_archive();
  for (size_t size = 0; size < file.size(); ++size)
    EXPECT_NE(why(file.substr(0, size))
                  .find("the file does not end as a zip archive does; it may be truncated"),
              std::string::npos)
        << size;
  const std::string wide = small_archive(1);
  for (size_t size = 0; size < wide.size(); ++size)
    EXPECT_NE(why(wide.substr(0, size)), "fine") << size;
}

TEST(Zip, the_end_must_be_that_of_the_file) {
  const std::string file = small_archive();
  EXPECT_EQ(why(file + "x"), cat("byte ", file.size() + 1,
                                 ": the file does not end as a zip archive does; it may be "
                                 "truncated"));
  // A comment reaches to the end.
  std::string with_comment = changed<uint16_t>(file, zip::end_signature, 0, 20, 3) + "abc";
  EXPECT_EQ(why(with_comment), "fine");
  // Bytes before an archive move its entries.
  EXPECT_NE(why("xx" + file).find("the directory should be"), std::string::npos);
}

TEST(Zip, a_directory_at_a_wrong_place_or_of_a_wrong_size_is_refused) {
  const std::string file = small_archive();
  const size_t end = position(file, zip::end_signature),
               begin = position(file, zip::entry_signature);
  const auto at_end = [&](size_t at, uint32_t number) {
    return why(changed<uint32_t>(file, zip::end_signature, 0, at, number));
  };
  EXPECT_EQ(at_end(16, 0), cat("byte ", end, ": the directory should be ", end - begin,
                               " bytes from byte 0 on, but must end at byte ", end));
  EXPECT_NE(at_end(16, 0xfffffffe).find("the directory should be"), std::string::npos);
  EXPECT_NE(at_end(12, 10).find("the directory should be 10 bytes"), std::string::npos);
  EXPECT_EQ(at_end(16, 0xffffffff),
            cat("byte ", end, ": the archive needs a zip64 record, and there is none"));
  EXPECT_EQ(
      why(changed<uint16_t>(file, zip::end_signature, 0, 10, 1000)),
      cat("byte ", end, ": the directory's ", end - begin, " bytes have no room for 1000 entries"));
  EXPECT_NE(
      why(changed<uint16_t>(file, zip::end_signature, 0, 10, 2)).find("bytes after its last entry"),
      std::string::npos);
  EXPECT_NE(why(changed<uint32_t>(file, zip::entry_signature, 1, 0, 0))
                .find("the directory has no entry here, but should have more"),
            std::string::npos);
  EXPECT_NE(why(changed<uint16_t>(file, zip::end_signature, 0, 4, 1))
                .find("is split into several files; join them first"),
            std::string::npos);
}

TEST(Zip, a_zip64_record_that_is_wrong_is_refused) {
  const std::string file = small_archive(1);
  ASSERT_EQ(why(file), "fine");
  const auto contradiction = "the zip64 record contradicts the record at the end";
  EXPECT_NE(why(changed<uint16_t>(file, zip::end_signature, 0, 10, 2)).find(contradiction),
            std::string::npos);
  EXPECT_NE(why(changed<uint64_t>(file, zip::locator_signature, 0, 8, ~uint64_t{0}))
                .find("there is no zip64 record at byte 18446744073709551615"),
            std::string::npos);
  EXPECT_NE(why(changed<uint64_t>(file, zip::locator_signature, 0, 8, 0))
                .find("there is no zip64 record at byte 0"),
            std::string::npos);
  EXPECT_NE(why(changed<uint32_t>(file, zip::locator_signature, 0, 4, 1)).find("is split into"),
            std::string::npos);
  for (const size_t field : {32, 40, 48})
    for (const uint64_t number : {uint64_t{0}, ~uint64_t{0}, uint64_t{1} << 63})
      EXPECT_NE(why(changed<uint64_t>(file, zip::end64_signature, 0, field, number)), "fine");
}

TEST(Zip, an_entry_outside_of_the_archive_is_refused) {
  const std::string file = small_archive();
  const size_t begin = position(file, zip::entry_signature);
  EXPECT_EQ(why(changed<uint32_t>(file, zip::entry_signature, 0, 42, 0xfffffff0)),
            cat("byte ", begin,
                ": entry \"a.txt\": its 5 bytes from byte 4294967280 on reach past "
                "the directory's beginning at byte ",
                begin));
  std::string huge = changed<uint32_t>(file, zip::entry_signature, 0, 20, 0xfffffff0);
  huge = changed<uint32_t>(huge, zip::entry_signature, 0, 24, 0xfffffff0);
  EXPECT_NE(why(huge).find("its 4294967280 bytes from byte 0 on reach past"), std::string::npos);
  std::string missing = changed<uint32_t>(file, zip::entry_signature, 0, 20, 0xffffffff);
  missing = changed<uint32_t>(missing, zip::entry_signature, 0, 24, 0xffffffff);
  EXPECT_NE(why(missing).find("entry \"a.txt\": its sizes of 64 bits are missing"),
            std::string::npos);
  for (const size_t length : {28, 30, 32})
    EXPECT_NE(why(changed<uint16_t>(file, zip::entry_signature, 2, length, 0xffff))
                  .find("an entry reaches past the end of the directory"),
              std::string::npos);
}

TEST(Zip, entries_that_overlap_are_refused) {
  const std::string file = small_archive();
  EXPECT_EQ(why(changed<uint32_t>(file, zip::entry_signature, 2, 42, 0)),
            "byte 0: entry \"a.txt\" overlaps \"d\"");
  std::string longer = changed<uint32_t>(file, zip::entry_signature, 0, 20, 100);
  longer = changed<uint32_t>(longer, zip::entry_signature, 0, 24, 100);
  EXPECT_EQ(why(longer), "byte 0: entry \"a.txt\" overlaps \"b/c.txt\"");
  // The own header's extra field pushes the content into the next entry.
  EXPECT_NE(why(changed<uint16_t>(file, zip::local_signature, 0, 28, 60))
                .find("byte 0: entry \"a.txt\": its 5 bytes overlap what follows at byte "),
            std::string::npos);
}

TEST(Zip, an_own_header_that_disagrees_is_refused) {
  const std::string file = small_archive();
  const std::string contradicts =
      "byte 0: entry \"a.txt\": its own header contradicts the directory";
  EXPECT_EQ(why(changed<uint32_t>(file, zip::local_signature, 0, 0, 0)),
            "byte 0: entry \"a.txt\": there is no entry at its position");
  EXPECT_EQ(why(changed<uint16_t>(file, zip::local_signature, 0, 8, 8)), contradicts);
  EXPECT_EQ(why(changed<uint32_t>(file, zip::local_signature, 0, 14, 1)), contradicts);
  EXPECT_EQ(why(changed<uint32_t>(file, zip::local_signature, 0, 18, 4)), contradicts);
  EXPECT_EQ(why(changed<uint32_t>(file, zip::local_signature, 0, 22, 6)), contradicts);
  EXPECT_EQ(why(with(file, "a.txt", "z.txt")),
            "byte 0: entry \"a.txt\": its own header has the name \"z.txt\"");
  EXPECT_EQ(why(changed<uint16_t>(file, zip::local_signature, 0, 26, 4)),
            "byte 0: entry \"a.txt\": its own header has the name \"a.tx\"");
  // Sizes that follow the content, as PyTorch writes them, may be missing before it.
  std::string after = changed<uint16_t>(file, zip::entry_signature, 0, 8, zip::sizes_follow);
  for (const size_t field : {14, 18, 22})
    after = changed<uint32_t>(after, zip::local_signature, 0, field, 0);
  EXPECT_EQ(why(after), "fine");
}

TEST(Zip, names_that_could_leave_a_folder_are_refused) {
  const auto named = [&](std::string_view name) {
    std::string file = small_archive();
    const size_t local = file.find("a.txt"), listed = file.rfind("a.txt");
    file.replace(local, 5, name).replace(listed, 5, name);
    return why(file);
  };
  const auto begins = [](const std::string& text, std::string_view end) {
    return text.find(end) != std::string::npos;
  };
  EXPECT_EQ(named("b.txt"), "fine");
  EXPECT_EQ(named("a/..b"), "fine");
  EXPECT_TRUE(begins(named("../ab"), "entry \"../ab\": its name leaves its folder by \"..\""));
  EXPECT_TRUE(begins(named("ab/.."), "leaves its folder"));
  EXPECT_TRUE(begins(named("/root"), "its name is an absolute path"));
  EXPECT_TRUE(begins(named("a\\b.c"), "its name has a backslash"));
  EXPECT_TRUE(begins(named("a\nb.c"), "its name has a control character"));
  EXPECT_TRUE(begins(named(std::string_view("a\0b.c", 5)), "its name has a control character"));
  EXPECT_TRUE(begins(named("a\xff.tx"), "its name is not UTF-8"));
  EXPECT_TRUE(begins(why(changed<uint16_t>(small_archive(), zip::entry_signature, 0, 28, 0)),
                     "its name is empty"));
}

TEST(Zip, a_name_that_occurs_twice_is_refused) {
  report::TextOutput out;
  ZipWriter zip(out);
  zip.add("a", "1");
  zip.add("b", "2");
  zip.add("a", "3");
  zip.finish();
  out.finish();
  EXPECT_EQ(why(out.text()), "byte 0: two entries have the name \"a\"");
}

TEST(Zip, a_damaged_content_is_refused) {
  std::string file = small_archive();
  file[first_content] = 'H';
  EXPECT_NE(why(file).find("entry \"a.txt\": its content has checksum "), std::string::npos);
  EXPECT_NE(why(file).find(": the file is damaged"), std::string::npos);
}

TEST(Zip, a_stored_entry_has_one_size) {
  EXPECT_NE(why(changed<uint32_t>(small_archive(), zip::entry_signature, 0, 24, 6))
                .find("it is stored, but has 5 bytes in the file and 6 of content"),
            std::string::npos);
}

TEST(Zip, encrypted_entries_and_other_methods_are_refused) {
  EXPECT_NE(why(changed<uint16_t>(small_archive(), zip::entry_signature, 0, 8, zip::encrypted))
                .find("it is encrypted"),
            std::string::npos);
  std::string other = changed<uint16_t>(small_archive(), zip::entry_signature, 0, 10, 93);
  other = changed<uint16_t>(other, zip::local_signature, 0, 8, 93);
  EXPECT_NE(why(other).find("it is compressed by method 93, and only deflate (8) can be read"),
            std::string::npos);
}

// The content of a.txt becomes a deflate stream of these bytes that claims a size.
std::string deflated(std::string_view stream, uint32_t size, uint32_t checksum) {
  std::string file = small_archive();
  file.replace(first_content, std::min<size_t>(stream.size(), 5), stream);
  for (const auto& [signature, at] :
       {std::pair(zip::entry_signature, 10), std::pair(zip::local_signature, 8)})
    file = changed<uint16_t>(file, signature, 0, static_cast<size_t>(at), zip::deflated);
  for (const auto& [signature, at] :
       {std::pair(zip::entry_signature, 24), std::pair(zip::local_signature, 22)})
    file = changed<uint32_t>(file, signature, 0, static_cast<size_t>(at), size);
  for (const auto& [signature, at] :
       {std::pair(zip::entry_signature, 16), std::pair(zip::local_signature, 14)})
    file = changed<uint32_t>(file, signature, 0, static_cast<size_t>(at), checksum);
  return file;
}

TEST(Zip, a_compressed_entry_unpacks_to_the_size_that_it_says) {
  // A block of fixed codes: "aaa", by zlib.
  const std::string_view stream("\x4b\x4c\x4c\x04\x00", 5);
  const uint32_t sum = zip_checksum(std::as_bytes(std::span(std::string_view("aaa"))));
  EXPECT_EQ(why(deflated(stream, 3, sum)), "fine");
  EXPECT_NE(why(deflated(stream, 2, sum)).find("it unpacks to more than its 2 bytes"),
            std::string::npos);
  EXPECT_NE(why(deflated(stream, 4, sum)).find("it unpacks to 3 bytes and not 4"),
            std::string::npos);
  EXPECT_NE(why(deflated(stream, 3, sum + 1)).find("its content has checksum"), std::string::npos);
  EXPECT_NE(why(deflated("\x4b\x4c\x4c\x4c\x4c", 5, sum)).find("its content is truncated"),
            std::string::npos);
  EXPECT_NE(why(deflated("\xff\xff\xff\xff\xff", 5, sum)).find("it cannot be unpacked: "),
            std::string::npos);
  EXPECT_NE(
      why(deflated(stream, 0xf0000000, sum)).find("5 compressed bytes cannot become 4026531840"),
      std::string::npos);
}

}  // namespace
}  // namespace vitro::io
