// Writes a profile as an execution trace in PyTorch's format, with dependencies through tensor
// numbers; used by Profiler::write_execution_trace().
#include "profiler/execution_trace.h"

#include <unistd.h>

#include <ctime>
#include <optional>
#include <string>
#include <unordered_map>

#include "profiler/flows.h"
#include "profiler/tensor_numbers.h"
#include "vitro/base/cat.h"
#include "vitro/core/dtype.h"
#include "vitro/report/json.h"
#include "vitro/report/progress.h"

namespace vitro {
namespace {

using events::TensorValue;
using events::Value;

constexpr uint64_t root_id = 1, first_thread_id = 2;
constexpr uint32_t slices_between_looks = 1024;  // between reads of the clock, for progress

// PyTorch's numbers for record scopes.
enum Scope : uint8_t { function_scope = 0, backward_scope = 1, user_scope = 7 };

struct Node {
  uint64_t id, parent;
  std::string_view name;
  uint64_t number = 0;  // its External id in a trace of the profile
  uint64_t forward_parent = 0;
  int64_t sequence = -1;
  Scope scope = user_scope;
  int64_t tid = 0, forward_tid = 0;
  bool kernel = false;
  ValuesOf inputs = {}, outputs = {};
};

std::string time_text(int64_t unix_ns) {
  const auto seconds = static_cast<time_t>(unix_ns / 1'000'000'000);
  tm parts{};
  localtime_r(&seconds, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts)};
}

std::string type_of(const TensorValue& tensor) {
  return cat("Tensor(", info(static_cast<DType>(tensor.dtype)).torch, ")");
}

std::string type_of(const Value& value) {
  const auto list = [](size_t count, auto type) {
    std::string text = "GenericList[";
    for (size_t i = 0; i < count; ++i) text += cat(i == 0 ? "" : ",", type(i));
    return text + "]";
  };
  switch (value.kind) {
    case Value::Kind::none:
      return "None";
    case Value::Kind::tensor:
      return type_of(value.tensors[0]);
    case Value::Kind::tensors:
      return list(value.tensors.size(), [&](size_t i) { return type_of(value.tensors[i]); });
    case Value::Kind::boolean:
      return "Bool";
    case Value::Kind::integer:
      return "Int";
    case Value::Kind::floating:
      return "Double";
    case Value::Kind::integers:
      return list(value.integers.size(), [](size_t) { return "Int"; });
    case Value::Kind::text:
      return "String";
  }
  return "None";
}

class Writer {
 public:
  Writer(const Profile& profile, report::Output& out)
      : profile_(profile), json_(out, 2), progress_("writing the execution trace") {
    const bool memory = profile.options.details.have(events::Detail::memory);
    uint64_t id = first_thread_id + profile.tracks.size(), number = 1;
    for (const Track& track : profile.tracks) {
      first_.push_back({id, number});
      id += track.slices.size();
      number += track.slices.size() + track.incidents.size();
      if (memory) number += track.memory.size();
    }
    tensors_.emplace(id);
    progress_.step("writing the execution trace", id);
    for (const Flow& flow : profile.flows) {
      if (flow.kind == events::FlowKind::forward_backward) forward_of_[id_of(flow.to)] = flow.from;
    }
  }

  void write();

 private:
  uint64_t id_of(const Flow::End& at) const { return first_[at.track].id + at.slice; }

  void track(uint32_t number);
  Node node_of(uint32_t track, uint32_t slice) const;
  void node(const Node& node);
  void lists(const ValuesOf& values);
  void value(const Value& value, StorageLocationReader& locations);
  void tensor(const TensorValue& tensor, StorageLocationReader& locations);
  void numbers(std::span<const int64_t> list);
  void each(const Value& value, const SmallVector<int64_t, 6> TensorValue::* list);
  void attributes(const Node& node);

  const Profile& profile_;
  report::Json json_;
  struct First {
    uint64_t id, number;
  };
  std::vector<First> first_;  // of the slices of each track
  std::unordered_map<uint64_t, Flow::End> forward_of_;
  std::optional<TensorNumbers> tensors_;
  report::Progress progress_;
};

void Writer::numbers(std::span<const int64_t> list) {
  json_.begin_array();
  for (const int64_t number : list) json_.value(number);
  json_.end();
}

void Writer::tensor(const TensorValue& tensor, StorageLocationReader& locations) {
  int64_t elements = 1;
  for (const int64_t size : tensor.sizes) elements *= size;
  const TensorNumbers::Found found = tensors_->find(tensor, locations.next());
  json_.begin_array().value(found.tensor).value(found.storage).value(found.offset).value(elements);
  json_.value(info(static_cast<DType>(tensor.dtype)).bytes).value("cpu").end();
}

void Writer::value(const Value& value, StorageLocationReader& locations) {
  switch (value.kind) {
    case Value::Kind::none:
      json_.value("<None>");
      return;
    case Value::Kind::tensor:
      return tensor(value.tensors[0], locations);
    case Value::Kind::tensors:
      json_.begin_array();
      for (const TensorValue& each : value.tensors) tensor(each, locations);
      json_.end();
      return;
    case Value::Kind::boolean:
      json_.value(value.integer != 0);
      return;
    case Value::Kind::integer:
      json_.value(value.integer);
      return;
    case Value::Kind::floating:
      json_.value(value.floating);
      return;
    case Value::Kind::integers:
      return numbers(value.integers);
    case Value::Kind::text:
      json_.value(value.text);
      return;
  }
}

// Sizes or strides of a value: a list, a list of lists, or empty for anything but tensors.
void Writer::each(const Value& value, const SmallVector<int64_t, 6> TensorValue::* list) {
  const auto one = [&](const TensorValue& tensor) {
    const auto& found = tensor.*list;
    numbers({found.data(), found.size()});
  };
  if (value.kind == Value::Kind::tensor) return one(value.tensors[0]);
  json_.begin_array();
  if (value.kind == Value::Kind::tensors) {
    for (const TensorValue& tensor : value.tensors) one(tensor);
  } else if (value.kind == Value::Kind::integers) {
    for (size_t i = 0; i < value.integers.size(); ++i) json_.begin_array().end();
  }
  json_.end();
}

void Writer::lists(const ValuesOf& values) {
  const auto list = [&](std::string_view key, auto write) {
    json_.key(key).begin_array();
    for (events::ValueReader reader(values.bytes); const Value* value = reader.next();)
      write(*value);
    json_.end();
  };
  StorageLocationReader locations(values.locations);
  json_.begin_object();
  list("values", [&](const Value& v) { value(v, locations); });
  list("shapes", [&](const Value& v) { each(v, &TensorValue::sizes); });
  list("types", [&](const Value& v) { json_.value(type_of(v)); });
  list("strides", [&](const Value& v) { each(v, &TensorValue::strides); });
  json_.end();
}

void Writer::attributes(const Node& node) {
  const auto attribute = [&](std::string_view name, std::string_view type, const auto& value) {
    json_.begin_object().member("name", name).member("type", type).member("value", value).end();
  };
  json_.key("attrs").begin_array();
  attribute("rf_id", "uint64", node.number);
  attribute("fw_parent", "uint64", node.forward_parent);
  attribute("seq_id", "int64", node.sequence);
  attribute("scope", "uint64", static_cast<unsigned>(node.scope));
  attribute("tid", "uint64", node.tid);
  attribute("fw_tid", "uint64", node.forward_tid);
  attribute("op_schema", "string", "");
  attribute("kernel_backend", "string", node.kernel ? "vitro" : "");
  attribute("kernel_file", "string", "");
  attribute("tensor_range", "string", "");
  json_.end();
}

void Writer::node(const Node& node) {
  json_.begin_object().member("id", node.id).member("name", node.name);
  json_.member("ctrl_deps", node.parent).key("inputs");
  lists(node.inputs);
  json_.key("outputs");
  lists(node.outputs);
  attributes(node);
  json_.end();
}

Node Writer::node_of(uint32_t track, uint32_t number) const {
  const Track& on = profile_.tracks[track];
  const Slice& slice = on.slices[number];
  const auto is_phase = [&](uint32_t i) { return on.slices[i].kind == SliceKind::phase; };
  uint32_t around = slice.parent;
  while (around != Slice::none && is_phase(around)) around = on.slices[around].parent;
  const uint64_t id = id_of({track, number});
  Node node{.id = id,
            .parent = around == Slice::none ? first_thread_id + track : id_of({track, around}),
            .name = slice.name(),
            .number = first_[track].number + number,
            .sequence = slice.sequence,
            .scope = slice.kind == SliceKind::range ? user_scope : function_scope,
            .tid = on.tid,
            .kernel = slice.kind == SliceKind::kernel};
  if (slice.extra != Slice::none) {
    const SliceExtra& extra = on.extra(slice);
    const SliceTensors tensors =
        extra.tensors == Slice::none ? SliceTensors{} : on.tensors[extra.tensors];
    node.inputs = {extra.inputs, tensors.input_places};
    node.outputs = {tensors.outputs, tensors.output_places};
  }
  if (const auto forward = forward_of_.find(id); forward != forward_of_.end()) {
    node.scope = backward_scope;
    node.forward_parent = id_of(forward->second);
    node.forward_tid = profile_.tracks[forward->second.track].tid;
  }
  return node;
}

void Writer::track(uint32_t number) {
  const Track& track = profile_.tracks[number];
  node({.id = first_thread_id + number,
        .parent = root_id,
        .name = "[pytorch|profiler|execution_trace|thread]",
        .tid = track.tid});
  for (uint32_t i = 0; i < track.slices.size(); ++i) {
    if (i % slices_between_looks == 0) progress_.at(first_[number].id + i);
    if (track.slices[i].kind != SliceKind::phase) node(node_of(number, i));
  }
}

void Writer::write() {
  constexpr int64_t ns_per_ms = 1'000'000;
  json_.begin_object().member("schema", "1.1.1-chakra.0.0.4").member("pid", getpid());
  json_.member("time", time_text(profile_.begin)).member("start_ts", profile_.begin / ns_per_ms);
  json_.key("nodes").begin_array();
  for (uint32_t i = 0; i < profile_.tracks.size(); ++i) track(i);
  node({.id = root_id, .parent = root_id, .name = "[pytorch|profiler|execution_trace|process]"});
  json_.end().member("finish_ts", profile_.end / ns_per_ms).end();
}

}  // namespace

void write_execution_trace(const Profile& profile, report::Output& out) {
  Writer(profile, out).write();
}

}  // namespace vitro
