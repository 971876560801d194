#include "vitro/models/conv_norm.h"

namespace vitro::models {
namespace {

ops::ConvAttrs attrs_of(int64_t kernel, int64_t stride, int64_t groups) {
  ops::ConvAttrs attrs;
  attrs.stride = {stride, stride};
  attrs.padding = {kernel / 2, kernel / 2};
  attrs.groups = groups;
  return attrs;
}

}  // namespace

ConvNorm::ConvNorm(nn::Module& owner, std::string conv, std::string norm, int64_t in, int64_t out,
                   int64_t kernel, int64_t stride, int64_t groups)
    : conv_(owner, std::move(conv), in, out, kernel, attrs_of(kernel, stride, groups), false),
      norm_(owner, std::move(norm), out) {}

Tensor ConvNorm::operator()(const Tensor& x) const {
  return norm_(conv_(x));
}

}  // namespace vitro::models
