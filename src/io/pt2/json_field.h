// A field of a JSON document with the path to it, for messages: "graph.nodes[3].inputs[0].arg".
// A Field refers to the one that it is in, which must live as long.  Errors name the path, what is
// there and what is needed.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/base/function_ref.h"

namespace vitro::io {

class Field {
 public:
  explicit Field(simdjson::dom::element root) : json_(root) {}

  // A member that has to be there; one that may be missing or null.
  Field operator[](std::string_view key) const;
  std::optional<Field> find(std::string_view key) const;
  // The elements of a list; the members of an object, none twice.
  void each(FunctionRef<void(const Field&)> f) const;
  void each_member(FunctionRef<void(std::string_view, const Field&)> f) const;
  size_t size() const;  // of a list
  // The only member of an object: {"as_tensor": ...}.
  Field only(std::string_view* key) const;

  bool is_null() const { return json_.is_null(); }
  bool is_list() const { return json_.is_array(); }
  bool is_object() const { return json_.is_object(); }
  bool is_text() const { return json_.is_string(); }
  bool is_integer() const { return json_.is_int64(); }
  std::string_view text() const;
  // A text that is kept: messages and terminals may show it (report/printable.h).
  std::string printable() const;
  int64_t integer() const;
  bool boolean() const;
  double number() const;  // also "Infinity", "-Infinity", "NaN"

  std::string path() const;
  [[noreturn]] void fail(std::string_view needed) const;

 private:
  Field(simdjson::dom::element json, const Field* parent, std::string_view key, size_t index)
      : json_(json), parent_(parent), key_(key), index_(index) {}
  simdjson::dom::element json_;
  const Field* parent_ = nullptr;
  std::string_view key_;  // in an object
  size_t index_ = 0;      // in a list
};

}  // namespace vitro::io
