// Writes matrix products: the code before and after the sums.  The sums themselves are computed by
// functions that are compiled ahead (kernels/product.h).
#include <algorithm>
#include <set>

#include "backend/codegen/emitter.h"
#include "backend/codegen/index_text.h"
#include "backend/codegen/value_text.h"
#include "vitro/base/error.h"

namespace vitro::backend {

using sym::Expr;

namespace {

// Address of row (or column) `number` of a matrix.
std::string block_start(const std::string& matrix, std::string_view number, Expr stride) {
  if (stride.is(0)) return matrix;
  if (stride.is(1)) return cat(matrix, " + ", number);
  return cat(matrix, " + ", number, " * ", factor_text(stride));
}

// Strides of panels with `k` rows: from row to row, and from panel to panel.
std::string panel_strides(Expr k) {
  return cat("product.width, ", factor_text(k), " * product.width");
}

std::string at_base(const std::string& buffer, Expr base) {
  return base.is(0) ? buffer : cat(buffer, " + ", scalar_text(base));
}

// Size of the values of one panel that are transposed together.
constexpr std::string_view panel_tile = "product_rows * product_most_width";

// Whether the functions for the product run the epilogue for parts of a block.
bool finishes_parts(const loop::Product& p) {
  return !p.turns() && !p.bf16x6 && !p.winograd() && p.left.buffer >= 0 &&
         p.reads == loop::RightOperand::panels;
}

loop::Block statements_after(const loop::Product& p) {
  loop::Block all = p.body;
  all.insert(all.end(), p.across.begin(), p.across.end());
  return all;
}

// Names in product.h: the function that cuts the product into blocks, the size of the array of
// sums, its row stride, and the row stride of the transposed sums.
struct ProductNames {
  std::string_view cut;
  std::string size, stride;
  std::string_view turned_stride;
};
ProductNames names_of(const loop::Product& p) {
  if (p.winograd() && p.left.transposed) {
    return {"", "winograd_weights_sums", "winograd_weights_columns", "winograd_weights_rows"};
  }
  if (p.winograd() || p.split()) return {"", "", "product.width", ""};
  const std::string type = cat("<", type_text(p.accumulate), ">");
  if (p.reads != loop::RightOperand::panels) {
    return {p.turns() ? "cut_plain_turned" : "cut_plain", cat("product_plain_sums", type),
            cat("product_plain_columns", type), "product_plain_rows"};
  }
  return {p.turns() ? "cut_turned" : "cut",
          p.bf16x6 ? "product_bf16x6_sums" : cat("product_sums", type),
          cat("product_columns", type), p.bf16x6 ? "product_bf16x6_rows" : "product_rows"};
}

}  // namespace

// For each block: the sums, then the epilogue for every row and vector of columns, or, if
// transposed, for every column and vector of rows.
void Emitter::write(const loop::Product& p) {
  for (const Expr index : {p.row, p.column, p.inner}) names_.take(sym::name_of(index));
  const std::string_view acc = type_text(p.accumulate);
  const std::string k = scalar_text(p.k);
  const bool batched = !p.batch.constant();
  const ProductNames names = names_of(p);
  out_.line("const Product& product = ", product_of(p.right, p.bf16x6), ";");
  if (p.winograd()) return p.left.transposed ? write_winograd_weights(p) : write_winograd(p);
  if (p.split()) return write_split(p);
  const std::string threads =
      batched ? cat("product_threads(", scalar_text(sym::extent_of(p.batch)), ", args->threads)")
              : "args->threads";
  const bool channels = p.reads == loop::RightOperand::channels;
  out_.line("const ProductCut cut = ",
            channels ? cat("cut_depthwise_weights<", acc, ">(") : cat("product.", names.cut, "("),
            scalar_text(p.m), ", ", scalar_text(p.n), channels ? "" : cat(", ", k), ", ", threads,
            ");");
  out_.line("alignas(64) ", acc, " sums[", names.size, "]",
            p.turned ? cat(", turned[", names.size, "];") : ";");
  const std::vector<std::string> tiles = declare_tiles(p, names.size);
  if (p.left.windows) declare_windows(*p.left.windows);
  if (p.left.buffer < 0) {
    out_.line("alignas(64) ", acc, " left[product_rows * product_left_stride<", acc, ">];");
  }
  out_.open("for (i64 task = begin; task < end; ++task) {");
  push_scope();
  if (batched) out_.line("const i64 ", sym::name_of(p.batch), " = task / cut.count;");
  const std::string_view task = batched ? "task % cut.count" : "task";
  out_.line("const ProductBlock at = cut.block(", task, ");");
  write_block(p, task, tiles);
  pop_scope();
  out_.close();
}

// For each band: from the last stage to the first the lines that the next one needs, then the
// stages in order. Those that read no windows follow the one before after every few rows.
void Emitter::write(const loop::Bands& b) {
  const loop::Bands::Stage& last = b.stages.back();
  out_.line("const BandCut bands = cut_bands(", scalar_text(b.images), ", ", last.lines, ", ",
            b.most_lines, ", ", b.least_lines, ", args->threads);");
  const auto parts = std::ranges::find_if(b.stages, [](const loop::Bands::Stage& s) {
    return s.product.bf16x6;
  });  // have larger blocks
  out_.line("alignas(64) ", type_text(last.product.accumulate), " sums[",
            names_of(parts == b.stages.end() ? last.product : parts->product).size, "];");
  std::vector<StageRun> runs;
  for (size_t i = 0; i < b.stages.size(); ++i) {
    if (i == 0 || b.stages[i].reads_windows()) runs.emplace_back();
    runs.back().stages.push_back(&b.stages[i]);
  }
  for (StageRun& run : runs) declare_passed_lines(run);
  out_.open("for (i64 task = begin; task < end; ++task) {");
  out_.line("const Band band = bands.band(task);");
  out_.line("const bool follows = task > begin && band.lines.first > 0;");
  runs.back().wanted = "band.lines";
  for (size_t i = runs.size() - 1; i > 0; --i) {
    const loop::Bands::Stage& reader = *runs[i].stages.front();
    runs[i - 1].wanted = names_.take(cat(runs[i - 1].passed, "_wanted"));
    out_.line("const Lines ", runs[i - 1].wanted, " = lines_below(", runs[i].wanted, ", ",
              runs[i - 1].stages.back()->lines, ", ", reader.stride, ", ", reader.padding, ", ",
              reader.reach, ");");
  }
  for (const StageRun& run : runs) write_run(run);
  out_.close();
}

// Names what has the lines that the run passes on.
void Emitter::declare_passed_lines(StageRun& run) {
  const loop::Bands::Stage& last = *run.stages.back();
  if (last.to < 0) return;
  const std::string& memory = buffer_name(last.to);
  run.passed = names_.take(cat(memory, "_lines"));
  out_.line("PassedLines<", type_text(last.product.accumulate), "> ", run.passed, " = {", memory,
            ", ", last.rows * *last.product.n.constant(), "};");
}

void Emitter::write_run(const StageRun& run) {
  const loop::Bands::Stage& last = *run.stages.back();
  std::string missing = run.wanted;
  if (last.to >= 0) {
    missing = names_.take(cat(run.passed, "_missing"));
    out_.line("const Lines ", missing, " = ", run.passed, ".next(", run.wanted, ", follows);");
    move_row(last, cat(run.passed, ".origin(band.image * ", last.lines, ")"));
  }
  out_.open("{");
  const auto row_of = [&](std::string_view line) {
    return cat("(band.image * ", last.lines, " + ", missing, ".", line, ") * ", last.rows);
  };
  if (run.stages.size() == 1) {
    out_.line("const i64 first_row = ", row_of("first"), ", rows = ", row_of("end"),
              " - first_row;");
    write_stage(last);
    out_.close();
    return;
  }
  out_.line("const i64 end_row = ", row_of("end"), ";");
  out_.open("for (i64 first_row = ", row_of("first"),
            "; first_row < end_row; first_row += product_rows) {");
  out_.line("const i64 rows = min(product_rows, end_row - first_row);");
  for (const loop::Bands::Stage* stage : run.stages) {
    if (stage != &last) {
      move_row(*stage, cat("address_before(", buffer_name(stage->to), ", first_row * ",
                           *stage->product.n.constant(), ")"));
    }
    out_.open("{");
    write_stage(*stage);
    out_.close();
  }
  out_.close();
  out_.close();
}

// Lets the stage's scratch row be where row 0 of its result would be.
void Emitter::move_row(const loop::Bands::Stage& stage, const std::string& origin) {
  std::string& row = rows_[static_cast<size_t>(stage.to - loop::Kernel::first_row)];
  const std::string moved = names_.take(cat(row, "_origin"));
  out_.line(type_text(stage.product.accumulate), "* const ", moved, " = ", origin, ";");
  row = moved;
}

// Rows first_row to first_row + rows.
void Emitter::write_stage(const loop::Bands::Stage& stage) {
  const loop::Product& p = stage.product;
  push_scope();
  out_.line("const Product& product = ", product_of(p.right, p.bf16x6), ";");
  if (p.left.windows) declare_windows(*p.left.windows);
  out_.line("const ProductCut cut = product.cut(rows, ", scalar_text(p.n), ", ", scalar_text(p.k),
            ", 1);");
  out_.open("for (i64 block = 0; block < cut.count; ++block) {");
  push_scope();
  out_.line("ProductBlock at = cut.block(block);");
  out_.line("at.row += first_row;");
  write_block(p, "block", {});
  pop_scope();
  out_.close();
  pop_scope();
}

// The sums of block number `task`, which is `at`, and the epilogue.
void Emitter::write_block(const loop::Product& p, std::string_view task,
                          const std::vector<std::string>& tiles) {
  if (finishes_parts(p)) return multiply_and_finish(p);
  p.reads != loop::RightOperand::panels ? multiply_rows(p, task) : multiply_panels(p);
  if (p.turned) {
    const ProductNames names = names_of(p);
    out_.line("product.turn(sums, ", names.stride, ", at.rows, at.columns, turned, ",
              names.turned_stride, ");");
  }
  finish_sums(p, tiles);
}

// The epilogue as a function that the product's functions run for parts of the block.
void Emitter::multiply_and_finish(const loop::Product& p) {
  const std::string_view acc = type_text(p.accumulate);
  hoist(p.body, {p.row, p.column}, p.sum);
  out_.open("const auto finish_part = [=](const ProductBlock at, const ", acc,
            "* sums, i64 stride) __attribute__((always_inline)) {");
  push_scope();
  finish_sums(p, {});
  pop_scope();
  out_.close("};");
  out_.line("const ProductFinish finish = finish_by<", acc, ">(finish_part, at);");
  multiply_panels(p);
}

// The constant that multiply_windows() reads.
void Emitter::declare_windows(const loop::Windows& w) {
  constexpr size_t most = 3;
  VITRO_ASSERT(w.dimensions.size() <= most);
  using Dimension = loop::Windows::Dimension;
  std::string text;
  const auto list = [&](Expr Dimension::* member, Expr missing) {
    text += '{';
    for (size_t d = 0; d < most; ++d) {
      const bool exists = d + w.dimensions.size() >= most;
      const Expr e = exists ? w.dimensions[d + w.dimensions.size() - most].*member : missing;
      text += cat(d > 0 ? ", " : "", scalar_text(e));
    }
    text += "}, ";
  };
  list(&Dimension::size, 1), list(&Dimension::out, 1), list(&Dimension::taps, 1);
  list(&Dimension::stride, 1), list(&Dimension::dilation, 1), list(&Dimension::padding, 0);
  list(&Dimension::position_stride, 0);
  out_.line("const Windows windows = {", text, scalar_text(w.image_stride), ", ",
            scalar_text(w.channels),
            w.channel_stride.is(1) ? "" : cat(", ", scalar_text(w.channel_stride)), "};");
}

void Emitter::multiply_windows(const loop::Product& p, const std::string& panels) {
  const std::string x = at_base(buffer_name(p.left.buffer), p.left.base);
  const bool depthwise = p.left.windows->depthwise;
  out_.line("product.multiply_", depthwise ? "depthwise" : "windows",
            "({at.row, at.rows, at.columns,");
  out_.line("    ", x, depthwise ? " + at.column" : "", ", &windows,");
  out_.line("    ", panels, ", ", factor_text(p.k), " * product.width,");
  const bool is_near = p.left.buffer >= loop::Kernel::first_row;
  out_.line("    sums, ", names_of(p).stride, finishes_parts(p) ? ", &finish" : ", nullptr",
            is_near ? ", true});" : "});");
}

// For each block of tiles and each panel: the sums, then the epilogue for the rows of each line.
void Emitter::write_winograd(const loop::Product& p) {
  VITRO_ASSERT(!p.turned && p.batch.constant());
  const loop::Windows::Winograd& w = *p.winograd();
  const std::string ahead = rows_ahead(p, "0", "panel");
  out_.line("const ProductCut cut = product.cut_winograd(", scalar_text(w.tiles), ", ",
            scalar_text(p.n), ", ", w.tiles_of_block, ", args->threads);");
  declare_winograd(*p.left.windows);
  out_.line("RowRange lines[", w.m * w.tiles_of_block, "];");
  const std::vector<std::string> tiles = declare_tiles(p, panel_tile);
  hoist(statements_after(p), {p.row, p.column}, p.sum);
  out_.open("for (i64 task = begin; task < end; ++task) {");
  out_.line("const ProductBlock block = cut.block(task);");
  out_.line("const WinogradCall call = {&winograd, block.row, block.rows, ",
            at_base(buffer_name(p.left.buffer), p.left.base), ", ", buffer_name(w.scratch),
            ", lines};");
  out_.line("product.winograd_read(call);");
  out_.open("for (i64 panel = block.column; panel < block.column + block.columns;",
            " panel += product.width) {");
  out_.line("const i64 count = min(product.width, block.column + block.columns - panel);");
  if (!ahead.empty()) out_.line("const ProductAhead ahead[] = {", ahead, "};");
  out_.line("const f32* const panel_sums = product.winograd_multiply({&call, ",
            block_start(buffer_name(p.right), "panel", p.k), ", count, ",
            ahead.empty() ? "nullptr, 0" : "ahead, sizeof ahead / sizeof ahead[0]", "});");
  out_.line("const i64 ranges = block.rows * ", w.m, ";");
  finish_panel(p, tiles);
  out_.close();
  out_.close();
}

// For each block of channels and columns: the products at all points, then the sums of sixteen
// channels at a time and the epilogue for their rows.
void Emitter::write_winograd_weights(const loop::Product& p) {
  VITRO_ASSERT(p.batch.constant());
  const loop::Windows::Winograd& w = *p.winograd();
  const ProductNames names = names_of(p);
  out_.line("const ProductCut cut = product.cut_winograd_weights(", scalar_text(p.m), ", ",
            scalar_text(p.n), ", ", w.rows_of_block, ", args->threads);");
  declare_winograd(*p.left.windows);
  out_.line("alignas(64) f32 sums[", names.size, p.turned ? cat("], turned[", names.size) : "",
            "];");
  const std::vector<std::string> tiles = declare_tiles(p, names.size);
  out_.open("for (i64 task = begin; task < end; ++task) {");
  out_.line("const WinogradWeightsCall call = {&winograd, cut.block(task), ", scalar_text(w.tiles),
            ", ", w.tiles_of_block, ", ", at_base(buffer_name(p.left.buffer), p.left.base), ", ",
            at_base(buffer_name(p.right), p.right_base), ", ", scalar_text(p.right_stride), ", ",
            buffer_name(w.scratch), "};");
  out_.line("product.winograd_weights_multiply(call);");
  out_.line("const ProductBlock block = call.block;");
  out_.open("for (i64 first = 0; first < block.rows; first += winograd_weights_rows) {");
  push_scope();
  out_.line("const ProductBlock at = {block.row + first, ",
            "min(winograd_weights_rows, block.rows - first), block.column, block.columns};");
  out_.line("product.winograd_weights_finish(call, at.row, at.rows, sums);");
  if (p.turned) {
    out_.line("product.turn(sums, ", names.stride, ", at.rows, at.columns, turned, ",
              names.turned_stride, ");");
  }
  finish_sums(p, tiles);
  pop_scope();
  out_.close();
  out_.close();
}

// For each block of rows: splits what their windows read; for each panel: the sums, then the
// epilogue.
void Emitter::write_split(const loop::Product& p) {
  VITRO_ASSERT(!p.turned && p.batch.constant());
  const loop::Windows::Split& s = *p.split();
  out_.line("const ProductCut cut = product.cut_split(", scalar_text(p.m), ", ", scalar_text(p.n),
            ", ", s.most_rows, ", ", scalar_text(p.left.windows->dimensions.back().out),
            ", args->threads);");
  declare_windows(*p.left.windows);
  out_.line("RowRange lines[", s.ranges, "];");
  const std::vector<std::string> tiles = declare_tiles(p, panel_tile);
  hoist(statements_after(p), {p.row, p.column}, p.sum);
  out_.open("for (i64 task = begin; task < end; ++task) {");
  out_.line("const ProductBlock block = cut.block(task);");
  out_.line("const SplitCall call = {&windows, block.row, block.rows, ",
            at_base(buffer_name(p.left.buffer), p.left.base), ", ", buffer_name(s.scratch), ", ",
            s.sums, ", lines};");
  out_.line("const i64 ranges = product.split_read(call);");
  out_.open("for (i64 panel = block.column; panel < block.column + block.columns;",
            " panel += product.width) {");
  out_.line("const i64 count = min(product.width, block.column + block.columns - panel);");
  out_.line("const f32* const panel_sums = product.split_multiply({&call, ",
            block_start(buffer_name(p.right), "panel", p.panel_rows()), ", count, ranges});");
  finish_panel(p, tiles);
  out_.close();
  out_.close();
}

// The epilogue for each of `ranges` lines of the sums of a panel; if results are transposed, for
// some rows at a time, whose values wait in `tiles`.
void Emitter::finish_panel(const loop::Product& p, const std::vector<std::string>& tiles) {
  out_.open("for (i64 range = 0; range < ranges; ++range) {");
  push_scope();
  if (tiles.empty()) {
    out_.line("const ProductBlock at = {lines[range].row, lines[range].rows, panel, count};");
    out_.line("const f32* const sums = panel_sums + lines[range].sum * product.width;");
  } else {
    out_.open("for (i64 first = 0; first < lines[range].rows; first += product_rows) {");
    out_.line("const ProductBlock at = {lines[range].row + first, ",
              "min(product_rows, lines[range].rows - first), panel, count};");
    out_.line("const f32* const sums = panel_sums + (lines[range].sum + first) * product.width;");
  }
  finish_sums(p, tiles);
  if (!tiles.empty()) out_.close();
  pop_scope();
  out_.close();
}

// Declares the arrays of values of `size` elements that are transposed before they are written.
std::vector<std::string> Emitter::declare_tiles(const loop::Product& p, std::string_view size) {
  std::vector<std::string> tiles;
  for (const loop::Statement& s : p.across) {
    const auto& store = std::get<loop::Store>(s.what);
    tiles.push_back(names_.take(cat(buffer_name(store.buffer), "_tile")));
    out_.line("alignas(64) ", type_text(store.value.dtype()), " ", tiles.back(), "[", size, "];");
  }
  return tiles;
}

void Emitter::declare_winograd(const loop::Windows& w) {
  std::string text;
  for (Expr loop::Windows::Dimension::* member :
       {&loop::Windows::Dimension::size, &loop::Windows::Dimension::out,
        &loop::Windows::Dimension::padding, &loop::Windows::Dimension::position_stride}) {
    text += cat(", {", scalar_text(w.dimensions[0].*member), ", ",
                scalar_text(w.dimensions[1].*member), '}');
  }
  out_.line("const Winograd winograd = {", w.winograd->m, text, ", ", scalar_text(w.image_stride),
            ", ", scalar_text(w.channels), "};");
}

// What the epilogue accesses in contiguous rows, as elements of an array of ProductAhead; `row` and
// `column`: the first ones, as text.
std::string Emitter::rows_ahead(const loop::Product& p, std::string_view row,
                                std::string_view column) const {
  std::string text;
  std::set<std::pair<int, const sym::Node*>> seen;
  loop::each_access(p.body, [&](int buffer, Expr element, bool) {
    if (buffer >= loop::Kernel::first_row || !sym::contains(element, p.row)) return;
    const auto rows = sym::as_linear(element, p.row);
    const auto columns = rows ? sym::as_linear(rows->rest, p.column) : std::nullopt;
    if (!columns || !columns->coefficient.is(1) || !rows->coefficient.constant()) return;
    if (!columns->rest.constant() || !seen.insert({buffer, element.node()}).second) return;
    const int64_t size = bytes_of(buffer_dtype(buffer));
    const int64_t stride = *rows->coefficient.constant();
    const std::string first = cat(at_base(buffer_name(buffer), columns->rest),
                                  row == "0" ? "" : cat(" + ", row, " * ", stride), " + ", column);
    text += cat(text.empty() ? "{" : ", {", first, ", ", stride * size, ", ", size, '}');
  });
  return text;
}

// Declares what a block of the product prefetches; returns the last fields of its ProductCall.
std::string_view Emitter::declare_ahead(const loop::Product& p) {
  const std::string ahead = p.prefetches ? rows_ahead(p, "at.row", "at.column") : "";
  if (ahead.empty()) return "";
  out_.line("const ProductAhead ahead[] = {", ahead, "};");
  return ", ahead, sizeof ahead / sizeof ahead[0]";
}

void Emitter::multiply_panels(const loop::Product& p) {
  std::string panels = buffer_name(p.right);
  if (!p.panels.is(0)) {
    panels += cat(" + ", factor_text(p.panels), " * product.packed_size(", scalar_text(p.k), ", ",
                  scalar_text(p.n), ")");
  }
  panels = block_start(panels, "at.column", p.panel_rows());
  if (p.left.windows) {
    multiply_windows(p, panels);
  } else {
    p.left.buffer < 0 ? multiply_computed(p, panels) : multiply_in_memory(p, panels);
  }
}

// Reads the right operand in place, without panels; `task`: number of the block.
void Emitter::multiply_rows(const loop::Product& p, std::string_view task) {
  const loop::Left& left = p.left;
  VITRO_ASSERT(left.buffer >= 0, "a product reads rows beside a left operand in memory");
  const std::string_view ahead = declare_ahead(p);
  const std::string right = at_base(buffer_name(p.right), p.right_base),
                    x = at_base(buffer_name(left.buffer), left.base);
  const bool channels = p.reads == loop::RightOperand::channels;
  out_.line("product.multiply_", channels ? "depthwise_weights" : "plain",
            "({at.rows, at.columns, ", scalar_text(p.k), ",");
  out_.line("                        ",
            channels          ? block_start(x, "at.column", 1)
            : left.transposed ? x
                              : block_start(x, "at.row", left.row_stride),
            ", ", scalar_text(left.row_stride), ", ", scalar_text(left.k_stride), ",");
  out_.line("                        ", right, " + at.column, ", scalar_text(p.right_stride),
            ", 0,");
  const std::string_view more = !ahead.empty()    ? ", nullptr"
                                : left.transposed ? ", nullptr, nullptr, 0"
                                                  : "";
  out_.line("                        sums, ", names_of(p).stride, ", false", more, ahead,
            left.transposed ? ", &windows, at.row}" : "}", channels ? ");" : ",");
  if (channels) return;
  out_.line("                       ", right, " + cut.block(", task, " + 1).column);");
}

void Emitter::multiply_in_memory(const loop::Product& p, const std::string& panels) {
  const loop::Left& left = p.left;
  const std::string matrix = at_base(buffer_name(left.buffer), left.base);
  const std::string_view ahead = declare_ahead(p);
  out_.line("product.multiply({at.rows, at.columns, ", scalar_text(p.k), ",");
  out_.line("                  ", block_start(matrix, "at.row", left.row_stride), ", ",
            scalar_text(left.row_stride), ", ", scalar_text(left.k_stride), ",");
  out_.line("                  ", panels, ", ", panel_strides(p.panel_rows()), ",");
  out_.line("                  sums, ", names_of(p).stride, ", false",
            finishes_parts(p) ? ", &finish"
            : ahead.empty()   ? ""
                              : ", nullptr",
            ahead, "});");
}

// The left operand is computed into a local array, product_depth columns at a time.
void Emitter::multiply_computed(const loop::Product& p, const std::string& panels) {
  const std::string acc(type_text(p.accumulate)), k = scalar_text(p.k),
                                                  stride = cat("product_left_stride<", acc, ">");
  const std::string_view row = sym::name_of(p.row), inner = sym::name_of(p.inner);
  const loop::Block computed{{loop::Store{0, 0, p.left.value}}};
  hoist(computed, {p.row, p.inner});
  out_.open("for (i64 first = 0; first < ", k, "; first += product_depth<", acc, ">) {");
  out_.line("const i64 depth = min(product_depth<", acc, ">, ", k, " - first);");
  out_.open("for (i64 ", row, " = at.row; ", row, " < at.row + at.rows; ++", row, ") {");
  push_scope();
  hoist(computed, {p.inner});
  out_.open("for (i64 ", inner, " = first; ", inner, " < first + depth; ", inner,
            " += ", kernel_.lanes, ") {");
  open_lanes(p.inner, p.k, "first + depth");
  const std::string text = value(p.left.value);
  out_.line("store(left + (", row, " - at.row) * ", stride, " + ", inner, " - first, ", text, ");");
  close_lanes();
  pop_scope();
  out_.close();
  out_.line("product.multiply({at.rows, at.columns, depth,");
  out_.line("                  left, ", stride, ", 1,");
  out_.line("                  ", panels, " + first * product.width, ", panel_strides(p.k), ",");
  out_.line("                  sums, product_columns<", acc, ">, first > 0});");
  out_.close();
}

// Whether what follows the sums of a part is computed column by column: values of a column, such as
// a bias, are then loaded once for all rows. Values and indices of a row would be computed again.
bool Emitter::finishes_columns(const loop::Product& p) const {
  if (!finishes_parts(p) || !kernel_.indirect_indices.empty()) return false;
  bool of_column = false, of_row = false;
  loop::each_index(p.body, [&](Expr e) {
    if (!e.defined()) return;
    const bool row = sym::contains(e, p.row), column = sym::contains(e, p.column);
    of_column = of_column || (column && !row);
    of_row = of_row || (row && (!column || !sym::as_linear(e, p.row)));
  });
  return of_column && !of_row;
}

// The epilogue for every vector of columns and its rows.
void Emitter::finish_columns(const loop::Product& p) {
  const std::string_view row = sym::name_of(p.row), column = sym::name_of(p.column);
  const std::string end = "at.column + at.columns";
  hoist(p.body, {p.row, p.column}, p.sum);
  out_.open("for (i64 ", column, " = at.column; ", column, " < ", end, "; ", column,
            " += ", kernel_.lanes, ") {");
  open_lanes(p.column, p.n, end);
  hoist(p.body, {p.row}, p.sum);
  out_.open("for (i64 ", row, " = at.row; ", row, " < at.row + at.rows; ++", row, ") {");
  push_scope();
  out_.line("const Vec<", type_text(p.accumulate), "> sum = load(sums + (", row,
            " - at.row) * stride + ", column, " - at.column);");
  variables_[p.sum] = "sum";
  declared_in_lanes_.insert(p.sum);
  block(p.body);
  pop_scope();
  out_.close();
  close_lanes();
}

// Writes the epilogue.  `tiles`: for each store across the lanes, the array that holds its values
// until they are transposed.
void Emitter::finish_sums(const loop::Product& p, const std::vector<std::string>& tiles) {
  if (finishes_columns(p)) return finish_columns(p);
  // A dimension of the block: its index, the product's size along it, and the block's range.
  struct Side {
    Expr index, extent;
    std::string_view begin, count;
  };
  Side outer{p.row, p.m, "at.row", "at.rows"}, inner{p.column, p.n, "at.column", "at.columns"};
  if (p.turned) std::swap(outer, inner);
  const std::string_view at = sym::name_of(outer.index), lane = sym::name_of(inner.index);
  const ProductNames names = names_of(p);
  const std::string end = cat(inner.begin, " + ", inner.count),
                    stride = p.turned            ? std::string(names.turned_stride)
                             : finishes_parts(p) ? "stride"
                                                 : names.stride,
                    in_block = cat(" + (", at, " - ", outer.begin, ") * ", stride, " + ", lane,
                                   " - ", inner.begin);
  const loop::Block all = statements_after(p);
  hoist(all, {p.row, p.column}, p.sum);
  out_.open("for (i64 ", at, " = ", outer.begin, "; ", at, " < ", outer.begin, " + ", outer.count,
            "; ++", at, ") {");
  push_scope();
  hoist(all, {inner.index}, p.sum);
  out_.open("for (i64 ", lane, " = ", inner.begin, "; ", lane, " < ", end, "; ", lane,
            " += ", kernel_.lanes, ") {");
  open_lanes(inner.index, inner.extent, end);
  out_.line("const Vec<", type_text(p.accumulate), "> sum = load(", p.turned ? "turned" : "sums",
            in_block, ");");
  variables_[p.sum] = "sum";
  declared_in_lanes_.insert(p.sum);
  for (size_t i = 0; i < tiles.size(); ++i) {
    const std::string text = value(std::get<loop::Store>(p.across[i].what).value);
    out_.line("store(", tiles[i], in_block, ", ", text, ");");
  }
  block(p.body);
  close_lanes();
  pop_scope();
  out_.close();
  for (size_t i = 0; i < tiles.size(); ++i) {
    const auto& store = std::get<loop::Store>(p.across[i].what);
    const std::pair<Expr, Expr> first[] = {{outer.index, Expr::symbol(outer.begin)},
                                           {inner.index, Expr::symbol(inner.begin)}};
    out_.line("transpose_block(", tiles[i], ", ", stride, ", ", buffer_name(store.buffer), " + ",
              scalar_text(sym::substitute(store.element, first)), ", ",
              scalar_text(sym::as_linear(store.element, inner.index)->coefficient), ", ",
              outer.count, ", ", inner.count, ");");
  }
}

void Emitter::open_lanes(Expr index, Expr extent, std::string_view end) {
  const bool full = extent.constant() && *extent.constant() % kernel_.lanes == 0;
  push_scope();
  if (!full) out_.line("const i64 count = ", end, " - ", sym::name_of(index), ";");
  lanes_ = {index, full ? "" : "count"};
}

void Emitter::close_lanes() {
  declared_in_lanes_.clear();
  lanes_ = {};
  pop_scope();
  out_.close();
}

// The precompiled functions for panels of a buffer's dtype.
std::string Emitter::product_of(int packed, bool bf16x6) const {
  VITRO_ASSERT(is_floating(buffer_dtype(packed)));
  if (bf16x6) return "args->products[product_bf16x6]";
  return cat("args->products[", static_cast<int>(buffer_dtype(packed)), "]");
}

void Emitter::write(const loop::Pack& p) {
  VITRO_ASSERT(buffer_dtype(p.from) == buffer_dtype(p.to));
  const std::string n = scalar_text(p.n), k = scalar_text(p.k);
  const std::string rows = scalar_text(p.taps * p.k);
  const bool plain = p.taps.is(1);
  const std::string_view pack = plain ? "pack(" : "pack_taps(";
  const std::string taps =
      plain ? "" : cat(scalar_text(p.taps), ", ", p.joined, ", ", scalar_text(p.tap_stride), ", ");
  const std::string matrix =
      cat(at_base(buffer_name(p.from), p.base), ", ", taps, scalar_text(p.k_stride), ", ",
          scalar_text(p.n_stride), ", ", k, ", ", n, ", ", buffer_name(p.to));
  out_.line("const Product& product = ", product_of(p.to, p.bf16x6), ";");
  if (p.winograd > 0) {
    VITRO_ASSERT(p.batch.constant());
    out_.line("product.pack_winograd(", p.winograd, ", ", at_base(buffer_name(p.from), p.base),
              ", ", scalar_text(p.tap_stride), ", ", scalar_text(p.k_stride), ", ",
              scalar_text(p.n_stride), ", ", k, ", ", n, ", ", buffer_name(p.to), ", begin, end);");
    return;
  }
  if (p.batch.constant()) {
    out_.line("product.", pack, matrix, ", begin, end);");
    return;
  }
  out_.line("const i64 per_batch = product.panel_count(", n, ");");
  out_.open("for (i64 task = begin; task < end; ++task) {");
  const std::string_view batch = sym::name_of(p.batch);
  out_.line("const i64 ", batch, " = task / per_batch, panel = task % per_batch;");
  out_.line("product.", pack, matrix, " + ", batch, " * product.packed_size(", rows, ", ", n,
            "), panel, panel + 1);");
  out_.close();
}

void Emitter::write(const loop::Multiply& m) {
  const std::string k = scalar_text(m.k), columns = scalar_text(m.columns);
  const auto at = [this](int buffer, Expr base) { return at_base(buffer_name(buffer), base); };
  out_.open("{");
  out_.line("const Product& product = ", product_of(m.right), ";");
  std::string right =
      cat(at(m.right, m.right_base), ", ", scalar_text(m.right_k_stride), ", product.width");
  if (m.panels >= 0) {
    out_.line("product.pack(", at(m.right, m.right_base), ", ", scalar_text(m.right_k_stride), ", ",
              scalar_text(m.right_n_stride), ", ", k, ", ", columns, ", ", buffer_name(m.panels),
              ", 0, product.panel_count(", columns, "));");
    right = cat(buffer_name(m.panels), ", ", panel_strides(m.k));
  }
  out_.line("product.multiply({", scalar_text(m.rows), ", ", columns, ", ", k, ",");
  out_.line("                  ", at(m.left.buffer, m.left.base), ", ",
            scalar_text(m.left.row_stride), ", ", scalar_text(m.left.k_stride), ",");
  out_.line("                  ", right, ",");
  out_.line("                  ", at(m.to, m.to_base), ", ", scalar_text(m.to_stride),
            ", false});");
  out_.close();
}

DType Emitter::buffer_dtype(int number) const {
  return number >= loop::Kernel::first_row
             ? kernel_.rows[static_cast<size_t>(number - loop::Kernel::first_row)].dtype
             : kernel_.buffers[static_cast<size_t>(number)].dtype;
}

}  // namespace vitro::backend
