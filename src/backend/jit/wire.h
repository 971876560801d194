// Serializes requests to the helper program and its replies: 8-byte numbers in native byte order,
// strings preceded by their length.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "backend/jit/cc.h"

namespace vitro::jit {

struct WireRequest {
  std::vector<std::string> sources;
  std::string prelude, precompiled, name, kept_texts, kept_prelude, triple, features, flags;
  uint64_t vector_bits = 0, threads = 1;
};

struct WireReply {
  uint64_t ok = 0;
  std::vector<std::string> objects;
  std::string diagnostics;
  uint64_t clang_ns = 0, from_tree = 0;
};

inline constexpr uint64_t wire_magic = 0x3043432d54495600 + VITRO_CC_INTERFACE;

// A request as a struct of the C interface; the WireRequest must outlive it.
class RequestView {
 public:
  explicit RequestView(const WireRequest& wire) {
    for (const std::string& source : wire.sources) texts_.push_back({source.data(), source.size()});
    request = {sizeof request,
               uint32_t(wire.vector_bits),
               texts_.data(),
               texts_.size(),
               {wire.prelude.data(), wire.prelude.size()},
               wire.precompiled.c_str(),
               wire.name.c_str(),
               wire.kept_texts.c_str(),
               wire.kept_prelude.c_str(),
               wire.triple.c_str(),
               wire.features.c_str(),
               wire.flags.c_str(),
               uint32_t(wire.threads),
               0};
  }
  RequestView(const RequestView&) = delete;

  VitroCcRequest request;

 private:
  std::vector<VitroCcText> texts_;
};

class WireWriter {
 public:
  WireWriter() { add(wire_magic); }
  void add(uint64_t number) {
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  void add(std::string_view text) {
    add(uint64_t{text.size()});
    bytes_.append(text);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Reads the output of a WireWriter; ok() becomes false on the first read past the end.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) { ok_ = number() == wire_magic; }
  bool ok() const { return ok_; }
  bool at_end() const { return ok_ && rest_.empty(); }
  uint64_t number() {
    uint64_t n = 0;
    if (rest_.size() < sizeof n) {
      ok_ = false;
      return 0;
    }
    std::memcpy(&n, rest_.data(), sizeof n);
    rest_.remove_prefix(sizeof n);
    return n;
  }
  std::string text() {
    uint64_t size = number();
    if (!ok_ || size > rest_.size()) {
      ok_ = false;
      return {};
    }
    std::string out(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return out;
  }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

inline std::string write_wire(const WireRequest& r) {
  WireWriter out;
  out.add(uint64_t{r.sources.size()});
  for (const std::string& source : r.sources) out.add(source);
  for (const std::string* text : {&r.prelude, &r.precompiled, &r.name, &r.kept_texts,
                                  &r.kept_prelude, &r.triple, &r.features, &r.flags}) {
    out.add(*text);
  }
  out.add(r.vector_bits);
  out.add(r.threads);
  return out.take();
}

inline bool read_wire(std::string_view bytes, WireRequest& r) {
  WireReader in(bytes);
  uint64_t count = in.number();
  for (uint64_t i = 0; i < count && in.ok(); ++i) r.sources.push_back(in.text());
  for (std::string* text : {&r.prelude, &r.precompiled, &r.name, &r.kept_texts, &r.kept_prelude,
                            &r.triple, &r.features, &r.flags}) {
    *text = in.text();
  }
  r.vector_bits = in.number();
  r.threads = in.number();
  return in.at_end();
}

inline std::string write_wire(const VitroCcReply& r) {
  WireWriter out;
  out.add(uint64_t(r.ok));
  out.add(uint64_t{r.object_count});
  for (size_t i = 0; i < r.object_count; ++i)
    out.add(std::string_view(r.objects[i].data, r.objects[i].size));
  out.add(std::string_view(r.diagnostics.data, r.diagnostics.size));
  out.add(uint64_t(r.clang_ns));
  out.add(uint64_t(r.from_tree));
  return out.take();
}

inline bool read_wire(std::string_view bytes, WireReply& r) {
  WireReader in(bytes);
  r.ok = in.number();
  uint64_t count = in.number();
  for (uint64_t i = 0; i < count && in.ok(); ++i) r.objects.push_back(in.text());
  r.diagnostics = in.text();
  r.clang_ns = in.number();
  r.from_tree = in.number();
  return in.at_end();
}

}  // namespace vitro::jit
