// Distinguishes calls of one name by shapes, module or call stack.
//   auto groups = Groups::of(index, GroupBy::shape);
//   groups->text((*groups)[event])
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/questions/ops/ops.h"

namespace vitro::analyze {

class Groups {
 public:
  // By name: one group.  Reads the file's text once for shapes, and for modules and stacks if there
  // are no Python events; fails if the file is gone.  Takes 4 bytes per event, and each text once.
  static Result<Groups> of(const TraceIndex& index, GroupBy by);

  // 0: the empty group.
  uint32_t operator[](EventId event) const { return of_event_.empty() ? 0 : of_event_[event]; }
  std::string text(uint32_t group) const;
  size_t size() const { return nodes_.size(); }

 private:
  void read_python(const TraceIndex& index, GroupBy by);
  Result<Done> read_texts(const TraceIndex& index, std::string_view argument);
  void inherit(const TraceIndex& index);
  uint32_t number(uint32_t outer, std::string_view text);

  // The group of a text inside an outer group: a module in a module, a function in its caller.
  struct Node {
    uint32_t outer = 0;
    std::string_view text;
  };
  std::vector<Node> nodes_{Node()};
  std::map<std::pair<uint32_t, std::string>, uint32_t, std::less<>> numbers_;
  std::vector<uint32_t> of_event_;
};

}  // namespace vitro::analyze
