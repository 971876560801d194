// Per-thread stacks of nested objects, linked from the innermost one outwards.
#pragma once

namespace vitro::sym {

// Removes `gone` from the list.  It need not be the innermost one: an object opened by a compiled
// call may outlive an older one opened by the code of its function.
template <class T>
void unlink(T*& innermost, const T* gone, T* T::* before) {
  T** at = &innermost;
  while (*at != gone) at = &((*at)->*before);
  *at = gone->*before;
}

}  // namespace vitro::sym
