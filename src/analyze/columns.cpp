#include "analyze/columns.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "analyze/facts_file.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"

namespace vitro::analyze {
namespace {

enum Column : size_t { ts, dur, link, external, offset, length, name, track, category, phase };
constexpr std::array file_names{"ts",     "dur",  "link",  "external", "offset",
                                "length", "name", "track", "category", "phase"};

}  // namespace

Mapped::Mapped(Mapped&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

Mapped& Mapped::operator=(Mapped&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Mapped::~Mapped() {
  if (data_) munmap(data_, bytes_);
}

Result<Mapped> Mapped::open(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return Failure{cat(path, ": ", std::strerror(errno))};
  struct stat status{};
  fstat(file, &status);
  Mapped mapped;
  mapped.bytes_ = static_cast<size_t>(status.st_size);
  if (mapped.bytes_ > 0) {
    void* data = mmap(nullptr, mapped.bytes_, PROT_READ, MAP_SHARED, file, 0);
    mapped.data_ = data == MAP_FAILED ? nullptr : data;
  }
  ::close(file);
  if (mapped.bytes_ > 0 && !mapped.data_)
    return Failure{cat(path, ": cannot be mapped: ", std::strerror(errno))};
  return mapped;
}

Result<Columns> Columns::open(const std::string& folder) {
  Columns columns;
  auto facts = read_facts(cat(folder, "/facts"));
  if (!facts) return facts.failure();
  columns.facts = *std::move(facts);
  const std::array places{&columns.ts,       &columns.dur,    &columns.link, &columns.external,
                          &columns.offset,   &columns.length, &columns.name, &columns.track,
                          &columns.category, &columns.phase};
  for (size_t i = 0; i < places.size(); ++i) {
    auto mapped = Mapped::open(cat(folder, "/", file_names[i]));
    if (!mapped) return mapped.failure();
    *places[i] = *std::move(mapped);
  }
  const bool whole = columns.phase.as<char>().size() == columns.facts.events &&
                     columns.ts.as<int64_t>().size() == columns.facts.events;
  if (!whole) return Failure{cat(folder, ": its columns are not as long as its facts say")};
  return columns;
}

struct ColumnWriter::File {
  int file;
  std::string path;

  explicit File(std::string path_)
      : file(open(path_.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600)),
        path(std::move(path_)) {
    VITRO_CHECK(file >= 0, path, ": cannot be created: ", std::strerror(errno));
  }
  ~File() { close(file); }

  void write(const char* from, size_t bytes) const {
    while (bytes > 0) {
      const ssize_t n = ::write(file, from, bytes);
      if (n < 0 && errno == EINTR) continue;
      VITRO_CHECK(n > 0, path, ": cannot be written: ", std::strerror(errno));
      from += n;
      bytes -= static_cast<size_t>(n);
    }
  }
};

ColumnWriter::ColumnWriter(std::string folder) : folder_(std::move(folder)) {
  for (const char* file : file_names)
    files_.push_back(std::make_unique<File>(cat(folder_, "/", file)));
}

ColumnWriter::~ColumnWriter() = default;

template <class T>
void ColumnWriter::write(size_t column, std::span<const Row> rows, T Row::* member) {
  buffer_.resize(rows.size() * sizeof(T));
  char* to = buffer_.data();
  for (const Row& row : rows) {
    std::memcpy(to, &(row.*member), sizeof(T));
    to += sizeof(T);
  }
  files_[column]->write(buffer_.data(), buffer_.size());
}

void ColumnWriter::add(std::span<const Row> rows) {
  VITRO_CHECK(events_ + rows.size() < UINT32_MAX, "a trace of more than 4 billion events");
  write(ts, rows, &Row::ts);
  write(dur, rows, &Row::dur);
  write(link, rows, &Row::link);
  write(external, rows, &Row::external);
  write(offset, rows, &Row::offset);
  write(length, rows, &Row::length);
  write(name, rows, &Row::name);
  write(track, rows, &Row::track);
  write(category, rows, &Row::category);
  write(phase, rows, &Row::phase);
  events_ += rows.size();
}

void ColumnWriter::finish(const Facts& facts) {
  write_facts(cat(folder_, "/facts"), facts);
}

}  // namespace vitro::analyze
