// Decompresses deflate: with ISA-L if it was available at build time, else with zlib.
//   auto inflate = make_inflate(Inflate::Form::gzip);
//   while (!inflate->ended()) n = inflate->run(in, to, room);   // refill `in` when empty
// One thread at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "vitro/base/option.h"

namespace vitro::report {

// Whether ISA-L is used if available.
extern Option<bool> use_isal;

class Inflate {
 public:
  enum class Form { raw, gzip };
  virtual ~Inflate() = default;

  // Consumes from the front of `in` and returns the number of bytes produced.  Stops at the end of
  // the stream.
  virtual size_t run(std::string_view& in, char* to, size_t room) = 0;
  // Whether it holds consumed but unused bytes: after a stream's end they belong to the next.
  virtual bool has_input() const { return false; }
  // Another stream of the same form follows.
  virtual void again() = 0;
  // The library in use.
  virtual std::string_view by() const = 0;

  // The stream has ended or is corrupt: why() then says how.
  bool ended() const { return ended_; }
  const std::string& why() const { return why_; }

 protected:
  static constexpr size_t most_at_once = size_t{1} << 30;  // both libraries count in 32 bits

  bool ended_ = false;
  std::string why_;
};

std::unique_ptr<Inflate> make_inflate(Inflate::Form form);

// make_inflate() chooses between them; the first returns null if ISA-L is not available.
std::unique_ptr<Inflate> inflate_by_isal(Inflate::Form form);
std::unique_ptr<Inflate> inflate_by_zlib(Inflate::Form form);

}  // namespace vitro::report
