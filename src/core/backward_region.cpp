#include "core/backward_region.h"

#include <utility>

namespace vitro {
namespace {

const std::shared_ptr<BackwardRegion> none;
constinit thread_local const std::shared_ptr<BackwardRegion>* current
    __attribute__((tls_model("initial-exec"))) = nullptr;

}  // namespace

const std::shared_ptr<BackwardRegion>& backward_region() {
  return current ? *current : none;
}

UsingBackwardRegion::UsingBackwardRegion(const std::shared_ptr<BackwardRegion>& region)
    : before_(std::exchange(current, &region)) {}

UsingBackwardRegion::~UsingBackwardRegion() {
  current = before_;
}

}  // namespace vitro
