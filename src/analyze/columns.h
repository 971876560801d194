// The columns of a trace in a folder of their own: a file for each, written in the order of the
// trace and mapped to be read, and a file of facts.
//   ColumnWriter writer(folder);  writer.add(rows);  writer.finish(facts);
//   Result<Columns> columns = Columns::open(folder);
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "analyze/read/event_parser.h"
#include "vitro/analyze/trace.h"

namespace vitro::analyze {

// What is not a column.
struct Facts {
  uint64_t events = 0, file_bytes = 0, unpacked_bytes = 0;
  int64_t base = 0;
  std::vector<std::string> names, categories;
  std::vector<TrackInfo> tracks;
  std::map<std::string, std::string> metadata;
  std::vector<Note> notes;
};

// A file mapped whole.
class Mapped {
 public:
  Mapped() = default;
  Mapped(Mapped&& other) noexcept;
  Mapped& operator=(Mapped&& other) noexcept;
  ~Mapped();
  static Result<Mapped> open(const std::string& path);

  template <class T>
  std::span<const T> as() const {
    return {static_cast<const T*>(data_), bytes_ / sizeof(T)};
  }

 private:
  void* data_ = nullptr;
  size_t bytes_ = 0;
};

struct Columns {
  static Result<Columns> open(const std::string& folder);

  Facts facts;
  Mapped ts, dur, link, external, offset, length, name, track, category, phase;
};

class ColumnWriter {
 public:
  // Error where the folder cannot be written.
  explicit ColumnWriter(std::string folder);
  ~ColumnWriter();
  void add(std::span<const Row> rows);
  uint64_t events() const { return events_; }
  void finish(const Facts& facts);

 private:
  struct File;
  template <class T>
  void write(size_t column, std::span<const Row> rows, T Row::* member);

  std::string folder_;
  std::vector<std::unique_ptr<File>> files_;
  std::vector<char> buffer_;
  uint64_t events_ = 0;
};

}  // namespace vitro::analyze
