// Decides whether compute nodes may share a kernel: checks each pair of a reader and its producer
// in the loops that they would share. The verdict is the first reason against it, with its code.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "backend/fuse/groups.h"
#include "vitro/base/code.h"

namespace vitro::backend {
namespace {

const Code spaces_differ{
    "V0401", "sizes of two loops differ",
    "Two ops run over different numbers of elements, so one loop cannot compute both.", "",
    "Nothing: the value goes through memory once."};
const Code other_reduction{
    "V0402", "two reductions over different dimensions",
    "The ops reduce different dimensions, so the rows of one are not the rows of the other.", "",
    "If the program allows it, reduce over the same dimensions."};
const Code other_index{"V0403", "an element is read at another index than it is computed at",
                       "The reader needs elements that other iterations of the loop compute (after "
                       "a permute, a slice or a broadcast), so the value must be in memory first.",
                       "", "Nothing, unless a layout can be chosen that suits both."};
const Code two_products{
    "V0404", "two matrix products",
    "A kernel has one product; the second one reads the first, or is independent of it.", "",
    "Nothing."};
const Code reduces_product{"V0405", "a reduction of the columns of a product",
                           "A product is computed in tiles of some rows and columns; a row is "
                           "complete only at the end of the product.",
                           "", "Nothing."};

const Code product_reads{"V0406", "an operand of a product is computed first",
                         "A product reads its operands many times; what is computed for each of "
                         "them goes through memory once instead.",
                         "", "Nothing."};

const Code scans_apart{"V0415", "a scan beside a reduction or a product",
                       "A scan sweeps a dimension in order and keeps every step; a reduction or "
                       "a matrix product sweeps it in another order.",
                       "", "Nothing."};

const Code puts_alone{"V0418", "elements are put at indices one at a time",
                      "No dimension beside the indexed one is contiguous, so a loop that puts "
                      "elements has no vectors; what takes many operations is computed by a loop "
                      "that has.",
                      "", "Nothing."};

const Code windows_reduced{
    "V0419", "windows in a reduction over several dimensions",
    "A reduction over several dimensions runs as one loop, in which the position of a window (of a "
    "pool) in its image takes divisions for each element; loops over the image take none.",
    "", "Nothing: the value goes through memory once."};

const Code opaque_kernel{"V0416", "a user's kernel",
                         "An opaque op is a function that reads and writes entire tensors; no loop "
                         "can be merged with a function whose body is unknown.",
                         "", "Nothing: its operands and its result go through memory."};

class Check {
 public:
  Check(const Program& p, const std::vector<ComputeNodeId>& compute_nodes)
      : p_(p), compute_nodes_(compute_nodes) {}

  Verdict run(GroupIteration* iteration) {
    std::vector<IterationSpace> candidates;
    if (Verdict v = choose(candidates); !v) return v;
    Verdict first = Verdict::yes();
    for (const IterationSpace& candidate : candidates) {
      space_ = &candidate;
      Verdict verdict = fits(candidate);
      if (verdict) {
        *iteration = {candidate, {}};
        for (const ComputeNodeId id : compute_nodes_)
          iteration->index_maps.push_back(index_map_of(id));
        return verdict;
      }
      if (first) first = verdict;
    }
    return first;
  }

 private:
  // The element of an input that a compute node writes; nothing if it depends on data.
  struct Write {
    graph::Value to;
    std::optional<Index> at;
  };

  IndexMap index_map_of(ComputeNodeId id) const {
    const auto at = index_maps_.find(id.n);
    return at == index_maps_.end() ? IndexMap() : at->second;
  }
  bool member(ComputeNodeId id) const {
    return std::binary_search(compute_nodes_.begin(), compute_nodes_.end(), id);
  }
  bool is_stored(ComputeNodeId id) const {
    if (p_.is_output(id) || p_[id].role != ComputeRole::result) return true;
    const auto& readers = p_.readers(id);
    return std::any_of(readers.begin(), readers.end(), [&](ComputeNodeId r) { return !member(r); });
  }
  bool is_plain(ComputeNodeId id) const {
    return p_[id].kind == ComputeKind::elementwise && !is_stored(id);
  }

  Verdict choose(std::vector<IterationSpace>& candidates) {
    std::optional<IterationSpace> reducing, product;
    bool puts = false;
    sorts_ = 0;
    for (const ComputeNodeId id : compute_nodes_) {
      const ComputeNode& compute_node = p_[id];
      if (Verdict v = overwrites_alone(id); !v) return v;
      if (compute_node.kind == ComputeKind::opaque && compute_nodes_.size() > 1)
        return Verdict::no(opaque_kernel, cat(p_.name_of(id), " is a user's kernel"));
      if (compute_node.kind == ComputeKind::product) {
        if (product) return Verdict::no(two_products, cat(p_.name_of(id), " is a second product"));
        product = iteration_space_of(compute_node);
      } else if (compute_node.kind != ComputeKind::elementwise &&
                 compute_node.kind != ComputeKind::opaque) {
        IterationSpace space = iteration_space_of(compute_node);
        if (compute_node.kind == ComputeKind::put && (puts || reducing))
          return Verdict::no(scans_apart, cat(p_.name_of(id), " reorders elements"));
        puts = puts || compute_node.kind == ComputeKind::put;
        if (reducing && (compute_node.kind == ComputeKind::sort || sorts_ > 0) &&
            !is_other_result(id))
          return Verdict::no(scans_apart, cat(p_.name_of(id), " sorts rows"));
        if (compute_node.kind == ComputeKind::sort && sorts_++ == 0) sort_ = id;
        if (reducing && (puts || reducing->scanned != space.scanned))
          return Verdict::no(scans_apart,
                             cat(p_.name_of(id), " sweeps its elements in another order"));
        if (reducing && !same_space(*reducing, space)) {
          return Verdict::no(other_reduction,
                             cat(p_.name_of(id), space.scanned ? " scans " : " reduces ",
                                 text(space), ", the group ", text(*reducing)));
        }
        if (!reducing) reducing = std::move(space);
      }
    }
    if (puts && has_no_columns(*reducing)) {
      for (const ComputeNodeId id : compute_nodes_) {
        if (p_[id].kind == ComputeKind::elementwise && !is_cheap_alone(p_[id].cost))
          return Verdict::no(puts_alone, cat(p_.name_of(id), " takes many operations"));
      }
    }
    if (reducing && product) {
      if (reducing->scanned) return Verdict::no(scans_apart, "a product cannot be part of a scan");
      return Verdict::no(reduces_product, "a row of a product is not complete before its end");
    }
    if (reducing) candidates.push_back(*reducing);
    if (product) candidates.push_back(*product);
    if (!candidates.empty()) return Verdict::yes();
    for (size_t i = compute_nodes_.size(); i-- > 0;) {
      IterationSpace space = iteration_space_of(p_[compute_nodes_[i]]);
      const bool known = std::any_of(candidates.begin(), candidates.end(),
                                     [&](const IterationSpace& c) { return same_space(c, space); });
      if (!known) candidates.push_back(std::move(space));
    }
    return Verdict::yes();
  }

  // Whether elements at this index are found from that of a reduction by divisions.
  bool divides_reduced(const Index& at) const {
    for (size_t d = 0; d < space_->reduced.size(); ++d) {
      const Expr index = space_->index[d];
      const auto divides = [&](Expr e) {
        return sym::contains(e, index) && !sym::as_linear(e, index);
      };
      if (space_->reduced[d] && !index.constant() && std::ranges::any_of(at, divides)) return true;
    }
    return false;
  }
  bool reads_windows(ComputeNodeId id) const {
    const graph::Node& node = p_.graph()[p_[id].value.node];
    return p_[id].kind == ComputeKind::elementwise && p_[id].role == ComputeRole::result &&
           !node.is_input() && node.op->window && node.op->window->taps(node.attrs.view()) > 1;
  }

  static bool has_no_columns(const IterationSpace& space) {
    return space.reduced.back() || space.index.back().constant();
  }

  // An insert or a put cannot share a kernel with the copy that it overwrites or with another write
  // of the same input.
  Verdict overwrites_alone(ComputeNodeId id) const {
    if (p_[id].role != ComputeRole::insert && p_[id].role != ComputeRole::put)
      return Verdict::yes();
    for (const ComputeNodeId other : compute_nodes_) {
      if (other == id || p_[other].role == ComputeRole::result) continue;
      const graph::NodeId node = p_[other].value.node;
      if (p_.alias_target(node) != p_.alias_target(p_[id].value.node)) continue;
      return Verdict::no(other_index, cat(p_.name_of(id), " overwrites elements that ",
                                          p_.name_of(other), " must write first"));
    }
    return Verdict::yes();
  }

  static std::string text(const IterationSpace& space) {
    std::string out = "[";
    for (size_t d = 0; d < space.sizes.size(); ++d) {
      if (d != 0) out += ", ";
      append_to(out, space.sizes[d]);
      if (!space.reduced.empty() && space.reduced[d])
        out += space.scanned ? " scanned" : " reduced";
    }
    return out + "]";
  }

  // Finds the index map of every compute node, producers first.
  Verdict fits(const IterationSpace& space) {
    index_maps_.clear();
    Verdict verdict = Verdict::yes();
    note_writes(space);
    for (const ComputeNodeId id : compute_nodes_) {
      if (!find_index_map(space, id, &verdict)) return verdict;
    }
    return writes_fit();
  }

  // Checks the reads again if an input is not written at the index that note_writes() assumed.
  Verdict writes_fit() {
    std::vector<Write> taken = std::move(writes_);
    writes_.clear();
    for (const ComputeNodeId id : compute_nodes_) {
      if (p_.overwrites(id)) writes_.push_back(write_at(id, index_map_of(id)));
    }
    const bool as_taken = std::equal(taken.begin(), taken.end(), writes_.begin(), writes_.end(),
                                     [](const Write& a, const Write& b) { return a.at == b.at; });
    if (as_taken) return Verdict::yes();
    for (const ComputeNodeId id : compute_nodes_) {
      const auto at = index_maps_.find(id.n);
      if (at == index_maps_.end()) continue;
      if (Verdict v = reads_fit(id, at->second); !v) return v;
    }
    return Verdict::yes();
  }

  bool find_index_map(const IterationSpace& space, ComputeNodeId id, Verdict* verdict) {
    const auto usual = index_map_to(space, p_[id].sizes);
    const bool row = p_[id].kind == ComputeKind::reduction && is_row(space, p_[id].sizes);
    if (usual && !row) {
      *verdict = reads_fit(id, *usual);
      if (*verdict) return index_maps_.emplace(id.n, *usual), true;
    } else {
      *verdict = Verdict::no(spaces_differ, cat(p_.name_of(id), " has sizes ", list(p_[id].sizes),
                                                ", the loops are ", text(space)));
    }
    if (p_[id].kind == ComputeKind::elementwise) {
      if (const auto other = index_map_by_reads(id)) {
        if (reads_fit(id, *other)) return index_maps_.emplace(id.n, *other), true;
      }
    }
    // A node without an index map is computed where its only reader needs it.
    return is_plain(id) && p_.readers(id).size() == 1;
  }

  // The index at which a compute node reads a member at the element being computed: the inverse of
  // the views between them.
  std::optional<IndexMap> index_map_by_reads(ComputeNodeId id) const {
    const IterationSpace own = iteration_space_of(p_[id]);
    for (const Read& read : p_.reads_at(id, own.index)) {
      for (const ComputeNodeId made : p_.makers(read.value.node)) {
        if (!member(made) || p_[made].role != ComputeRole::result)
          continue;  // parts are not read here
        const auto at = result_index_map(made);
        if (!at) continue;
        const Index sizes = sizes_of(p_.graph().meta(read.value));
        // Invertible only if each element is read exactly once.
        if (!(count_of(sizes) == count_of(own.sizes))) continue;
        if (auto index = solve(own, flatten(read.index, sizes), flatten(*at, sizes))) return index;
      }
    }
    return std::nullopt;
  }

  // own.index such that `number`, which is linear in it, equals `wanted`.
  static std::optional<Index> solve(const IterationSpace& own, Expr number, Expr wanted) {
    struct Digit {
      size_t dim;
      Expr weight;
    };
    std::vector<Digit> digits;
    for (size_t d = 0; d < own.index.size(); ++d) {
      if (own.index[d].constant()) continue;
      const auto linear = sym::as_linear(number, own.index[d]);
      if (!linear || !linear->coefficient.constant()) return std::nullopt;
      digits.push_back({d, linear->coefficient});
      number = linear->rest;
    }
    if (!number.is(0)) return std::nullopt;
    std::sort(digits.begin(), digits.end(), [](const Digit& a, const Digit& b) {
      return *a.weight.constant() < *b.weight.constant();
    });
    Index out(own.index.size(), Expr(0));
    Expr next = 1;
    for (size_t i = 0; i < digits.size(); ++i) {
      const auto& [dim, weight] = digits[i];
      if (!(weight == next)) return std::nullopt;
      next = weight * own.sizes[dim];
      out[dim] = sym::floordiv(wanted, weight);
      if (i + 1 < digits.size()) out[dim] = sym::mod(out[dim], own.sizes[dim]);
    }
    return out;
  }

  // The index, in its result, of the element that a member computes; empty if it has no index map.
  std::optional<IndexMap> result_index_map(ComputeNodeId id) const {
    const auto at = index_maps_.find(id.n);
    if (at == index_maps_.end()) return std::nullopt;
    if (p_[id].kind == ComputeKind::scan || p_[id].kind == ComputeKind::sort)
      return p_.operand_index(id, at->second);
    if (p_[id].kind != ComputeKind::reduction) return at->second;
    return index_map_to(*space_, sizes_of(p_.graph().meta(p_[id].value)));
  }

  Verdict reads_fit(ComputeNodeId reader, const Index& at) {
    if (compute_nodes_.size() == 1 && writes_.empty()) return Verdict::yes();
    if (reads_windows(reader) && divides_reduced(at))
      return Verdict::no(windows_reduced, cat(p_.name_of(reader), " reads windows"));
    for (const Read& read : p_.reads_at(reader, at)) {
      if (Verdict v = not_overwritten(reader, read); !v) return v;
      for (const ComputeNodeId made : p_.makers(read.value.node)) {
        if (!member(made)) continue;
        if (Verdict v = read_fits(reader, made, read); !v) return v;
      }
    }
    return Verdict::yes();
  }

  Verdict read_fits(ComputeNodeId reader, ComputeNodeId made, const Read& read) {
    if (p_[reader].kind == ComputeKind::product) {
      return Verdict::no(product_reads, cat(p_.name_of(reader), " reads ", p_.name_of(made),
                                            " again for each tile"));
    }
    if (p_[made].kind == ComputeKind::sort && !takes_over(reader, made)) {
      return Verdict::no(other_index, cat(p_.name_of(reader), " reads ", p_.name_of(made),
                                          ", whose rows are complete only after sorting"));
    }
    if (p_[made].role != ComputeRole::result) {
      return Verdict::no(other_index, cat(p_.name_of(reader), " reads ", p_.name_of(made),
                                          ", which is complete only when all parts are written"));
    }
    const auto own = result_index_map(made);
    if (own && *own == read.index) return Verdict::yes();
    if (!is_plain(made) || p_.readers(made).size() > 1) {
      return Verdict::no(other_index, cat(p_.name_of(reader), " reads ", p_.name_of(made),
                                          " at another index than it is computed at"));
    }
    if (recomputes(made, reader)) {
      return Verdict::no(other_index, cat(p_.name_of(reader), " would recompute ", p_.name_of(made),
                                          " for each of its elements"));
    }
    return reads_fit(made, read.index);
  }

  // Whether `id` is the second result of the call whose first result is a member.
  bool is_other_result(ComputeNodeId id) const {
    if (sorts_ != 1) return false;
    const graph::NodeId own = p_[id].value.node, known = p_[sort_].value.node;
    const graph::Node &a = p_.graph()[own], &b = p_.graph()[known];
    return a.op == b.op && a.args == b.args && a.attrs == b.attrs &&
           p_.result_of(own) != p_.result_of(known);
  }
  // Whether `reader` copies a sort's result and is its only reader: the sort then writes to the
  // copy.
  bool takes_over(ComputeNodeId reader, ComputeNodeId sort) const {
    return p_[reader].value == p_[sort].value && p_.readers(sort).size() == 1 &&
           !p_.is_output(sort);
  }

  // A costly value is not recomputed for every row that it is broadcast to, or for every window
  // that contains it.
  bool recomputes(ComputeNodeId made, ComputeNodeId reader) const {
    if (is_cheap_for_each_row(p_[made].cost)) return false;
    const graph::Node& node = p_.graph()[p_[reader].value.node];
    if (p_[reader].role == ComputeRole::result && !node.is_input() && node.op->window)
      return node.op->window->taps(node.attrs.view()) > 1;
    const auto fewer = sym::prove_less(count_of(p_[made].sizes), count_of(p_[reader].sizes));
    return fewer.value_or(true) && !(count_of(p_[made].sizes) == count_of(p_[reader].sizes));
  }

  // An input may be overwritten only if each of its elements is read by the same iteration before.
  void note_writes(const IterationSpace& space) {
    writes_.clear();
    for (const ComputeNodeId id : compute_nodes_) {
      if (!p_.overwrites(id)) continue;
      const auto at = index_map_to(space, p_[id].sizes);
      if (at) writes_.push_back(write_at(id, *at));
    }
  }
  Write write_at(ComputeNodeId id, const Index& at) const {
    const graph::Value target{p_.alias_target(p_[id].value.node), 0};
    if (p_[id].role == ComputeRole::put) return {target, std::nullopt};
    if (p_[id].role == ComputeRole::insert) return {target, p_.written_at(id, at)};
    const auto& output = p_.graph().outputs()[static_cast<size_t>(p_[id].part)];
    return {{p_.graph().inputs()[static_cast<size_t>(output.writes)], 0}, at};
  }
  Verdict not_overwritten(ComputeNodeId reader, const Read& read) const {
    for (const Write& write : writes_) {
      if (write.to.node != p_.alias_target(read.value.node)) continue;
      if (write.at == read.index && sorts_ == 0) continue;
      return Verdict::no(other_index,
                         cat(p_.name_of(reader), " still reads elements of ",
                             p_.graph()[read.value.node].name, " that the loop overwrites"));
    }
    return Verdict::yes();
  }

  static std::string list(const Index& index) {
    std::string out;
    vitro::append_list(out, std::span<const Expr>(index));
    return out;
  }

  const Program& p_;
  const std::vector<ComputeNodeId>& compute_nodes_;
  const IterationSpace* space_ = nullptr;
  // By compute node; one without a map is computed where it is read.
  std::unordered_map<uint32_t, IndexMap> index_maps_;
  size_t sorts_ = 0;           // members that are sorts
  ComputeNodeId sort_;         // the first of them
  std::vector<Write> writes_;  // elements of inputs that compute nodes overwrite
};

}  // namespace

Verdict can_group(const Program& program, const std::vector<ComputeNodeId>& compute_nodes,
                  GroupIteration* iteration) {
  return Check(program, compute_nodes).run(iteration);
}

}  // namespace vitro::backend
