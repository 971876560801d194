// The columns of a trace: one file each, written in trace order and mapped for reading, with a file
// of facts beside them.
//   ColumnWriter writer(folder);  writer.add(rows);
//   Columns columns = writer.finish(facts);  writer.name_files(new_folder, columns.facts);
//   Result<Columns> again = Columns::open(new_folder);
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analyze/read/event_parser.h"
#include "analyze/store/mapped.h"
#include "vitro/analyze/trace.h"

namespace vitro::analyze {

// Base of the text positions of events from `first_event` on: their `offset` counts from here.
struct OffsetBase {
  uint64_t first_event = 0, offset = 0;  // in the unpacked file
};

// Everything that is not a column.
struct Facts {
  uint64_t events = 0, file_bytes = 0, unpacked_bytes = 0;
  int64_t base = 0;
  std::vector<std::string> names, categories;
  std::vector<TrackInfo> tracks;
  std::map<std::string, std::string> metadata;
  std::vector<Note> notes;
  std::vector<OffsetBase> offset_bases;  // ascending
};

struct Columns {
  // Fails if the folder's contents do not match its facts.
  static Result<Columns> open(const std::string& folder);

  Facts facts;
  Mapped ts, dur, link, external, offset, length, name, track, category, phase;

  uint64_t offset_of(EventId event) const;  // in the unpacked file
};

// The files are unnamed, so that they disappear with the process however it ends, unless
// name_files() names them.  A column that finds no room in its file system goes on in memory.
class ColumnWriter {
 public:
  // Creates files on the file system of this folder.  Throws Error if it cannot be written.
  explicit ColumnWriter(std::string folder);
  ~ColumnWriter();
  void add(const Rows& rows);
  // Makes an event that was added before one that lasts: phase X; without its link, if that is an
  // id.
  void complete(uint64_t event, int64_t dur, bool has_id);
  uint64_t events() const { return events_; }

  Columns finish(Facts facts) const;
  // Gives the files names in this folder and adds the facts.
  Result<Done> name_files(const std::string& folder, const Facts& facts) const;

 private:
  struct File;

  std::vector<std::unique_ptr<File>> files_;
  uint64_t events_ = 0;
};

}  // namespace vitro::analyze
