#include "eager/places.h"

#include <vector>

#include "eager/kernel_table.h"
#include "vitro/ops/all.h"

namespace vitro::eager {
namespace {

struct Note {
  std::vector<int>& places;
  int next = 0;
  template <class Op>
  void operator()() {
    const auto index = static_cast<size_t>(ops::def<Op>().index);
    if (places.size() <= index) places.resize(index + 1, -1);
    places[index] = next++;
  }
};

std::vector<int> make_places() {
  std::vector<int> places;
  Note pointwise{places};
  ops::PointwiseAhead::each(pointwise);
  ops::PointwisePrograms::each(pointwise);
  ops::ReductionAhead::each(Note{places});
  return places;
}

}  // namespace

int place_of(const OpDef& op) {
  static const auto* places = new std::vector<int>(make_places());
  const auto index = static_cast<size_t>(op.index);
  return index < places->size() ? (*places)[index] : -1;
}

}  // namespace vitro::eager
