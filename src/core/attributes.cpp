// Comparison, hashing, conversion to arguments, recording and rewriting of sizes, for each type
// that a member of attributes may have; called by the templates of attributes.h.
#include "vitro/core/attributes.h"

#include "vitro/base/cat.h"

namespace vitro::attribute {
bool same(const Sizes& a, const Sizes& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!identical(a[i], b[i])) return false;
  }
  return true;
}

void add(Hasher& h, bool v) {
  h.add(v);
}
void add(Hasher& h, int64_t v) {
  h.add(v);
}
void add(Hasher& h, double v) {
  h.add(v);
}
void add(Hasher& h, const std::string& v) {
  h.add(v);
}
void add(Hasher& h, DType v) {
  h.add(v);
}
void add(Hasher& h, Device v) {
  h.add(slot_of(v));
}
void add(Hasher& h, Size v) {
  h.add(v.is_symbolic());
  if (v.is_symbolic()) return h.add(v.expr().text());
  h.add(v.hint());
}
void add(Hasher& h, const Dims& v) {
  h.add(v.size());
  for (const int64_t d : v) h.add(d);
}
void add(Hasher& h, const Scalar& v) {
  add_to(h, v);
}
void add(Hasher& h, const Sizes& v) {
  h.add(v.size());
  for (const Size s : v) add(h, s);
}

ArgValue value_of(Device v) {
  return cat(v);
}
ArgValue value_of(const Dims& v) {
  return std::vector<Scalar>(v.begin(), v.end());
}
ArgValue value_of(const Sizes& v) {
  return std::vector<Scalar>(v.begin(), v.end());
}

void map_sizes(Scalar& v, const SizeMap& f) {
  if (v.is_symbolic()) v = Scalar(f(v.size()));
}

void record(events::ValueWriter& out, bool v) {
  out.boolean(v);
}
void record(events::ValueWriter& out, int64_t v) {
  out.integer(v);
}
void record(events::ValueWriter& out, double v) {
  out.floating(v);
}
void record(events::ValueWriter& out, const std::string& v) {
  out.text(v);
}
void record(events::ValueWriter& out, DType v) {
  out.text(name_of(v));
}
void record(events::ValueWriter& out, Device v) {
  out.text(cat(v));
}
void record(events::ValueWriter& out, Size v) {
  out.integer(v.hint());
}
void record(events::ValueWriter& out, const Dims& v) {
  out.integers({v.data(), v.size()});
}
void record(events::ValueWriter& out, const Sizes& v) {
  SmallVector<int64_t, 8> values;
  for (const Size size : v) values.push_back(size.hint());
  out.integers({values.data(), values.size()});
}
void record(events::ValueWriter& out, const Scalar& v) {
  switch (v.kind()) {
    case Scalar::Kind::boolean:
      out.boolean(v.as_bool());
      break;
    case Scalar::Kind::integer:
      out.integer(v.size().hint());
      break;
    case Scalar::Kind::floating:
      out.floating(v.as_double());
      break;
    case Scalar::Kind::complex:
      out.text(cat(v));
      break;
  }
}

}  // namespace vitro::attribute

namespace vitro {

std::string Attrs::text() const {
  std::string out;
  if (!data_) return out;
  for (const NamedArg& one : type_->values(data_.get()))
    out += cat(out.empty() ? "" : ", ", one.name, '=', text_of(one.value));
  return out;
}

}  // namespace vitro
