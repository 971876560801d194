// Objects that nest in a thread, from the innermost out, each with a pointer to the one before it.
#pragma once

namespace vitro::sym {

// Takes `gone` out of the list.  It need not be the innermost: one that a compiled call opened may
// outlive one of its function's code.
template <class T>
void unlink(T*& innermost, const T* gone, T* T::* before) {
  T** at = &innermost;
  while (*at != gone) at = &((*at)->*before);
  *at = gone->*before;
}

}  // namespace vitro::sym
