// Writes the statements of a kernel as C++: decides which values get names, where they are
// computed, and how elements are loaded and stored.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "backend/codegen/kernel_text.h"
#include "backend/codegen/names.h"
#include "backend/codegen/text.h"
#include "loop/kernel.h"

namespace vitro::backend {

class Emitter {
 public:
  Emitter(const loop::Kernel& kernel, std::span<const sym::Expr> symbols, Naming naming);
  std::string run();

 private:
  using Node = loop::Node;
  using Value = loop::Value;
  struct Scope {
    std::vector<const Node*> lets;
    std::vector<size_t> indirect_indices;
  };
  // The active lanes at the current point of the output.
  struct Lanes {
    sym::Expr index;    // of lane 0; undefined outside of vector loops
    std::string count;  // number of active lanes; empty: all
  };
  // How the lanes of an element expression access memory.
  struct LaneAccess {
    enum Kind { uniform, contiguous, strided, scattered } kind;
    sym::Expr stride;
  };
  // The lanes for which a condition holds: [first, end), either of which may be undefined, if all
  // of `everywhere` are >= 0; otherwise none.
  struct Between {
    std::vector<sym::Expr> everywhere;
    sym::Expr first, end;
    std::string everywhere_text() const;
    void join(const Between& other);
  };

  // Stages of bands that run alternately on a few rows, and the names of the lines that they pass
  // on: what has them, and which ones a band needs.
  struct StageRun {
    std::vector<const loop::Bands::Stage*> stages;
    std::string passed, wanted;
  };

  // emitter.cpp: statements
  void reserve_indices();
  void declare_parameters();
  void declare_sizes();
  void declare_rows();
  void open_tasks();
  void close_tasks();
  void block(const loop::Block& statements);
  void read_before(int buffer, std::span<const loop::Statement> statements);
  void write(const loop::Declare& d);
  void write(const loop::Assign& a);
  void write(const loop::Store& s);
  void write(const loop::Loop& l);
  void write_with_rest(const loop::Loop& l);
  void write_with_inside(const loop::Loop& l, const Between& inside);
  void turn(const loop::Loop& l, std::string_view count);
  void write(const loop::Product& p);
  void write(const loop::Bands& b);
  void write(const loop::Pack& p);
  void write(const loop::Multiply& m);
  void write(const loop::Turn& t);
  void write(const loop::Sort& s);
  void push_scope() { scopes_.emplace_back(); }
  void pop_scope();
  void forget(const std::vector<int>& variables);
  // The indirect indices that statements need and that are not written yet, in dependency order.
  std::vector<size_t> open_indirect(const loop::Block& body) const;
  bool gathers(const loop::Loop& l) const;
  // Writes loop-invariant values before a loop over `indices`; `variable` changes in the loop.
  void hoist(const loop::Block& body, const std::vector<sym::Expr>& indices, int variable = -1);

  // emitter_product.cpp
  void multiply_in_memory(const loop::Product& p, const std::string& panels);
  void multiply_panels(const loop::Product& p);
  void multiply_and_finish(const loop::Product& p);
  void write_block(const loop::Product& p, std::string_view task,
                   const std::vector<std::string>& tiles);
  void declare_windows(const loop::Windows& w);
  void multiply_windows(const loop::Product& p, const std::string& panels);
  void write_winograd(const loop::Product& p);
  void write_winograd_weights(const loop::Product& p);
  void write_split(const loop::Product& p);
  void finish_panel(const loop::Product& p, const std::vector<std::string>& tiles);
  std::vector<std::string> declare_tiles(const loop::Product& p, std::string_view size);
  void declare_passed_lines(StageRun& run);
  void write_run(const StageRun& run);
  void move_row(const loop::Bands::Stage& stage, const std::string& origin);
  void write_stage(const loop::Bands::Stage& stage);
  void declare_winograd(const loop::Windows& w);
  std::string rows_ahead(const loop::Product& p, std::string_view row,
                         std::string_view column) const;
  std::string_view declare_ahead(const loop::Product& p);
  void multiply_rows(const loop::Product& p, std::string_view task);
  void multiply_computed(const loop::Product& p, const std::string& panels);
  void finish_sums(const loop::Product& p, const std::vector<std::string>& tiles);
  bool finishes_columns(const loop::Product& p) const;
  void finish_columns(const loop::Product& p);
  void open_lanes(sym::Expr index, sym::Expr extent, std::string_view end);
  void close_lanes();
  std::string product_of(int packed, bool bf16x6 = false) const;

  // emitter_tree.cpp
  void declare_trees();
  void write(const loop::Grow& g);
  void write(const loop::Total& t);

  // emitter_value.cpp
  std::string named(std::string_view wanted) {
    return names_.take(naming_ == Naming::of_program ? wanted : "v");
  }
  std::string value(Value v) { return text_of(v.node(), false); }
  std::string text_of(const Node* node, bool atom);
  std::string plain_text(const Node* node, bool* is_operator);
  std::string load_text(const Node* node);
  std::string run_or_gather_text(const Node* node, std::string gather) const;
  std::string load_where_text(const Node* node);
  std::string not_negative_text(sym::Expr e);
  std::optional<Between> between(sym::Expr e) const;
  std::optional<Between> between(const Node* condition) const;
  // The iterations of a vector loop in which the conditions of all conditional loads hold, as a
  // range of the loop's index; none if it is unknown or not worth a separate loop.
  std::optional<Between> inside_of(const loop::Loop& l);
  std::string index_value_text(sym::Expr e);
  void let(const Node* node);
  bool deserves_let(const Node* node) const;
  void need_indirect(sym::Expr e);
  void need_indirect_of(const Node* condition);
  void emit_indirect(size_t which);
  bool varies(sym::Expr e) const;
  LaneAccess lane_access_of(sym::Expr element) const;
  sym::Expr shared_part(sym::Expr element) const;
  std::string lanes_text(sym::Expr symbol);
  const std::string& buffer_name(int number) const;
  std::string_view streams_of(int buffer) const;
  DType buffer_dtype(int number) const;
  std::string with_count(std::string arguments) const;
  // Number of active lanes.
  std::string lane_count() const {
    return lanes_.count.empty() ? cat(kernel_.lanes) : lanes_.count;
  }

  const loop::Kernel& kernel_;
  std::span<const sym::Expr> symbols_;
  Naming naming_;
  Names names_;
  Text out_;
  std::vector<std::string> buffers_, streams_, rows_, numbers_, merges_;
  std::unordered_map<int, std::string> variables_;
  std::unordered_map<const Node*, std::string> lets_;
  std::unordered_map<const Node*, int> uses_;
  std::unordered_map<const sym::Node*, std::string> varying_indirect_;  // name of the vector
  std::unordered_set<const sym::Node*> known_indirect_;
  std::unordered_set<int> declared_in_lanes_;  // variables that live inside of the vector loop
  std::vector<Scope> scopes_;
  Lanes lanes_;
  bool inside_ = false;  // the conditions of all conditional loads hold
};

}  // namespace vitro::backend
