// Names in events are numbers.  A text is interned once and never freed.
//   static const events::NameId name = events::intern("aten::add");
//   events::text(name) == "aten::add"
// For names that recur (ops, kernels, ranges).  Text that differs every time belongs in a rare
// event, which owns it.
#pragma once

#include <compare>
#include <string_view>

#include "vitro/base/id.h"

namespace vitro::events {

using NameId = Id<struct NameTag>;

// Returns the number of a text; equal texts have equal numbers.  NameId{} is the empty text.  The
// table is bounded: beyond a million names or 64 MiB every new text becomes "(too many names)".
// Thread-safe; takes a lock.
NameId intern(std::string_view text);

// Returns the text of a number returned by intern().  Valid forever.  Thread-safe; no lock.
std::string_view text(NameId name);

}  // namespace vitro::events
