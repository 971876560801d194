// Names in events are numbers: a text is interned once and never freed.
//   static const events::NameId name = events::intern("aten::add");
//   events::text(name) == "aten::add"
// For names that recur (ops, kernels, ranges); text that differs every time belongs to a rare
// event, which owns it.
#pragma once

#include <compare>
#include <string_view>

#include "vitro/base/id.h"

namespace vitro::events {

using NameId = Id<struct NameTag>;

// The number of a text; the same text gives the same number.  NameId{} is the empty text.  The
// table is bounded: past a million names or 64 MiB every new text becomes "(too many names)".  Any
// thread; takes a lock.
NameId intern(std::string_view text);

// The text of a number that intern() gave.  Valid forever.  Any thread; no lock.
std::string_view text(NameId name);

}  // namespace vitro::events
