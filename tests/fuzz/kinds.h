// Rows of the table of kinds: steps that chance alone would make too rare, operands that have to
// match, and combinations of ops; single calls are made from the schemas. A row's code is also its
// text: KIND("unsqueeze", 5, dim<anything>, unsqueeze(x(0), i(0))) runs the expression, and prints
// it with v3 for x(0) and -1 for i(0).
#pragma once

#include <tuple>
#include <utility>

#include "choose.h"
#include "vitro/compile/compile.h"
#include "vitro/ops/all.h"

namespace vitro::fuzz {

inline Variables listed(Tensor t) {
  return {std::move(t)};
}
inline Variables listed(std::vector<Tensor> list) {
  return list;
}
inline Variables listed(const std::pair<Tensor, Tensor>& both) {
  return {both.first, both.second};
}
template <class... T>
Variables listed(const std::tuple<T...>& all) {
  return std::apply([](const auto&... t) { return Variables{t...}; }, all);
}

// The first element of a tensor, as a tensor of rank 0.
inline Tensor an_element(const Tensor& t) {
  return clone(select(reshape(t, {-1}), 0, 0));
}

#define VITRO_KIND(name, weight, breaks, choose, ...)                                        \
  Kind {                                                                                     \
    name, weight, breaks, &choose,                                                           \
        [](const Site& s) -> Variables {                                                     \
          [[maybe_unused]] const auto x = [&](size_t k) -> const Tensor& { return s.x(k); }; \
          [[maybe_unused]] const auto n = [&](size_t k) { return s.n(k); };                  \
          [[maybe_unused]] const auto i = [&](size_t k) { return s.i(k); };                  \
          [[maybe_unused]] const auto f = [&](size_t k) { return s.f(k); };                  \
          [[maybe_unused]] const auto d = [&](size_t k) { return s.d(k); };                  \
          [[maybe_unused]] const auto index = [&](size_t k, Size size) {                     \
            return s.index(k, size);                                                         \
          };                                                                                 \
          return listed(__VA_ARGS__);                                                        \
        },                                                                                   \
        #__VA_ARGS__                                                                         \
  }
#define KIND(name, weight, choose, ...) VITRO_KIND(name, weight, false, choose, __VA_ARGS__)
#define BREAK(name, weight, choose, ...) VITRO_KIND(name, weight, true, choose, __VA_ARGS__)

using Kinds = std::vector<Kind>;
void add_calls(Kinds& all);    // calls of every overload, made from its schema
void add_views(Kinds& all);    // views, joins, gathers, scatters
void add_makers(Kinds& all);   // new tensors, casts, masked and partial writes
void add_layers(Kinds& all);   // products, norms, attention
void add_tiles(Kinds& all);    // transposes and reductions over columns
void add_indices(Kinds& all);  // indices that are computed, writes at indices
void add_looks(Kinds& all);    // reads by the host: elements, sizes

}  // namespace vitro::fuzz
