// The arguments of an event that only some slices have: inputs, module, stack, items, reasons.
// `args` is anything with the members of report::Json; the object for them is open.
#pragma once

#include <string>
#include <unordered_map>

#include "kineto/names.h"
#include "profiler/input_texts.h"
#include "vitro/base/module_path.h"
#include "vitro/profiler/stacks.h"

namespace vitro {

// For one profile; caches what it has read.
class SliceDetails {
 public:
  explicit SliceDetails(const Profile& profile) : profile_(profile) {}

  void write(const Track& track, const Slice& slice, auto& args) {
    if (slice.kind == SliceKind::op && slice.flops != 0) args.key("flops").exact(slice.flops);
    if (slice.kind == SliceKind::region && slice.detail != events::NameId{})
      args.member("compiled function", events::text(slice.detail));
    if (slice.kind == SliceKind::eager) args.member("reason", events::text(slice.detail));
    if (slice.extra == Slice::none) return;
    const SliceExtra& extra = track.extra(slice);
    if (!extra.inputs.empty()) inputs(extra.inputs, slice.kind == SliceKind::range, args);
    if (extra.module != 0) args.member("Module Hierarchy", module_path(extra.module));
    if (extra.stack != Slice::none) args.member("Call stack", call_stack(extra.stack));
    if (extra.items != 0) args.member("items of this thread", extra.items);
    if (extra.function != events::NameId{})
      args.member("compiled function", events::text(extra.function));
    if (extra.code != events::NameId{}) args.member("code", events::text(extra.code));
  }

  void write(const MemoryChange& change, auto& args) {
    if (change.category != events::MemoryCategory::other)
      args.member("Category", name_of(change.category));
    if (change.stack != Slice::none) args.member("Call stack", call_stack(change.stack));
  }

 private:
  void inputs(std::span<const std::byte> bytes, bool range, auto& args) {
    if (range) named(bytes, args);
    if (!texts_.read(bytes, range)) return;
    args.key(kineto::argument::concrete_inputs).raw(texts_.concrete);
    args.key(kineto::argument::input_type).raw(texts_.types);
    args.key(kineto::argument::input_strides).raw(texts_.strides);
    args.key(kineto::argument::input_dims).raw(texts_.dims);
  }

  // Arguments named by the user.
  static void named(std::span<const std::byte> bytes, auto& args) {
    using Kind = events::Value::Kind;
    for (events::ValueReader reader(bytes); const events::Value* value = reader.next();) {
      if (value->name.empty()) continue;
      if (value->kind == Kind::boolean) args.member(value->name, value->integer != 0);
      if (value->kind == Kind::integer) args.key(value->name).exact(value->integer);
      if (value->kind == Kind::floating) args.member(value->name, value->floating);
      if (value->kind == Kind::text) args.member(value->name, value->text);
    }
  }

  // The frames joined by ";", the innermost first.
  const std::string& call_stack(uint32_t number);

  const Profile& profile_;
  InputTexts texts_;
  Symbols symbols_;
  std::unordered_map<uint32_t, std::string> stacks_;
};

}  // namespace vitro
