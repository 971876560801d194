// Deflate's packed bytes to plain ones: by ISA-L where it was there at build time, else by zlib.
//   auto inflate = make_inflate(Inflate::Form::gzip);
//   while (!inflate->ended()) n = inflate->run(in, to, room);   // `in` refilled where it is empty
// One thread at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "vitro/base/option.h"

namespace vitro::analyze {

// Whether ISA-L is used where it is there.
extern Option<bool> use_isal;

class Inflate {
 public:
  enum class Form { raw, gzip };
  virtual ~Inflate() = default;

  // Takes from the front of `in` and returns how many bytes it put.  Stops where the stream ends.
  virtual size_t run(std::string_view& in, char* to, size_t room) = 0;
  // Whether it holds bytes that it took and has no use for yet: behind a stream's end they belong
  // to the next.
  virtual bool has_input() const { return false; }
  // Another stream of the same form comes behind it.
  virtual void again() = 0;
  // The library that does it.
  virtual std::string_view by() const = 0;

  // The stream is at its end, or broken: why() then says how.
  bool ended() const { return ended_; }
  const std::string& why() const { return why_; }

 protected:
  static constexpr size_t most_at_once = size_t{1} << 30;  // both libraries count in 32 bits

  bool ended_ = false;
  std::string why_;
};

std::unique_ptr<Inflate> make_inflate(Inflate::Form form);

// make_inflate() chooses between them; the first is null where ISA-L was not there.
std::unique_ptr<Inflate> inflate_by_isal(Inflate::Form form);
std::unique_ptr<Inflate> inflate_by_zlib(Inflate::Form form);

}  // namespace vitro::analyze
