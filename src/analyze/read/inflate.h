// Deflate's packed bytes to plain ones: by ISA-L where it was there at build time, else by zlib.
//   Inflate inflate(Inflate::Form::gzip);
//   while (!inflate.ended()) n = inflate.run(in, to, room);   // `in` refilled where it is empty
// One thread at a time.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace vitro::analyze {

class Inflate {
 public:
  enum class Form { raw, gzip };
  explicit Inflate(Form form);
  ~Inflate();

  // Takes from the front of `in` and returns how many bytes it put.  Stops where the stream ends.
  size_t run(std::string_view& in, char* to, size_t room);

  // The stream is at its end, or broken: why() then says how.
  bool ended() const { return ended_; }
  const std::string& why() const { return why_; }
  // Another stream of the same form comes behind it.
  void again();

  // The library that does it.
  static std::string_view by();

 private:
  struct State;
  std::unique_ptr<State> state_;
  bool ended_ = false;
  std::string why_;
};

}  // namespace vitro::analyze
