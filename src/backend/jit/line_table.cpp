// A reader of .debug_line, DWARF 4: interprets the line program of each unit.  Input may be
// malformed; that is a failure.
#include "backend/jit/line_table.h"

#include <array>
#include <cstring>

#include "vitro/base/cat.h"

namespace vitro::jit {
namespace {

// A bounds-checked reader; ok() becomes false on the first read past the end.
class Bytes {
 public:
  explicit Bytes(std::string_view rest) : rest_(rest) {}
  bool ok() const { return ok_; }
  bool empty() const { return rest_.empty() || !ok_; }

  template <class T>
  T number() {
    T value{};
    if (rest_.size() < sizeof value) return fail<T>();
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  // Seven bits per byte, lowest first.
  uint64_t unsigned_leb() {
    uint64_t value = 0;
    for (int shift = 0; ok_ && shift < 64; shift += 7) {
      const auto byte = number<uint8_t>();
      value |= uint64_t{byte & 0x7fu} << shift;
      if (!(byte & 0x80)) return value;
    }
    return fail<uint64_t>();
  }
  int64_t signed_leb() {
    uint64_t value = 0;
    for (int shift = 0; ok_ && shift < 64;) {
      const auto byte = number<uint8_t>();
      value |= uint64_t{byte & 0x7fu} << shift;
      shift += 7;
      if (byte & 0x80) continue;
      if (shift < 64 && (byte & 0x40)) value |= ~uint64_t{0} << shift;
      return static_cast<int64_t>(value);
    }
    return fail<int64_t>();
  }
  std::string_view text() {
    const size_t end = rest_.find('\0');
    if (end == rest_.npos) return fail<std::string_view>();
    const std::string_view found = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return found;
  }
  Bytes part(uint64_t size) {
    if (size > rest_.size()) return Bytes(fail<std::string_view>());
    const Bytes found(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return found;
  }

 private:
  template <class T>
  T fail() {
    ok_ = false;
    rest_ = {};
    return T{};
  }
  std::string_view rest_;
  bool ok_ = true;
};

// Opcodes of the line program.
enum Standard : uint8_t {
  extended = 0,
  copy = 1,
  advance_pc = 2,
  advance_line = 3,
  set_file = 4,
  const_add_pc = 8,
  fixed_advance_pc = 9
};
enum Extended : uint8_t { end_sequence = 1, set_address = 2 };

// The table of one text: a header, then a program that produces the rows.
class Unit {
 public:
  explicit Unit(Bytes bytes) : bytes_(bytes) {}

  bool read(LineTable& table) {
    if (!read_head(table)) return false;
    start_row();
    while (!bytes_.empty()) {
      if (!step(table)) return false;
    }
    return bytes_.ok();
  }

 private:
  bool read_head(LineTable& table) {
    if (bytes_.number<uint16_t>() != 4) return false;
    Bytes head = bytes_.part(bytes_.number<uint32_t>());
    least_step_ = head.number<uint8_t>();
    head.number<uint8_t>();  // maximum_operations_per_instruction
    head.number<uint8_t>();  // default_is_stmt
    line_base_ = head.number<int8_t>();
    line_range_ = head.number<uint8_t>();
    first_special_ = head.number<uint8_t>();
    for (size_t op = 1; op < first_special_ && head.ok(); ++op)
      arguments_[op] = head.number<uint8_t>();
    return line_range_ != 0 && first_special_ != 0 && read_files(head, table);
  }

  static bool read_files(Bytes& head, LineTable& table) {
    std::vector<std::string_view> folders{""};
    for (auto folder = head.text(); !folder.empty(); folder = head.text())
      folders.push_back(folder);
    for (auto name = head.text(); !name.empty(); name = head.text()) {
      const uint64_t folder = head.unsigned_leb();
      head.unsigned_leb();  // time of last modification
      head.unsigned_leb();  // size
      if (folder >= folders.size()) return false;
      table.files.push_back(folder == 0 ? std::string(name) : cat(folders[folder], "/", name));
    }
    return head.ok();
  }

  void start_row() { row_ = {.address = 0, .file = 0, .line = 1, .ends = false}; }

  bool step(LineTable& table) {
    const auto opcode = bytes_.number<uint8_t>();
    if (opcode >= first_special_) {
      const int adjusted = opcode - first_special_;
      row_.address += static_cast<uint64_t>(adjusted / line_range_) * least_step_;
      row_.line += static_cast<uint32_t>(line_base_ + adjusted % line_range_);
      table.rows.push_back(row_);
      return true;
    }
    switch (opcode) {
      case extended:
        return extended_step(table);
      case copy:
        table.rows.push_back(row_);
        return true;
      case advance_pc:
        row_.address += bytes_.unsigned_leb() * least_step_;
        return true;
      case advance_line:
        row_.line += static_cast<uint32_t>(bytes_.signed_leb());
        return true;
      case set_file:
        row_.file = static_cast<uint32_t>(bytes_.unsigned_leb() - 1);
        return row_.file < table.files.size();
      case const_add_pc:
        row_.address += static_cast<uint64_t>((255 - first_special_) / line_range_) * least_step_;
        return true;
      case fixed_advance_pc:
        row_.address += bytes_.number<uint16_t>();
        return true;
      default:  // columns, statements and blocks
        for (int i = 0; i < arguments_[opcode]; ++i) bytes_.unsigned_leb();
        return true;
    }
  }

  bool extended_step(LineTable& table) {
    Bytes body = bytes_.part(bytes_.unsigned_leb());
    switch (body.number<uint8_t>()) {
      case end_sequence:
        row_.ends = true;
        table.rows.push_back(row_);
        start_row();
        return true;
      case set_address:
        row_.address = body.number<uint64_t>();
        return body.ok();
      default:
        return body.ok();
    }
  }

  Bytes bytes_;
  LineRow row_;
  uint8_t least_step_ = 1, line_range_ = 1, first_special_ = 1;
  int8_t line_base_ = 0;
  std::array<uint8_t, 256> arguments_{};
};

}  // namespace

Result<std::vector<LineTable>> read_line_tables(std::string_view section) {
  std::vector<LineTable> tables;
  Bytes bytes(section);
  while (!bytes.empty()) {
    Unit unit(bytes.part(bytes.number<uint32_t>()));
    LineTable table;
    if (!bytes.ok() || !unit.read(table))
      return Failure{cat("line tables: number ", tables.size(), " is malformed or not DWARF 4")};
    tables.push_back(std::move(table));
  }
  return tables;
}

}  // namespace vitro::jit
