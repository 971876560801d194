// Writes the headers of entries, padded to the alignment, and the directory at the end; in the form
// with 64 bits where a number needs it.
#include "io/zip_writer.h"

#include <algorithm>
#include <concepts>

#include "io/zip_archive.h"

namespace vitro::io {
namespace {

constexpr uint16_t padding_id = 0x4246;  // PyTorch's
constexpr uint16_t version = 45;         // the first with sizes of 64 bits
constexpr uint32_t date = 0x00210000;    // 1980-01-01: the same content gives the same bytes
constexpr size_t extra_header = 4;

// A record, built number by number.
class Record {
 public:
  template <std::integral T>
  Record& put(T number) {
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
    return *this;
  }
  Record& put(std::string_view bytes) {
    bytes_.append(bytes);
    return *this;
  }
  const std::string& bytes() const { return bytes_; }
  size_t size() const { return bytes_.size(); }

 private:
  std::string bytes_;
};

// Counts and sums what is written.
class Summed final : public report::Output {
 public:
  uint32_t checksum() const { return checksum_; }

 protected:
  void drain(std::string_view bytes) override {
    checksum_ = zip_checksum(std::as_bytes(std::span(bytes)), checksum_);
  }

 private:
  uint32_t checksum_ = 0;
};

// What the local header and the directory say alike, from the needed version to the two sizes.
void put_shared(Record& record, uint32_t checksum, uint32_t size) {
  record.put(version).put(zip::utf8_name).put(zip::stored).put(date).put(checksum);
  record.put(size).put(size);
}

}  // namespace

void ZipWriter::add(std::string_view name, std::string_view content) {
  add(name, [&](report::Output& out) { out.write(content); });
}

void ZipWriter::add(std::string_view name, FunctionRef<void(report::Output&)> write) {
  Summed sum;
  write(sum);
  sum.finish();
  Entry entry{std::string(name), sum.checksum(), sum.written(), into_.written()};
  const bool wide = entry.size >= widest_;
  Record extra;
  if (wide) extra.put(zip::extra64).put(uint16_t{16}).put(entry.size).put(entry.size);
  const uint64_t unpadded =
      entry.begin + zip::local_bytes + name.size() + extra.size() + extra_header;
  const uint64_t padding = (alignment - unpadded % alignment) % alignment;
  extra.put(padding_id).put(static_cast<uint16_t>(padding)).put(std::string(padding, 'Z'));

  Record header;
  header.put(zip::local_signature);
  put_shared(header, entry.checksum, wide ? zip::full32 : static_cast<uint32_t>(entry.size));
  header.put(static_cast<uint16_t>(name.size())).put(static_cast<uint16_t>(extra.size()));
  into_.write(header.put(name).put(extra.bytes()).bytes());
  write(into_);
  entries_.push_back(std::move(entry));
}

void ZipWriter::write_entry(const Entry& entry) {
  const bool wide = entry.size >= widest_, far = entry.begin >= widest_;
  Record extra;
  if (wide || far)
    extra.put(zip::extra64).put(static_cast<uint16_t>((wide ? 16 : 0) + (far ? 8 : 0)));
  if (wide) extra.put(entry.size).put(entry.size);
  if (far) extra.put(entry.begin);
  Record record;
  record.put(zip::entry_signature).put(version);
  put_shared(record, entry.checksum, wide ? zip::full32 : static_cast<uint32_t>(entry.size));
  record.put(static_cast<uint16_t>(entry.name.size())).put(static_cast<uint16_t>(extra.size()));
  record.put(uint16_t{0}).put(uint16_t{0}).put(uint16_t{0}).put(uint32_t{0});
  record.put(far ? zip::full32 : static_cast<uint32_t>(entry.begin));
  into_.write(record.put(entry.name).put(extra.bytes()).bytes());
}

void ZipWriter::finish() {
  const uint64_t begin = into_.written();
  for (const Entry& entry : entries_) write_entry(entry);
  const uint64_t end = into_.written(), size = end - begin, count = entries_.size();
  Record record;
  if (count >= zip::full16 || end >= widest_) {
    record.put(zip::end64_signature).put(uint64_t{zip::end64_bytes - 12});
    record.put(version).put(version).put(uint32_t{0}).put(uint32_t{0});
    record.put(count).put(count).put(size).put(begin);
    record.put(zip::locator_signature).put(uint32_t{0}).put(end).put(uint32_t{1});
  }
  const auto short_count = static_cast<uint16_t>(std::min<uint64_t>(count, zip::full16));
  const auto short_of = [&](uint64_t n) {
    return n >= widest_ ? zip::full32 : static_cast<uint32_t>(n);
  };
  record.put(zip::end_signature).put(uint16_t{0}).put(uint16_t{0});
  record.put(short_count).put(short_count).put(short_of(size)).put(short_of(begin));
  into_.write(record.put(uint16_t{0}).bytes());
}

}  // namespace vitro::io
