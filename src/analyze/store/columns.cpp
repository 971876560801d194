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
  int file;             // negative: in memory
  std::string no_room;  // why it is
  std::vector<char> memory;

  explicit File(const std::string& folder) : file(nameless_file(folder)) {
    if (file < 0) go_to_memory(folder);
  }
  ~File() {
    if (file >= 0) close(file);
  }

  void write_at(const void* from, size_t bytes, uint64_t at) {
    if (file >= 0 &&
        pwrite(file, from, bytes, static_cast<off_t>(at)) == static_cast<ssize_t>(bytes))
      return;
    if (file >= 0) go_to_memory({});
    std::memcpy(memory.data() + at, from, bytes);
  }

  void write(const void* from, size_t bytes) {
    const char* rest = static_cast<const char*>(from);
    while (bytes > 0 && file >= 0) {
      const ssize_t n = ::write(file, rest, bytes);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) {
        go_to_memory({});
        break;
      }
      rest += n;
      bytes -= static_cast<size_t>(n);
    }
    memory.insert(memory.end(), rest, rest + bytes);
  }

  Result<Mapped> map() const { return file >= 0 ? Mapped::of(file) : Mapped::copy_of(memory); }

  bool name(const std::string& path) const {
    const std::string here = cat("/proc/self/fd/", file);
    if (linkat(AT_FDCWD, here.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0) return true;
    return copy(path);
  }

 private:
  // With what was written so far.
  void go_to_memory(const std::string& folder) {
    no_room = cat(folder, folder.empty() ? "" : ": ", std::strerror(errno));
    if (file < 0) return;
    const off_t size = lseek(file, 0, SEEK_END);
    memory.resize(static_cast<size_t>(size));
    for (size_t at = 0; at < memory.size();) {
      const ssize_t n = pread(file, memory.data() + at, memory.size() - at, static_cast<off_t>(at));
      VITRO_CHECK(n > 0 || errno == EINTR,
                  "cannot read the columns of a trace again: ", std::strerror(errno));
      at += static_cast<size_t>(std::max<ssize_t>(n, 0));
    }
    close(std::exchange(file, -1));
  }

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
    auto mapped = files_[i]->map();
    VITRO_CHECK(mapped, "the columns of a trace: ", mapped.why());
    columns.*all_columns[i].member = *std::move(mapped);
  }
  return columns;
}

Result<Done> ColumnWriter::name_files(const std::string& folder, const Facts& facts) const {
  for (size_t i = 0; i < all_columns.size(); ++i) {
    const File& each = *files_[i];
    if (each.file < 0) return Failure{cat(folder, ": ", each.no_room)};
    if (!each.name(cat(folder, "/", all_columns[i].file)))
      return Failure{cat(folder, ": ", std::strerror(errno))};
  }
  write_facts(cat(folder, "/facts"), facts);
  return Done{};
}

}  // namespace vitro::analyze
