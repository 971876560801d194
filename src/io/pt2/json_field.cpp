// Members and elements of JSON documents; messages name the path to them.
#include "io/pt2/json_field.h"

#include <limits>
#include <set>

#include "report/printable.h"

namespace vitro::io {

std::string Field::path() const {
  if (!parent_) return "";
  const std::string before = parent_->path();
  if (key_.data() == nullptr) return cat(before, '[', index_, ']');
  return before.empty() ? std::string(key_) : cat(before, '.', key_);
}

void Field::fail(std::string_view needed) const {
  std::string got = simdjson::minify(json_);
  if (got.size() > 60) got = cat(std::string_view(got).substr(0, 60), "...");
  const std::string where = path();
  throw_error(report::printable(
      cat(where.empty() ? "the document" : where, ": needs ", needed, ", got ", got)));
}

Field Field::operator[](std::string_view key) const {
  if (!is_object()) fail("an object");
  simdjson::dom::element found;
  if (json_.at_key(key).get(found) != simdjson::SUCCESS) fail(cat("a member \"", key, '"'));
  return {found, this, key, 0};
}

std::optional<Field> Field::find(std::string_view key) const {
  simdjson::dom::element found;
  if (!is_object() || json_.at_key(key).get(found) != simdjson::SUCCESS || found.is_null())
    return std::nullopt;
  return Field(found, this, key, 0);
}

void Field::each(FunctionRef<void(const Field&)> f) const {
  simdjson::dom::array list;
  if (json_.get(list) != simdjson::SUCCESS) fail("a list");
  size_t index = 0;
  for (const simdjson::dom::element one : list) f(Field(one, this, {}, index++));
}

void Field::each_member(FunctionRef<void(std::string_view, const Field&)> f) const {
  simdjson::dom::object members;
  if (json_.get(members) != simdjson::SUCCESS) fail("an object");
  std::set<std::string_view> seen;
  for (const auto& member : members) {
    const Field field(member.value, this, member.key, 0);
    if (!seen.insert(member.key).second) field.fail("a name that occurs once");
    f(member.key, field);
  }
}

size_t Field::size() const {
  size_t count = 0;
  each([&](const Field&) { ++count; });
  return count;
}

Field Field::only(std::string_view* key) const {
  simdjson::dom::object members;
  if (json_.get(members) != simdjson::SUCCESS || members.size() != 1)
    fail("an object with one member");
  const auto member = *members.begin();
  *key = member.key;
  return {member.value, this, member.key, 0};
}

std::string_view Field::text() const {
  std::string_view out;
  if (json_.get(out) != simdjson::SUCCESS) fail("a text");
  return out;
}

std::string Field::printable() const {
  return report::printable(text());
}

int64_t Field::integer() const {
  int64_t out = 0;
  if (json_.get(out) != simdjson::SUCCESS) fail("an integer of 64 bits");
  return out;
}

bool Field::boolean() const {
  bool out = false;
  if (json_.get(out) != simdjson::SUCCESS) fail("true or false");
  return out;
}

double Field::number() const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (is_text()) {
    if (text() == "Infinity") return infinity;
    if (text() == "-Infinity") return -infinity;
    if (text() == "NaN") return std::numeric_limits<double>::quiet_NaN();
  }
  double out = 0;
  if (json_.get(out) != simdjson::SUCCESS) fail("a number");
  return out;
}

}  // namespace vitro::io
