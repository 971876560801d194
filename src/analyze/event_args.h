// The arguments of an event, out of its text.
//   EventArgs args;
//   trace.read_events(events, [&](EventId e, std::string_view json) {
//     if (args.read(json)) bytes[e] = args.number("Bytes");
//   });
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace vitro::analyze {

class EventArgs {
 public:
  EventArgs();
  ~EventArgs();

  // False where the text is no object, or broken.  The members hold until the next call.
  bool read(std::string_view event);

  // As it is written: a text with its quotes; empty where it is not given.
  std::string_view raw(std::string_view name) const;
  // Without quotes and escapes; what is no text as it is written.
  std::string text(std::string_view name) const;
  // `none` where it is no whole number.
  int64_t number(std::string_view name) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vitro::analyze
