#include "vitro/core/autocast.h"

#include <atomic>
#include <utility>

#include "vitro/base/error.h"

namespace vitro {
namespace {

struct Settings {
  DType dtype = DType::bf16;
  bool cache_enabled = true;
  int depth = 0;                 // scopes within each other
  OwnKeptCasts* kept = nullptr;  // null: those of the thread
};
constinit thread_local Settings settings;

constinit std::atomic<AutocastCaller> registered{nullptr};

}  // namespace

Autocast::Autocast(DType dtype, bool enabled, bool cache_enabled)
    : dtype_before_(settings.dtype),
      enabled_before_(thread_state.modes.autocast),
      cached_before_(settings.cache_enabled) {
  VITRO_CHECK(dtype == DType::bf16 || dtype == DType::f16,
              "Autocast: dtype must be bf16 or f16, got ", dtype);
  settings.dtype = dtype;
  settings.cache_enabled = cache_enabled;
  thread_state.modes.autocast = enabled;
  ++settings.depth;
}

Autocast::~Autocast() {
  if (--settings.depth == 0) kept_casts().clear();
  settings.dtype = dtype_before_;
  settings.cache_enabled = cached_before_;
  thread_state.modes.autocast = enabled_before_;
}

DType get_autocast_dtype() {
  return settings.dtype;
}

bool is_autocast_cache_enabled() {
  return settings.cache_enabled;
}

AutocastState autocast_state() {
  return {is_autocast_enabled(), settings.cache_enabled, settings.dtype};
}

void set_autocast_caller(AutocastCaller caller) {
  registered.store(caller, std::memory_order_release);
}

void run_autocast_call(const OpCall& call, std::span<Tensor> results) {
  const AutocastCaller caller = registered.load(std::memory_order_acquire);
  VITRO_CHECK(caller, call.op->name, ": no op casts operands: link libvitro");
  caller(call, results);
}

KeptCasts& kept_casts() {
  static thread_local KeptCasts of_thread;
  if (!settings.kept) return of_thread;
  std::optional<KeptCasts>& own = settings.kept->own_;
  return own ? *own : own.emplace();
}

OwnKeptCasts::OwnKeptCasts() : before_(std::exchange(settings.kept, this)) {}
OwnKeptCasts::~OwnKeptCasts() {
  settings.kept = before_;
}

}  // namespace vitro
