// The machine that reads pickles: a stack of values, a memo, and for what torch.save calls a table
// of known names.  Values refer to one another by index, so that no input makes it recurse.
#include "io/pt2/unpickle.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "io/little_endian.h"
#include "io/pt2/tensor_record.h"
#include "io/shown.h"
#include "vitro/base/cat.h"

namespace vitro::io {
namespace {

using Kind = PickleValue::Kind;

constexpr size_t largest_pickle = size_t{16} << 20;

// Names that may occur, as they are in the bytes, beside those of storages and dtypes.
constexpr std::string_view ordered_dict = "collections\nOrderedDict",
                           rebuild_v2 = "torch._utils\n_rebuild_tensor_v2",
                           rebuild_v3 = "torch._utils\n_rebuild_tensor_v3",
                           rebuild_parameter = "torch._utils\n_rebuild_parameter",
                           size_class = "torch\nSize", device_class = "torch\ndevice";

// "FloatStorage" of "torch\nFloatStorage".
std::string_view name_of_global(std::string_view text) {
  return text.substr(text.find('\n') + 1);
}

bool is_storage(std::string_view text) {
  return (text.starts_with("torch\n") || text.starts_with("torch.storage\n")) &&
         text.ends_with("Storage");
}

bool is_dtype(std::string_view text) {
  return text.starts_with("torch\n") && schema_dtype(name_of_global(text));
}

bool is_known(std::string_view text) {
  constexpr std::string_view known[] = {ordered_dict,      rebuild_v2, rebuild_v3,
                                        rebuild_parameter, size_class, device_class};
  return std::ranges::find(known, text) != std::end(known) || is_storage(text) || is_dtype(text);
}

class Machine {
 public:
  explicit Machine(std::span<const std::byte> bytes) : bytes_(bytes) {
    pickle_.values.resize(3);
    pickle_.values[no].kind = pickle_.values[yes].kind = Kind::boolean;
    pickle_.values[yes].number = 1;
  }

  Result<Pickle> run() {
    while (why_.empty() && !stopped_) {
      began_ = at_;
      step(take<uint8_t>());
    }
    if (!why_.empty()) return Failure{std::move(why_)};
    return std::move(pickle_);
  }

 private:
  enum : uint32_t { none, no, yes };  // the first values, of which one each is enough

  void fail(const std::string& why) {
    if (why_.empty()) why_ = cat("byte ", began_, " of the pickle: ", why);
  }

  template <class T>
  T take() {
    if (bytes_.size() - at_ < sizeof(T)) return fail("it ends too soon"), T{};
    const T number = number_at<T>(bytes_, at_);
    at_ += sizeof(T);
    return number;
  }
  std::string_view take_text(size_t size) {
    if (bytes_.size() - at_ < size) return fail("it ends within a text"), std::string_view{};
    const char* const begin = reinterpret_cast<const char*>(bytes_.data()) + at_;
    at_ += size;
    return {begin, size};
  }
  std::string_view take_line() {
    const auto rest = bytes_.subspan(at_);
    const auto end = std::ranges::find(rest, std::byte{'\n'});
    if (end == rest.end()) return fail("it ends within a name"), std::string_view{};
    const std::string_view line = take_text(static_cast<size_t>(end - rest.begin()));
    ++at_;
    return line;
  }

  void push(uint32_t value) { stack_.push_back(value); }
  void push(PickleValue value) {
    push(static_cast<uint32_t>(pickle_.values.size()));
    pickle_.values.push_back(std::move(value));
  }
  void push_number(int64_t number) { push({Kind::integer, number, 0, {}, {}}); }
  uint32_t pop() {
    if (stack_.size() == (marks_.empty() ? 0 : marks_.back()))
      return fail("it takes a value that is not there"), uint32_t{none};
    const uint32_t value = stack_.back();
    stack_.pop_back();
    return value;
  }
  // All values since the last mark.
  std::vector<uint32_t> pop_mark() {
    if (marks_.empty())
      return fail("it takes values since a mark, and there is none"), std::vector<uint32_t>{};
    const auto first = stack_.begin() + static_cast<ptrdiff_t>(marks_.back());
    std::vector<uint32_t> values(first, stack_.end());
    stack_.erase(first, stack_.end());
    marks_.pop_back();
    return values;
  }
  void push_tuple(size_t size) {
    PickleValue tuple{Kind::tuple, 0, 0, {}, {}};
    tuple.items.resize(size);
    for (size_t i = size; i-- > 0;) tuple.items[i] = pop();
    push(std::move(tuple));
  }

  // Adds values to the list or dict on top of the stack.
  void extend(Kind kind, const std::vector<uint32_t>& values) {
    if (stack_.size() == (marks_.empty() ? 0 : marks_.back())) return fail("nothing to add to");
    PickleValue& to = pickle_.values[stack_.back()];
    if (to.kind != kind || (kind == Kind::dict && values.size() % 2 != 0))
      return fail("it adds to something that is not a list or dict");
    to.items.insert(to.items.end(), values.begin(), values.end());
  }
  void extend_one(Kind kind, size_t size) {
    std::vector<uint32_t> values(size);
    for (size_t i = values.size(); i-- > 0;) values[i] = pop();
    if (why_.empty()) extend(kind, values);
  }

  void remember(uint32_t key) {
    if (stack_.empty()) return fail("it remembers a value that is not there");
    memo_[key] = stack_.back();
  }
  void recall(uint32_t key) {
    const auto found = memo_.find(key);
    if (found == memo_.end()) return fail(cat("it recalls value ", key, ", which is not there"));
    push(found->second);
  }

  void push_global() {
    const size_t begin = at_;
    const std::string_view module = take_line(), name = take_line();
    if (!why_.empty()) return;
    const std::string_view text(reinterpret_cast<const char*>(bytes_.data()) + begin,
                                module.size() + 1 + name.size());
    if (!is_known(text))
      return fail(cat("it needs Python's ", shown(cat(module, ".", name)),
                      ", and no pickle is executed: only tensors in dicts, lists and tuples are "
                      "read"));
    push({Kind::global, 0, 0, text, {}});
  }

  const PickleValue& value(uint32_t index) const { return pickle_.values[index]; }

  void step(uint8_t opcode);
  bool step_of_values(uint8_t opcode);
  bool step_of_containers(uint8_t opcode);
  void push_long();
  void persistent();
  void reduce();
  void build();
  void rebuild_tensor(const std::vector<uint32_t>& args, bool has_dtype);
  bool read_numbers(uint32_t from, std::vector<int64_t>& numbers) const;
  void push_tensor(PickledTensor tensor);

  std::span<const std::byte> bytes_;
  size_t at_ = 0, began_ = 0;
  bool stopped_ = false;
  std::string why_;
  Pickle pickle_;
  std::vector<uint32_t> stack_;
  std::vector<size_t> marks_;
  std::unordered_map<uint32_t, uint32_t> memo_;
};

// Numbers, texts and names.
bool Machine::step_of_values(uint8_t opcode) {
  switch (opcode) {
    case 'N':
      return push(none), true;
    case 0x88:
      return push(yes), true;
    case 0x89:
      return push(no), true;
    case 'K':
      return push_number(take<uint8_t>()), true;
    case 'M':
      return push_number(take<uint16_t>()), true;
    case 'J':
      return push_number(take<int32_t>()), true;
    case 0x8a:
      return push_long(), true;
    case 'G': {
      const auto bits = __builtin_bswap64(take<uint64_t>());
      return push({Kind::real, 0, std::bit_cast<double>(bits), {}, {}}), true;
    }
    case 'X':
      return push({Kind::text, 0, 0, take_text(take<uint32_t>()), {}}), true;
    case 'c':
      return push_global(), true;
    default:
      return false;
  }
}

bool Machine::step_of_containers(uint8_t opcode) {
  switch (opcode) {
    case '(':
      return marks_.push_back(stack_.size()), true;
    case ')':
      return push_tuple(0), true;
    case 0x85:
    case 0x86:
    case 0x87:
      return push_tuple(opcode - size_t{0x84}), true;
    case 't':
      return push({Kind::tuple, 0, 0, {}, pop_mark()}), true;
    case ']':
      return push({Kind::list, 0, 0, {}, {}}), true;
    case '}':
      return push({Kind::dict, 0, 0, {}, {}}), true;
    case 'a':
      return extend_one(Kind::list, 1), true;
    case 's':
      return extend_one(Kind::dict, 2), true;
    case 'e':
      return extend(Kind::list, pop_mark()), true;
    case 'u':
      return extend(Kind::dict, pop_mark()), true;
    default:
      return false;
  }
}

void Machine::step(uint8_t opcode) {
  if (!why_.empty() || step_of_values(opcode) || step_of_containers(opcode)) return;
  switch (opcode) {
    case 0x80:
      if (const int protocol = take<uint8_t>(); protocol > 3)
        fail(cat("it has protocol ", protocol, ", and torch.save writes 2"));
      return;
    case 'q':
      return remember(take<uint8_t>());
    case 'r':
      return remember(take<uint32_t>());
    case 'h':
      return recall(take<uint8_t>());
    case 'j':
      return recall(take<uint32_t>());
    case 'Q':
      return persistent();
    case 'R':
      return reduce();
    case 'b':
      return build();
    case '.':
      pickle_.root_index = pop();
      stopped_ = true;
      return;
    default:
      fail(cat("it has opcode ", static_cast<int>(opcode),
               ", which torch.save does not write for tensors"));
  }
}

// A number of up to 8 bytes.
void Machine::push_long() {
  const size_t size = take<uint8_t>();
  const std::string_view bytes = take_text(size);
  if (!why_.empty()) return;
  if (bytes.size() > sizeof(int64_t)) return fail("it has an integer of more than 64 bits");
  int64_t number = !bytes.empty() && (bytes.back() & 0x80) ? -1 : 0;
  std::memcpy(&number, bytes.data(), bytes.size());
  push_number(number);
}

// ("storage", class, key, location, elements), for the bytes of a tensor.
void Machine::persistent() {
  const PickleValue& id = value(pop());
  if (id.kind != Kind::tuple || id.items.size() != 5 || value(id.items[1]).kind != Kind::global ||
      !is_storage(value(id.items[1]).text) || value(id.items[2]).kind != Kind::text ||
      value(id.items[0]).text != "storage")
    return fail("it refers to something outside that is not the storage of a tensor");
  push({Kind::storage, 0, 0, value(id.items[2]).text, {id.items[1]}});
}

// A call, of one of the names that are known.
void Machine::reduce() {
  const uint32_t tuple = pop();
  const PickleValue& callee = value(pop());
  if (!why_.empty()) return;
  if (callee.kind != Kind::global || value(tuple).kind != Kind::tuple)
    return fail("it calls something that is not a function");
  const std::vector<uint32_t>& args = value(tuple).items;
  if (callee.text == ordered_dict && args.empty()) return push({Kind::dict, 0, 0, {}, {}});
  if (callee.text == rebuild_v2) return rebuild_tensor(args, false);
  if (callee.text == rebuild_v3) return rebuild_tensor(args, true);
  if (callee.text == rebuild_parameter && !args.empty() && value(args[0]).kind == Kind::tensor) {
    PickledTensor parameter = pickle_.tensors[static_cast<size_t>(value(args[0]).number)];
    parameter.is_parameter = true;
    return push_tensor(std::move(parameter));
  }
  if ((callee.text == size_class || callee.text == device_class) && !args.empty())
    return push(args[0]);
  fail(cat("it calls ", shown(name_of_global(callee.text)),
           " with arguments that it does not take"));
}

// Attributes of the object before it: of a dict they mean nothing to us.
void Machine::build() {
  pop();
  if (!why_.empty()) return;
  if (stack_.empty() || value(stack_.back()).kind != Kind::dict)
    fail("it sets attributes of something that is not a dict");
}

// (storage, offset, size, stride, requires_grad, hooks[, metadata]), with a dtype before the
// metadata if the storage has none.
void Machine::rebuild_tensor(const std::vector<uint32_t>& args, bool has_dtype) {
  const size_t least = has_dtype ? 7 : 6;
  if (args.size() < least || value(args[0]).kind != Kind::storage ||
      value(args[1]).kind != Kind::integer)
    return fail("it makes a tensor without a storage and an offset");
  if (args.size() > least && !value(args[least]).items.empty())
    return fail("a tensor is a conjugate or negative view: resolve it before saving");
  PickledTensor made;
  made.storage_key = value(args[0]).text;
  made.storage_class = name_of_global(value(value(args[0]).items[0]).text);
  made.offset = value(args[1]).number;
  if (!read_numbers(args[2], made.sizes) || !read_numbers(args[3], made.strides))
    return fail(cat("a tensor's sizes or strides are not at most ", largest_rank, " numbers"));
  if (has_dtype) {
    if (!is_dtype(value(args[6]).text)) return fail("a tensor's dtype is not one of torch's");
    made.dtype = name_of_global(value(args[6]).text);
  }
  push_tensor(std::move(made));
}

bool Machine::read_numbers(uint32_t from, std::vector<int64_t>& numbers) const {
  const PickleValue& list = value(from);
  if (list.kind != Kind::tuple || list.items.size() > largest_rank) return false;
  for (const uint32_t item : list.items) {
    if (value(item).kind != Kind::integer) return false;
    numbers.push_back(value(item).number);
  }
  return true;
}

void Machine::push_tensor(PickledTensor tensor) {
  push({Kind::tensor, static_cast<int64_t>(pickle_.tensors.size()), 0, {}, {}});
  pickle_.tensors.push_back(std::move(tensor));
}

}  // namespace

Result<Pickle> unpickle(std::span<const std::byte> bytes) {
  if (bytes.size() > largest_pickle)
    return Failure{cat("byte 0 of the pickle: its ", bytes.size(), " bytes are more than the ",
                       largest_pickle, " that are read")};
  return Machine(bytes).run();
}

}  // namespace vitro::io
