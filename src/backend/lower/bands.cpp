// Finds chains of products that pass images to one another through temporaries, and writes each
// chain as one kernel: the products over rows of bands, what they pass on in scratch rows.
#include "backend/lower/bands.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "backend/schedule/bands.h"
#include "kernels/product.h"
#include "vitro/base/error.h"

namespace vitro::backend {
namespace {

using loop::Node;
using loop::Value;

// The rows of a product as lines of images.
struct Image {
  Expr images;
  int64_t lines = 1, rows = 1;  // of an image, of a line
  friend bool operator==(const Image&, const Image&) = default;
};

bool has(const std::vector<BufferId>& list, BufferId id) {
  return std::ranges::find(list, id) != list.end();
}

// The product that the kernel consists of, if its rows can be computed in any order and its results
// are not transposed.
const loop::Product* product_of(const LoweredKernel& lowered) {
  const loop::Kernel& k = lowered.kernel;
  if (lowered.opaque || k.body.size() != 1 || !k.tasks.empty() || !k.rows.empty()) return nullptr;
  if (!k.indirect_indices.empty() || !k.checks.empty() || !k.trees.empty()) return nullptr;
  const auto* p = std::get_if<loop::Product>(&k.body[0].what);
  if (!p || p->turns() || !p->batch.constant() || !p->panels.is(0)) return nullptr;
  if (p->winograd() || p->split()) return nullptr;
  if (p->reads != loop::RightOperand::panels || p->left.buffer < 0) return nullptr;
  return p->n.constant() && p->k.constant() ? p : nullptr;
}

// The rows of the result of windows, and of their operand, as lines.
std::optional<Image> image_of(const loop::Product& p, Expr loop::Windows::Dimension::* size,
                              Expr images) {
  Image out{images};
  for (size_t d = 0; d < p.left.windows->dimensions.size(); ++d) {
    const auto known = (p.left.windows->dimensions[d].*size).constant();
    if (!known || *known == 0) return std::nullopt;
    (d == 0 ? out.lines : out.rows) *= *known;
  }
  return out;
}

std::optional<Image> result_image(const loop::Product& p) {
  if (!p.left.windows) return std::nullopt;
  Expr positions = 1;
  for (const loop::Windows::Dimension& d : p.left.windows->dimensions)
    positions = positions * d.out;
  if (!positions.constant() || positions.is(0)) return std::nullopt;
  const Expr images = sym::floordiv(p.m, positions);
  if (images * positions != p.m) return std::nullopt;
  return image_of(p, &loop::Windows::Dimension::out, images);
}

// A chain of kernels, in order, with the lines of each result.
struct Chain {
  std::vector<size_t> kernels;
  std::vector<Image> results;  // by kernel; empty while no product has windows
  BandHeight height;
};

class Joining {
 public:
  Joining(const Program& program, const BufferAssignment& assignment,
          std::vector<LoweredKernel>& kernels, std::vector<FusionReport>& decisions)
      : program_(program), assignment_(assignment), kernels_(kernels), decisions_(decisions) {
    uses_.resize(assignment.buffers().size());
    ends_.resize(uses_.size(), SIZE_MAX);
    for (const LoweredKernel& lowered : kernels) {
      for (const BufferId id : lowered.buffers) ++uses_[id.n];
    }
  }

  void run() {
    for (size_t i = 0; i < kernels_.size(); ++i) {
      if (product_of(kernels_[i])) append_to_path(i);
    }
    for (const std::vector<size_t>& path : paths_)
      if (path.size() > 1) cut(path);
    // By kernel: the chain that it belongs to.
    std::vector<const Chain*> chain_of(kernels_.size());
    for (const Chain& chain : chains_) {
      for (const size_t kernel : chain.kernels) chain_of[kernel] = &chain;
    }
    std::vector<LoweredKernel> out;
    for (size_t i = 0; i < kernels_.size(); ++i) {
      if (!chain_of[i]) {
        out.push_back(std::move(kernels_[i]));
      } else if (chain_of[i]->kernels.back() == i) {
        out.push_back(join(*chain_of[i]));
      }
    }
    kernels_ = std::move(out);
  }

 private:
  const loop::Product& product(size_t kernel) const { return *product_of(kernels_[kernel]); }

  // Adds a kernel to the path whose last one it reads, or begins a path.
  void append_to_path(size_t kernel) {
    const auto left = static_cast<size_t>(product(kernel).left.buffer);
    size_t path = ends_[kernels_[kernel].buffers[left].n];
    if (path >= paths_.size() || !can_follow({{paths_[path].back()}, {}, {}}, kernel)) {
      path = paths_.size();
      paths_.emplace_back();
    }
    paths_[path].push_back(kernel);
    if (const auto passed = passed_by(kernel)) ends_[passed->n] = path;
  }

  // Cuts a path into chains; keeps those of more than one kernel, and a decision for each kernel
  // that the one before passes images to.
  void cut(std::span<const size_t> path) {
    std::map<std::pair<size_t, size_t>, Extended> known;  // by first and last kernel
    std::vector<int64_t> cost_of_cut;
    for (size_t i = 1; i < path.size(); ++i) {
      const Extended& pair = known[{i - 1, i}] = extended({{path[i - 1]}, {}, {}}, path[i]);
      cost_of_cut.push_back(pair.verdict ? 2 * bytes_through_memory(pair.chain) : 0);
    }
    const auto cost_of_chain = [&](size_t first, size_t last) -> std::optional<int64_t> {
      if (last > first + 1)
        known[{first, last}] = extended(known.at({first, last - 1}).chain, path[last]);
      const Extended& made = known.at({first, last});
      if (!made.is_chain()) return std::nullopt;
      return recomputed_bytes(program_.machine(), bands_of(made.chain), made.chain.height.most);
    };
    const std::vector<size_t> first_of = cut_into_chains(cost_of_cut, cost_of_chain);
    for (size_t i = 1; i < path.size(); ++i) {
      const Extended& here = known.at({first_of[i - 1], i});
      const bool is_cut = first_of[i] == i;
      if (here.verdict) {
        decisions_.push_back({program_.name_of(kernels_[path[i - 1]].compute_nodes.back()),
                              program_.name_of(kernels_[path[i]].compute_nodes.front()),
                              is_cut && here.is_chain() ? cut_elsewhere() : *here.verdict});
      }
      const bool ends = i + 1 == path.size() || first_of[i + 1] == i + 1;
      if (!is_cut && ends) chains_.push_back(here.chain);
    }
  }

  // A chain with one more kernel, and whether it should be one; no verdict: it cannot be one.
  struct Extended {
    Chain chain;
    std::optional<Verdict> verdict;
    bool is_chain() const { return verdict && verdict->ok; }
  };
  Extended extended(Chain chain, size_t kernel) const {
    if (!can_follow(chain, kernel)) return {};
    chain.kernels.push_back(kernel);
    chain.results = results_of(chain.kernels);
    if (chain.results.empty()) return {};
    Verdict verdict = should_join(chain);
    return {std::move(chain), std::move(verdict)};
  }

  // The buffer that a kernel stores rows of all columns to, one after another, and nothing else.
  std::optional<BufferId> passed_by(size_t kernel) const {
    const loop::Product& p = product(kernel);
    if (p.body.size() != 1) return std::nullopt;
    const auto& store = std::get<loop::Store>(p.body[0].what);
    if (store.buffer >= loop::Kernel::first_row || store.value.dtype() != p.accumulate)
      return std::nullopt;
    const BufferId id = kernels_[kernel].buffers[static_cast<size_t>(store.buffer)];
    const bool is_temporary = assignment_.buffers()[id.n].kind == BufferKind::temporary;
    if (!is_temporary || uses_[id.n] != 2 || store.element != p.row * p.n + p.column)
      return std::nullopt;
    if (loop::buffers_read(kernels_[kernel].kernel)[static_cast<size_t>(store.buffer)])
      return std::nullopt;
    return id;
  }

  // Whether the kernel, whose left operand the last one of the chain stores, reads that row by row
  // or in windows, and the chain can run where the kernel is.
  bool can_follow(const Chain& chain, size_t kernel) const {
    const loop::Product &from = product(chain.kernels.back()), &p = product(kernel);
    const LoweredKernel& lowered = kernels_[kernel];
    const auto left = static_cast<size_t>(p.left.buffer);
    if (p.accumulate != from.accumulate || p.right_dtype != from.right_dtype) return false;
    if (!reads_rows(from, p)) return false;
    std::vector<Value> roots;
    loop::each_value(lowered.kernel.body, [&](Value v) { roots.push_back(v); });
    for (const Node* node : loop::nodes_below(roots)) {
      if (reads_memory(*node) && node->payload == left) return false;
    }
    for (size_t b = 0; b < lowered.buffers.size(); ++b) {
      const BufferKind kind = assignment_.buffers()[lowered.buffers[b].n].kind;
      if (lowered.kernel.buffers[b].written && kind == BufferKind::input) return false;
    }
    for (size_t i = chain.kernels.front() + 1; i <= kernel; ++i) {
      const bool is_member = i < kernel && std::ranges::count(chain.kernels, i) > 0;
      if (!is_member && overwrites(chain, i)) return false;
    }
    return true;
  }

  // Whether a kernel writes what an earlier one of the chain reads or writes.
  bool overwrites(const Chain& chain, size_t kernel) const {
    const LoweredKernel& lowered = kernels_[kernel];
    for (size_t b = 0; b < lowered.buffers.size(); ++b) {
      const bool written = lowered.opaque || lowered.kernel.buffers[b].written;
      for (const size_t member : chain.kernels) {
        if (written && member < kernel && has(kernels_[member].buffers, lowered.buffers[b]))
          return true;
      }
    }
    return false;
  }

  // Whether `p` reads the rows of the product before it as they are stored.
  static bool reads_rows(const loop::Product& from, const loop::Product& p) {
    if (!p.left.base.is(0)) return false;
    if (!p.left.windows)
      return p.left.row_stride == from.n && p.left.k_stride.is(1) && p.k == from.n && p.m == from.m;
    const loop::Windows& w = *p.left.windows;
    if ((w.depthwise ? p.n : w.channels) != from.n || !w.channel_stride.is(1)) return false;
    Expr stride = from.n, rows = 1;
    for (size_t d = w.dimensions.size(); d-- > 0;) {
      if (w.dimensions[d].position_stride != stride) return false;
      stride = stride * w.dimensions[d].size;
      rows = rows * w.dimensions[d].size;
    }
    const loop::Windows::Dimension& first = w.dimensions[0];
    for (const Expr e : {first.taps, first.stride, first.dilation, first.padding}) {
      if (!e.constant()) return false;
    }
    return from.m == rows || w.image_stride == stride;
  }

  Verdict should_join(Chain& chain) const {
    const size_t before = chain.kernels.size() - 2;
    const Verdict verdict = should_pass_in_bands(program_.machine(), bytes_passed(chain, before));
    if (!verdict) return verdict;
    return can_band(program_.machine(), bands_of(chain), &chain.height);
  }

  // Bytes of the images that kernel i of the chain passes on; of one if their number differs
  // between calls.
  int64_t bytes_passed(const Chain& chain, size_t i) const {
    const loop::Product& p = product(chain.kernels[i]);
    const Image& image = chain.results[i];
    return image.images.constant().value_or(1) * image.lines * image.rows * *p.n.constant() *
           bytes_of(p.accumulate);
  }

  // Bytes that leave the cache if the two kernels of the chain stay apart.
  int64_t bytes_through_memory(const Chain& chain) const {
    const int64_t bytes = bytes_passed(chain, 0);
    return should_pass_in_bands(program_.machine(), bytes) ? bytes : 0;
  }

  // The lines of each result: those of windows are known, a product of single positions has the
  // lines of its operand. Empty if they are unknown or do not agree.
  std::vector<Image> results_of(const std::vector<size_t>& kernels) const {
    std::vector<std::optional<Image>> known(kernels.size());
    const auto set = [&](size_t i, const std::optional<Image>& image) {
      if (!image || (known[i] && *known[i] != *image)) return false;
      known[i] = image;
      return true;
    };
    for (size_t i = 0; i < kernels.size(); ++i) {
      const loop::Product& p = product(kernels[i]);
      if (!p.left.windows) continue;
      const std::optional<Image> result = result_image(p);
      if (!set(i, result)) return {};
      if (i > 0 && !set(i - 1, image_of(p, &loop::Windows::Dimension::size, result->images)))
        return {};
    }
    const auto is_plain = [&](size_t i) { return !product(kernels[i]).left.windows; };
    for (size_t i = kernels.size(); i-- > 1;) {
      if (is_plain(i) && known[i] && !set(i - 1, known[i])) return {};
    }
    for (size_t i = 1; i < kernels.size(); ++i) {
      if (is_plain(i) && known[i - 1] && !set(i, known[i - 1])) return {};
    }
    std::vector<Image> out;
    for (size_t i = 0; i < kernels.size(); ++i) {
      if (!known[i] ||
          known[i]->images * (known[i]->lines * known[i]->rows) != product(kernels[i]).m)
        return {};
      out.push_back(*known[i]);
    }
    return out;
  }

  BandChain bands_of(const Chain& chain) const {
    BandChain out{{}, chain.results.back().lines};
    out.images = chain.results.back().images.constant().value_or(1);
    for (size_t i = 0; i < chain.kernels.size(); ++i) {
      const loop::Product& p = product(chain.kernels[i]);
      const int64_t size = bytes_of(p.accumulate), columns = *p.n.constant();
      out.weight_bytes += *p.k.constant() * columns * size;
      if (i + 1 == chain.kernels.size()) break;
      const loop::Bands::Stage next = stage_of(chain, i + 1);
      const Image& image = chain.results[i];
      const int64_t line_bytes = image.rows * columns * size;
      out.passed.push_back({image.images.constant().value_or(1) * image.lines * line_bytes,
                            image.lines, line_bytes, next.stride, next.reach,
                            is_plain(chain, i + 1) ? kernels::product_rows * columns * size : 0,
                            2 * image.rows * columns * *p.k.constant()});
    }
    return out;
  }

  // Whether the product reads the rows before it one by one.
  bool is_plain(const Chain& chain, size_t i) const {
    return i < chain.kernels.size() && !product(chain.kernels[i]).left.windows;
  }

  // Without the product.
  loop::Bands::Stage stage_of(const Chain& chain, size_t i) const {
    loop::Bands::Stage stage;
    stage.lines = chain.results[i].lines;
    stage.rows = chain.results[i].rows;
    const loop::Product& p = product(chain.kernels[i]);
    if (i == 0 || !p.left.windows) return stage;
    const loop::Windows::Dimension& d = p.left.windows->dimensions[0];
    stage.stride = *d.stride.constant();
    stage.padding = *d.padding.constant();
    stage.reach = (*d.taps.constant() - 1) * *d.dilation.constant() + 1;
    return stage;
  }

  LoweredKernel join(const Chain& chain) const;

  const Program& program_;
  const BufferAssignment& assignment_;
  std::vector<LoweredKernel>& kernels_;
  std::vector<FusionReport>& decisions_;
  std::vector<int> uses_;                   // by buffer: number of kernels
  std::vector<std::vector<size_t>> paths_;  // of kernels, each of which passes images to the next
  std::vector<size_t> ends_;  // by buffer: the path whose last kernel stores it, SIZE_MAX: none
  std::vector<Chain> chains_;
};

// Copies products into one kernel, whose buffers, numbers and variables have other numbers.
class JoinedKernel {
 public:
  explicit JoinedKernel(int64_t lanes) {
    out_.kernel.pool = std::make_shared<loop::Pool>();
    out_.kernel.lanes = lanes;
    out_.kernel.flops = out_.kernel.bytes = 0;
  }

  // A scratch row instead of the buffer in kernels that are added later.
  int add_row(BufferId instead_of, const loop::Buffer& buffer, int64_t size) {
    out_.kernel.rows.push_back({buffer.name, buffer.dtype, size});
    const int row = loop::Kernel::first_row + static_cast<int>(out_.kernel.rows.size()) - 1;
    rows_.push_back(instead_of);
    return row;
  }

  loop::Product add(const LoweredKernel& from) {
    begin(from);
    loop::Product p = std::get<loop::Product>(from.kernel.body[0].what);
    p.left.buffer = buffer(p.left.buffer);
    p.right = buffer(p.right);
    p.sum += first_variable_;
    for (loop::Statement& s : p.body) {
      auto& store = std::get<loop::Store>(s.what);
      store.buffer = buffer(store.buffer);
      store.value = value(store.value.node());
    }
    out_.kernel.variables += from.kernel.variables;
    return p;
  }

  LoweredKernel take() { return std::move(out_); }
  loop::Kernel& kernel() { return out_.kernel; }

 private:
  void begin(const LoweredKernel& from) {
    from_ = &from;
    values_.clear();
    first_variable_ = out_.kernel.variables;
    loop::Kernel& k = out_.kernel;
    const auto append = [](auto& to, const auto& list) {
      to.insert(to.end(), list.begin(), list.end());
    };
    append(k.ops, from.kernel.ops);
    append(k.called, from.kernel.called);
    append(out_.compute_nodes, from.compute_nodes);
    for (const std::string& location : from.kernel.locations) {
      if (std::ranges::find(k.locations, location) == k.locations.end())
        k.locations.push_back(location);
    }
    k.product += cat(k.product.empty() ? "" : ", ", from.kernel.product);
    k.reading = from.kernel.reading;
  }

  int buffer(int number) {
    const BufferId id = from_->buffers[static_cast<size_t>(number)];
    const auto row = std::ranges::find(rows_, id) - rows_.begin();
    if (row < std::ssize(rows_)) return loop::Kernel::first_row + static_cast<int>(row);
    const loop::Buffer& given = from_->kernel.buffers[static_cast<size_t>(number)];
    auto& list = out_.buffers;
    const auto at = static_cast<size_t>(std::ranges::find(list, id) - list.begin());
    if (at == list.size()) {
      list.push_back(id);
      out_.kernel.buffers.push_back(given);
    }
    out_.kernel.buffers[at].written |= given.written;
    return static_cast<int>(at);
  }

  int number(uint64_t which) {
    auto& list = out_.numbers;
    const graph::NodeId id = from_->numbers[which];
    const auto at = static_cast<size_t>(std::ranges::find(list, id) - list.begin());
    if (at == list.size()) {
      list.push_back(id);
      out_.kernel.numbers.push_back(from_->kernel.numbers[which]);
    }
    return static_cast<int>(at);
  }

  Value value(const Node* node) {
    const auto known = values_.find(node);
    if (known != values_.end()) return known->second;
    Node made = *node;
    made.name = {};
    for (const Node*& operand : made.operands) operand = value(operand).node();
    if (reads_memory(*node)) {
      made.payload = static_cast<uint64_t>(buffer(static_cast<int>(node->payload)));
    } else if (node->fn == loop::Fn::number) {
      made.payload = static_cast<uint64_t>(number(node->payload));
    } else if (node->fn == loop::Fn::variable) {
      made.payload = node->payload + static_cast<uint64_t>(first_variable_);
    }
    const Value result = out_.kernel.pool->make(std::move(made));
    if (!node->name.empty()) out_.kernel.pool->name(result, node->name);
    values_.emplace(node, result);
    return result;
  }

  LoweredKernel out_;
  std::vector<BufferId> rows_;  // the buffers that scratch rows replace
  const LoweredKernel* from_ = nullptr;
  int first_variable_ = 0;
  std::unordered_map<const Node*, Value> values_;
};

LoweredKernel Joining::join(const Chain& chain) const {
  JoinedKernel made(program_.machine().lanes);
  loop::Bands bands;
  bands.images = chain.results.back().images;
  bands.most_lines = chain.height.most, bands.least_lines = chain.height.least;
  const std::vector<int64_t> needed = lines_of_band(bands_of(chain), chain.height.most);
  for (size_t i = 0; i < chain.kernels.size(); ++i) {
    const size_t kernel = chain.kernels[i];
    loop::Bands::Stage stage = stage_of(chain, i);
    if (i < needed.size()) {
      const loop::Product& p = product(kernel);
      const int64_t rows = is_plain(chain, i + 1) ? kernels::product_rows : needed[i] * stage.rows;
      const int stored = std::get<loop::Store>(p.body[0].what).buffer;
      stage.to = made.add_row(*passed_by(kernel),
                              kernels_[kernel].kernel.buffers[static_cast<size_t>(stored)],
                              rows * *p.n.constant());
    }
    stage.product = made.add(kernels_[kernel]);
    const std::string &note = kernels_[kernel].kernel.schedule, &noted = made.kernel().schedule;
    if (!note.empty() && noted.find(note) == std::string::npos)
      made.kernel().schedule += cat(noted.empty() ? "" : ", ", note);
    bands.stages.push_back(std::move(stage));
  }
  made.kernel().reason = cat("bands of up to ", bands.most_lines,
                             " lines stay in the cache from one product to the next");
  made.kernel().body.push_back({std::move(bands)});
  estimate(made.kernel());
  return made.take();
}

}  // namespace

void join_in_bands(const Program& program, const BufferAssignment& assignment,
                   std::vector<LoweredKernel>& kernels, std::vector<FusionReport>& decisions) {
  Joining(program, assignment, kernels, decisions).run();
}

}  // namespace vitro::backend
