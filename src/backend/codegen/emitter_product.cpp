// Matrix products: the tile of the prelude with what comes before and after it.
#include "backend/codegen/emitter.h"
#include "backend/codegen/index_text.h"
#include "backend/codegen/value_text.h"
#include "vitro/base/error.h"

namespace vitro::backend {

using sym::Expr;

// How many tasks a launch has: it depends on the machine's tile.
void Emitter::write_task_count() {
  const loop::Statement& statement = kernel_.body[0];
  std::string count;
  if (const auto* p = std::get_if<loop::Product>(&statement.what)) {
    count = cat("matmul_tasks<", type_text(p->accumulate), ">(", scalar_text(p->m), ", ",
                scalar_text(p->n), ", ", scalar_text(p->k), ", args->threads).count");
    if (!p->batch.constant()) count += cat(" * (", scalar_text(sym::extent_of(p->batch)), ")");
  } else {
    const auto& pack = std::get<loop::Pack>(statement.what);
    count = cat(packing_of(pack), ".panel_count(", scalar_text(pack.n), ") * (",
                scalar_text(pack.batches), ")");
  }
  out_.open("extern \"C\" i64 ", kernel_name, "_tasks([[maybe_unused]] const KernelArgs* args) {");
  declare_sizes();
  out_.line("return ", count, ";");
  out_.close();
}

std::string Emitter::left_text(const loop::Product& p) {
  const loop::Left& left = p.left;
  if (left.buffer < 0) return "left";
  const std::string_view type = type_text(buffer_dtype(left.buffer));
  const std::string at = cat(buffer_name(left.buffer), " + ", scalar_text(left.base));
  if (left.k_stride.is(1)) {
    return cat("RowMajor<", type, ">{", at, ", ", scalar_text(left.row_stride), "}");
  }
  return cat("ColumnMajor<", type, ">{", at, ", ", scalar_text(left.k_stride), "}");
}

void Emitter::write(const loop::Product& p) {
  const std::string_view acc = type_text(p.accumulate);
  const std::string m = scalar_text(p.m), n = scalar_text(p.n), k = scalar_text(p.k);
  out_.line("const MatmulTasks tiles = matmul_tasks<", acc, ">(", m, ", ", n, ", ", k,
            ", args->threads);");
  result_.counts_tasks = true;
  result_.parts.insert("matmul");
  if (!p.batch.constant()) out_.line("const i64 per_batch = tiles.count;");
  out_.open("for (i64 task = begin; task < end; ++task) {");
  push_scope();
  std::string panels = buffer_name(p.packed);
  if (!p.batch.constant()) {
    out_.line("const i64 ", sym::name_of(p.batch), " = task / per_batch;");
    panels += cat(" + ", sym::name_of(p.batch), " * packed_size<", acc, ">(", k, ", ", n, ")");
  }
  for (const Expr index : {p.row, p.column, p.inner}) names_.take(sym::name_of(index));
  if (p.left.buffer < 0) {
    out_.open("const auto left = [&](i64 ", sym::name_of(p.row), ", i64 ", sym::name_of(p.inner),
              ", i64 count) __attribute__((always_inline)) {");
    push_scope();
    lanes_ = {p.inner, "count"};
    const std::string text = value(p.left.value);
    out_.line("return ", text, ";");
    lanes_ = {};
    pop_scope();
    out_.close("};");
  }
  hoist(p.body, {p.row, p.column}, p.sum);
  variables_[p.sum] = "sum";
  const bool known = p.m.constant().has_value();
  out_.open("matmul_task<", acc, known ? cat(", ", m) : "", ">(tiles, ",
            p.batch.constant() ? "task" : "task % per_batch", ", ", left_text(p), ", ", panels,
            ", [&](i64 ", sym::name_of(p.row), ", i64 ", sym::name_of(p.column),
            ", i64 count, Vec<", acc, "> sum) __attribute__((always_inline)) {");
  push_scope();
  lanes_ = {p.column, "count"};
  block(p.body);
  lanes_ = {};
  pop_scope();
  out_.close("});");
  pop_scope();
  out_.close();
}

// The functions compiled ahead for panels of the packed dtype.
std::string Emitter::packing_of(const loop::Pack& p) const {
  VITRO_ASSERT(buffer_dtype(p.from) == buffer_dtype(p.to) && is_floating(buffer_dtype(p.to)));
  return cat("args->packing[", static_cast<int>(buffer_dtype(p.to)), "]");
}

void Emitter::write(const loop::Pack& p) {
  const std::string n = scalar_text(p.n), k = scalar_text(p.k);
  const std::string from = cat(", ", scalar_text(p.k_stride), ", ", scalar_text(p.n_stride), ", ",
                               k, ", ", n, ", ", buffer_name(p.to));
  result_.counts_tasks = true;
  out_.line("const Packing& packing = ", packing_of(p), ";");
  if (p.batch.constant()) {
    out_.line("packing.pack(", buffer_name(p.from), " + ", scalar_text(p.base), from,
              ", begin, end);");
    return;
  }
  out_.line("const i64 per_batch = packing.panel_count(", n, ");");
  out_.open("for (i64 task = begin; task < end; ++task) {");
  const std::string_view batch = sym::name_of(p.batch);
  out_.line("const i64 ", batch, " = task / per_batch, panel = task % per_batch;");
  out_.line("packing.pack(", buffer_name(p.from), " + ", scalar_text(p.base), from, " + ", batch,
            " * packing.packed_size(", k, ", ", n, "), panel, panel + 1);");
  out_.close();
}

DType Emitter::buffer_dtype(int number) const {
  return number >= loop::Kernel::first_row
             ? kernel_.rows[static_cast<size_t>(number - loop::Kernel::first_row)].dtype
             : kernel_.buffers[static_cast<size_t>(number)].dtype;
}

}  // namespace vitro::backend
