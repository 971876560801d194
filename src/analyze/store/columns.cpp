// Writes columns to unnamed files and maps them, and opens those kept in the cache folder;
// load.cpp fills the writer, trace.cpp reads the columns.
#include "analyze/store/columns.h"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

#include "analyze/store/facts_file.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"

namespace vitro::analyze {
namespace {

struct Column {
  const char* file;
  Mapped Columns::* member;
  size_t width;
};
constexpr std::array all_columns{Column{"ts", &Columns::ts, 8},
                                 Column{"dur", &Columns::dur, 8},
                                 Column{"link", &Columns::link, 8},
                                 Column{"external", &Columns::external, 8},
                                 Column{"offset", &Columns::offset, 4},
                                 Column{"length", &Columns::length, 4},
                                 Column{"name", &Columns::name, 4},
                                 Column{"track", &Columns::track, 4},
                                 Column{"category", &Columns::category, 2},
                                 Column{"phase", &Columns::phase, 1}};

bool are_whole(const Columns& columns) {
  const Facts& facts = columns.facts;
  const bool placed =
      facts.events == 0 || (!facts.offset_bases.empty() && facts.offset_bases[0].first_event == 0);
  return placed && std::ranges::all_of(all_columns, [&](const Column& column) {
           return (columns.*column.member).as<char>().size() == facts.events * column.width;
         });
}

}  // namespace

Result<Columns> Columns::open(const std::string& folder) {
  Columns columns;
  auto facts = read_facts(cat(folder, "/facts"));
  if (!facts) return facts.failure();
  columns.facts = *std::move(facts);
  for (const Column& column : all_columns) {
    auto mapped = Mapped::open(cat(folder, "/", column.file));
    if (!mapped) return mapped.failure();
    columns.*column.member = *std::move(mapped);
  }
  if (!are_whole(columns))
    return Failure{cat(folder, ": its columns do not have the length given in its facts")};
  return columns;
}

uint64_t Columns::offset_of(EventId event) const {
  const auto behind =
      std::ranges::upper_bound(facts.offset_bases, event, {}, &OffsetBase::first_event);
  return std::prev(behind)->offset + offset.as<uint32_t>()[event];
}

struct ColumnWriter::File {
  int file;
  std::string folder;

  explicit File(std::string folder_) : file(nameless_file(folder_)), folder(std::move(folder_)) {
    VITRO_CHECK(file >= 0, folder, ": cannot create a file in this folder: ", std::strerror(errno));
  }
  ~File() { close(file); }

  void write_at(const void* from, size_t bytes, uint64_t at) const {
    VITRO_CHECK(pwrite(file, from, bytes, static_cast<off_t>(at)) == static_cast<ssize_t>(bytes),
                folder,
                ": cannot write the columns of a trace to this folder: ", std::strerror(errno));
  }

  void write(const void* from, size_t bytes) const {
    const char* rest = static_cast<const char*>(from);
    while (bytes > 0) {
      const ssize_t n = ::write(file, rest, bytes);
      if (n < 0 && errno == EINTR) continue;
      VITRO_CHECK(n > 0, folder,
                  ": cannot write the columns of a trace to this folder: ", std::strerror(errno),
                  "; set VITRO_CACHE_DIR to another folder");
      rest += n;
      bytes -= static_cast<size_t>(n);
    }
  }

  bool name(const std::string& path) const {
    const std::string here = cat("/proc/self/fd/", file);
    if (linkat(AT_FDCWD, here.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0) return true;
    return copy(path);
  }

 private:
  bool copy(const std::string& path) const {
    const int to = open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    struct stat status{};
    if (to < 0 || fstat(file, &status) != 0) return false;
    off_t at = 0;
    constexpr size_t most = size_t{1} << 30;
    while (at < status.st_size && sendfile(to, file, &at, most) > 0) continue;
    return close(to) == 0 && at == status.st_size;
  }
};

ColumnWriter::ColumnWriter(std::string folder) {
  for (size_t i = 0; i < all_columns.size(); ++i) files_.push_back(std::make_unique<File>(folder));
}

ColumnWriter::~ColumnWriter() = default;

void ColumnWriter::add(const Rows& rows) {
  VITRO_CHECK(events_ + rows.size() < UINT32_MAX, "the trace has more than 4 billion events");
  const void* values[] = {rows.ts.data(),       rows.dur.data(),    rows.link.data(),
                          rows.external.data(), rows.offset.data(), rows.length.data(),
                          rows.name.data(),     rows.track.data(),  rows.category.data(),
                          rows.phase.data()};
  static_assert(std::size(values) == all_columns.size());
  for (size_t i = 0; i < all_columns.size(); ++i)
    files_[i]->write(values[i], rows.size() * all_columns[i].width);
  events_ += rows.size();
}

void ColumnWriter::complete(uint64_t event, int64_t dur, bool has_id) {
  const auto set = [&](Mapped Columns::* member, const auto& value) {
    const auto column = std::ranges::find(all_columns, member, &Column::member);
    const auto at = static_cast<size_t>(column - all_columns.begin());
    files_[at]->write_at(&value, sizeof value, event * column->width);
  };
  set(&Columns::dur, dur);
  if (has_id) set(&Columns::link, none);
  set(&Columns::phase, 'X');
}

Columns ColumnWriter::finish(Facts facts) const {
  Columns columns;
  columns.facts = std::move(facts);
  for (size_t i = 0; i < all_columns.size(); ++i) {
    auto mapped = Mapped::of(files_[i]->file);
    VITRO_CHECK(mapped, files_[i]->folder, ": cannot map a file in this folder: ", mapped.why());
    columns.*all_columns[i].member = *std::move(mapped);
  }
  return columns;
}

bool ColumnWriter::name_files(const std::string& folder, const Facts& facts) const {
  for (size_t i = 0; i < all_columns.size(); ++i)
    if (!files_[i]->name(cat(folder, "/", all_columns[i].file))) return false;
  write_facts(cat(folder, "/facts"), facts);
  return true;
}

}  // namespace vitro::analyze
