#include "capture/recorded_path.h"

namespace vitro::capture {
namespace {

std::vector<sym::Guard> guards_of(const TraceNode& last) {
  std::vector<sym::Guard> out = start_of(last).guards;
  for (const TraceNode* node : path_to(last))
    out.insert(out.end(), node->guards.begin(), node->guards.end());
  return out;
}

// By slot: whether the path writes into the tensor.
std::vector<bool> written_by(const std::vector<const TraceNode*>& nodes, const SlotTable& table) {
  std::vector<bool> written(table.size(), false);
  for (const TraceNode* node : nodes) {
    if (node->in_place) written[table.root(node->operands[0].slot)] = true;
  }
  return written;
}

}  // namespace

RecordedPath::RecordedPath(const TraceNode& end, const ValueOf& value_of)
    : last(end),
      nodes(path_to(end)),
      table(end, nodes),
      aliases(table, written_by(nodes, table), value_of),
      known(guards_of(end)) {}

}  // namespace vitro::capture
