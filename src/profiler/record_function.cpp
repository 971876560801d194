#include "vitro/profiler/record_function.h"

#include "vitro/events/stack.h"
#include "vitro/events/values.h"

namespace vitro {
namespace {

struct Written {
  events::ValueWriter& out;
  void operator()(bool v) const { out.boolean(v); }
  void operator()(int64_t v) const { out.integer(v); }
  void operator()(double v) const { out.floating(v); }
  void operator()(std::string_view v) const { out.text(v); }
};

}  // namespace

bool RecordFunction::begin(std::string_view name, std::span<const RangeArgument> arguments) {
  if (!events::record(events::RangeBegin{events::intern(name)})) return false;
  if (!arguments.empty()) {
    events::ValueWriter values;
    for (const RangeArgument& argument : arguments) {
      if (!argument.name.empty()) values.name(argument.name);
      std::visit(Written{values}, argument.value);
    }
    events::record_tail(events::Inputs{}, values.bytes());
  }
  events::record_stack();
  return true;
}

}  // namespace vitro
