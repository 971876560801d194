#include "core/backward_region.h"

#include <utility>

namespace vitro {
namespace {

constinit thread_local const std::shared_ptr<BackwardRegion>* current
    __attribute__((tls_model("initial-exec"))) = nullptr;

}  // namespace

const std::shared_ptr<BackwardRegion>& backward_region() {
  static const auto& none = *new std::shared_ptr<BackwardRegion>;
  return current ? *current : none;
}

UsingBackwardRegion::UsingBackwardRegion(const std::shared_ptr<BackwardRegion>& region)
    : before_(std::exchange(current, &region)) {}
UsingBackwardRegion::UsingBackwardRegion(std::nullptr_t)
    : before_(std::exchange(current, nullptr)) {}

UsingBackwardRegion::~UsingBackwardRegion() {
  current = before_;
}

}  // namespace vitro
