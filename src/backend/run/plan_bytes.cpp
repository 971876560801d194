// Writes and reads plans: a table of texts, the symbols, then the fields one after another.
#include "backend/run/plan_bytes.h"

#include <algorithm>
#include <charconv>

#include "backend/run/horizontal_fusion.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"

namespace vitro::backend {
namespace {

void append_number(std::string& out, uint64_t number) {
  for (; number >= 0x80; number >>= 7) out += static_cast<char>(number | 0x80);
  out += static_cast<char>(number);
}

// Of "u3".
uint32_t number_of_data_size(std::string_view name) {
  uint32_t number = 0;
  std::from_chars(name.data() + std::min<size_t>(name.size(), 1), name.data() + name.size(),
                  number);
  return number;
}

}  // namespace

// ---- writing ----

void PlanWriter::put(uint64_t number) {
  append_number(body_, number);
}

uint64_t PlanWriter::number_of(std::string_view text) {
  const auto found = numbers_.find(text);
  if (found != numbers_.end()) return found->second;
  const auto added = numbers_.emplace(text, texts_.size()).first;
  texts_.push_back(added->first);
  return added->second;
}

// Constants are numbers; the text of another expression must read back as the same.
void PlanWriter::add(Expr e) {
  if (!e.defined()) return put(0);
  if (const auto constant = e.constant()) {
    put(1);
    return put(static_cast<uint64_t>(*constant));
  }
  for (const Expr symbol : sym::symbols_of(e)) {
    if (std::ranges::find(symbols_, symbol) == symbols_.end()) symbols_.push_back(symbol);
    if (sym::kind_of(symbol) != sym::Kind::symbol) refuse(cat("a size with a loop index, ", e));
  }
  const std::string text = e.text();
  const auto again = sym::parse(text, [&](std::string_view name) {
    const auto found = std::ranges::find(symbols_, name, sym::name_of);
    return found == symbols_.end() ? Expr() : *found;
  });
  if (!again || !(*again == e)) refuse(cat("the size ", text, " cannot be read back"));
  put(2);
  put(number_of(text));
}

void PlanWriter::add(const Scalar& scalar) {
  put(static_cast<uint64_t>(scalar.kind()));
  put(scalar.bits());
  if (scalar.is_complex()) return put(Scalar(scalar.as_complex().imag()).bits());
  add(scalar.expr());
}

void PlanWriter::add_attrs(const Attrs& attrs) {
  put(static_cast<bool>(attrs));
  if (!attrs) return;
  const AttrsView view = attrs.view();
  const std::vector<NamedArg> values = view.type->values(view.data);
  put(values.size());
  for (const NamedArg& value : values) add(value.name), add(text_of(value.value));
  attrs.map_sizes([this](Size size) {
    if (size.is_symbolic()) add(size.expr());  // so that its symbols are in the table
    return size;
  });
  put(3);
}

std::string PlanWriter::take() {
  std::string out;
  append_number(out, texts_.size());
  for (const std::string_view text : texts_) append_number(out, text.size()), out += text;
  append_number(out, symbols_.size());
  for (const Expr symbol : symbols_) {
    const std::string_view name = sym::name_of(symbol);
    const sym::Range range = sym::range_of(symbol);
    append_number(out, name.size());
    out += name;
    append_number(out, sym::is_data(symbol));
    append_number(out, static_cast<uint64_t>(range.low));
    append_number(out, static_cast<uint64_t>(range.high));
  }
  return out + body_;
}

// ---- reading ----

void PlanReader::fail(std::string_view what) {
  throw Broken(cat("damaged: ", what, " is not one"));
}

PlanReader::PlanReader(std::string_view bytes, OpNamed op_named)
    : rest_(bytes), op_named_(std::move(op_named)) {
  const auto bytes_of_text = [this] {
    const size_t size = count();
    const std::string_view text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return text;
  };
  for (size_t left = count(); left > 0; --left) texts_.push_back(bytes_of_text());
  exprs_.resize(texts_.size());
  for (size_t left = count(); left > 0; --left) {
    const std::string_view name = bytes_of_text();
    bool is_data = false;
    sym::Range range;
    (*this)(is_data, range.low, range.high);
    if (range.low > range.high) fail("a range");
    try {
      const Expr symbol =
          is_data ? Expr::data(number_of_data_size(name)) : Expr::symbol(name, range);
      if (sym::name_of(symbol) != name) fail("a symbol");
      symbols_.emplace(name, symbol);
    } catch (const Bug&) {
      fail("a symbol, which has another range in this program,");
    }
  }
}

uint64_t PlanReader::take() {
  uint64_t number = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (rest_.empty()) fail("the end");
    const auto byte = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    number |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return number;
  }
  fail("a number");
}

size_t PlanReader::count() {
  const uint64_t read = take();
  if (read > rest_.size()) fail("a size");
  return static_cast<size_t>(read);
}

std::string_view PlanReader::text() {
  const uint64_t number = take();
  if (number >= texts_.size()) fail("a text");
  return texts_[number];
}

Expr PlanReader::symbol_named(std::string_view name) const {
  const auto found = symbols_.find(name);
  return found == symbols_.end() ? Expr() : found->second;
}

void PlanReader::get(Expr& e) {
  const uint64_t form = take();
  if (form == 0) return void(e = Expr());
  if (form == 1) return void(e = Expr(static_cast<int64_t>(take())));
  const uint64_t number = form == 2 ? take() : texts_.size();
  if (number >= texts_.size()) fail("a size");
  Expr& known = exprs_[number];
  if (!known.defined()) {
    const auto read =
        sym::parse(texts_[number], [this](std::string_view name) { return symbol_named(name); });
    if (!read) fail("a size");
    known = *read;
  }
  e = known;
}

void PlanReader::get(Scalar& scalar) {
  Scalar::Kind kind = {};
  choice(kind, static_cast<size_t>(Scalar::Kind::complex) + 1);
  const uint64_t bits = take();
  const Scalar real =
      Scalar::from_bits(kind == Scalar::Kind::complex ? Scalar::Kind::floating : kind, bits);
  if (kind == Scalar::Kind::complex) {
    const Scalar imaginary = Scalar::from_bits(Scalar::Kind::floating, take());
    scalar = Scalar(std::complex<double>(real.as_double(), imaginary.as_double()));
    return;
  }
  Expr e;
  get(e);
  if (e.defined() && kind != Scalar::Kind::integer) fail("a number");
  scalar = e.defined() ? Scalar(Size(static_cast<int64_t>(bits), e)) : real;
}

void PlanReader::get(const OpDef*& op) {
  const std::string_view name = text();
  op = op_named_ ? op_named_(name) : nullptr;
  if (!op) fail(cat("the op ", name));
}

Attrs PlanReader::attrs(const AttrsType* type) {
  bool is_there = false;
  get(is_there);
  if (is_there != (type != nullptr)) fail("a list of attributes");
  if (!is_there) return {};
  const std::shared_ptr<void> made = type->make();
  for (size_t left = count(); left > 0; --left) {
    const std::string_view name = text();
    const auto value =
        read_value(text(), [this](std::string_view symbol) { return symbol_named(symbol); });
    if (!value || !type->assign(made.get(), name, *value).value_or(false)) fail("an attribute");
  }
  for (uint64_t form = take(); form != 3; form = take()) {
    if (form != 2 || take() >= texts_.size()) fail("an attribute");
  }
  return Attrs(made, type);
}

// ---- fields ----

template <class IO, FieldsOf<loop::Check> C>
void each_field(IO& io, C& c) {
  io(c.op, c.location, c.divisor, c.wraps, c.axis);
}
template <class IO, FieldsOf<Launch::Product> P>
void each_field(IO& io, P& p) {
  io(p.m, p.n, p.k, p.batches, p.right);
  io.choice(p.reads, 3);
  io(p.turns, p.most_rows, p.bf16x6, p.line);
}
template <class IO, FieldsOf<Launch::Bands> B>
void each_field(IO& io, B& b) {
  io(b.images, b.lines, b.most, b.least);
}
template <class IO, FieldsOf<UserKernel::Argument> A>
void each_field(IO& io, A& a) {
  io.choice(a.kind, 3);
  io(a.buffer, a.dtype, a.sizes, a.strides, a.input, a.number);
}
template <class IO, FieldsOf<BufferPlan> B>
void each_field(IO& io, B& b) {
  io.choice(b.kind, 4);
  io(b.dtype, b.count, b.first, b.last, b.kept);
}
template <class IO, FieldsOf<LateIndex> L>
void each_field(IO& io, L& l) {
  io(l.input, l.bound, l.wraps);
}
template <class IO, FieldsOf<OutputPlan> O>
void each_field(IO& io, O& o) {
  io(o.buffer, o.dtype, o.sizes, o.strides);
}

namespace {

void add_what(PlanWriter& out, const Launch& launch) {
  out.add(launch.what.index());
  if (const auto* kernel = std::get_if<GeneratedKernel>(&launch.what)) {
    if (kernel->interpreted) out.refuse("an interpreted kernel");
    out(kernel->module, kernel->symbol);
  } else if (const auto* user = std::get_if<UserKernel>(&launch.what)) {
    out.add(user->op);
    out.add_attrs(user->attrs);
    out(user->operands, user->results);
  } else {
    const auto& copy = std::get<BufferCopy>(launch.what);
    out(copy.from, copy.to);
  }
}

void get_what(PlanReader& in, Launch& launch) {
  size_t which = 0;
  in.get(which);
  if (which == 0) {
    auto& kernel = launch.what.emplace<GeneratedKernel>();
    in(kernel.module, kernel.symbol);
  } else if (which == 1) {
    auto& user = launch.what.emplace<UserKernel>();
    in.get(user.op);
    if (!user.op->opaque) in.fail("an op with a kernel");
    user.attrs = in.attrs(user.op->attrs);
    in(user.operands, user.results);
  } else if (which == 2) {
    auto& copy = launch.what.emplace<BufferCopy>();
    in(copy.from, copy.to);
  } else {
    in.fail("a launch");
  }
}

}  // namespace

template <class IO, FieldsOf<Launch> L>
void each_field(IO& io, L& l) {
  if constexpr (std::is_const_v<L>) {
    add_what(io, l);
  } else {
    get_what(io, l);
  }
  io(l.tasks, l.bytes, l.flops, l.scratch, l.multiplies, l.buffers, l.offsets, l.may_stream);
  io(l.numbers, l.checks, l.product, l.bands, l.packs, l.packs_input, l.keeps, l.keeps_results);
  io(l.layout, l.sized, l.name, l.detail, l.product_name, l.joins, l.joined_name);
}

namespace {

template <class IO>
void each_field_of_plan(IO& io, auto& p) {
  io(p.symbols, p.input_buffers, p.input_dtypes, p.buffers, p.outputs, p.launches, p.value_bytes,
     p.results_of, p.late_indices, p.may_fail_late);
}

// Checks that everything is there that numbers refer to.
class Checker {
 public:
  Checker(const ExecutablePlan& plan, size_t modules) : plan_(plan), modules_(modules) {}

  void check() {
    const size_t inputs = plan_.input_buffers.size();
    need(plan_.input_dtypes.size() == inputs);
    for (const Expr symbol : plan_.symbols) need(symbol.defined() && symbol.is_symbol());
    for (const auto& buffer : plan_.input_buffers) check(buffer);
    for (const InputId input : plan_.results_of) check(input);
    for (const LateIndex& late : plan_.late_indices) check(late.input), need_known(late.bound);
    for (const BufferPlan& buffer : plan_.buffers) {
      need_known(buffer.count);
      need(buffer.first.has_value() == buffer.last.has_value());
      if (buffer.last)
        need(buffer.first->n <= buffer.last->n && buffer.last->n < plan_.launches.size());
    }
    for (const OutputPlan& output : plan_.outputs) {
      check(output.buffer);
      need(output.sizes.size() == output.strides.size());
      for (const Expr e : output.sizes) need_known(e);
      for (const Expr e : output.strides) need_known(e);
    }
    for (const Expr e : plan_.value_bytes) need_known(e);
    for (const Launch& launch : plan_.launches) check(launch);
  }

 private:
  static void need(bool holds) {
    if (!holds) PlanReader::fail("a number that refers to something");
  }
  // Every symbol has a value in a call.
  void need_known(Expr e) const {
    need(e.defined());
    if (e.constant()) return;
    for (const Expr symbol : sym::symbols_of(e))
      need(std::ranges::find(plan_.symbols, symbol) != plan_.symbols.end());
  }
  void check(BufferId buffer) const { need(buffer.n < plan_.buffers.size()); }
  void check(InputId input) const { need(input.n < plan_.input_buffers.size()); }
  template <class T>
  void check(const std::optional<T>& id) const {
    if (id) check(*id);
  }

  void check(const Launch& launch) const {
    for (const Expr e : {launch.tasks, launch.bytes, launch.flops, launch.scratch}) need_known(e);
    for (const Expr e : launch.offsets) need_known(e);
    for (const BufferId buffer : launch.buffers) check(buffer);
    for (const InputId input : launch.numbers) check(input);
    need(launch.buffers.size() <= most_buffers && launch.numbers.size() <= most_numbers);
    need(launch.offsets.size() <= launch.buffers.size());
    check(launch.packs), check(launch.packs_input);
    if (launch.joins)
      need(&launch != plan_.launches.data() && can_join(launch) && can_join(*(&launch - 1)));
    if (launch.keeps) need(launch.packs && launch.packs_input && launch.product);
    if (launch.product) check(*launch.product);
    if (launch.bands) {
      need_known(launch.bands->images);
      need(launch.bands->lines > 0 && launch.bands->most > 0 && launch.bands->least > 0);
    }
    if (const auto* kernel = std::get_if<GeneratedKernel>(&launch.what)) {
      need(kernel->module < modules_);
    } else if (const auto* user = std::get_if<UserKernel>(&launch.what)) {
      for (const auto* list : {&user->operands, &user->results}) {
        for (const UserKernel::Argument& one : *list) check(one);
      }
    } else {
      check(std::get<BufferCopy>(launch.what).from);
      check(std::get<BufferCopy>(launch.what).to);
    }
  }
  void check(const Launch::Product& p) const {
    for (const Expr e : {p.m, p.n, p.k, p.batches}) need_known(e);
  }
  void check(const UserKernel::Argument& one) const {
    check(one.buffer), check(one.input);
    need(one.sizes.size() == one.strides.size());
    for (const Expr e : one.sizes) need_known(e);
    for (const Expr e : one.strides) need_known(e);
  }

  const ExecutablePlan& plan_;
  size_t modules_;
};

}  // namespace

void each_field(PlanWriter& out, const ExecutablePlan& plan) {
  each_field_of_plan(out, plan);
}

ExecutablePlan read_plan(PlanReader& in, size_t modules) {
  ExecutablePlan plan;
  each_field_of_plan(in, plan);
  Checker(plan, modules).check();
  return plan;
}

}  // namespace vitro::backend
