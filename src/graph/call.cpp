#include "graph/call.h"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "graph/cursor.h"
#include "vitro/base/cat.h"
#include "vitro/ops/overload.h"

namespace vitro::graph {
namespace {

// What an argument of a schema is to a node.
enum class Role : uint8_t {
  attribute,
  operand,
  operands,  // a list of them
  absent,    // nothing that a node has: where a tensor lies, alpha of `add`
};

// Those of a schema's arguments, in order.
std::vector<Role> roles_of(const OpDef& op, const Schema& schema) {
  const std::shared_ptr<void> attrs = op.attrs ? op.attrs->make() : nullptr;
  std::vector<Role> out;
  size_t operands = 0;
  for (const SchemaArgument& argument : schema.arguments) {
    const ArgType& type = argument.type;
    const bool may_be_operand = (type.kind == ArgKind::tensor || type.kind == ArgKind::scalar) &&
                                operands < op.max_operands;
    if (attrs && op.attrs->assign(attrs.get(), argument.name, {})) {
      out.push_back(Role::attribute);
    } else if (may_be_operand) {
      out.push_back(type.list ? Role::operands : Role::operand);
      ++operands;
    } else {
      out.push_back(Role::absent);
    }
  }
  return out;
}

// The overloads of the op that leave their operands as they are.
std::vector<const ops::Overload*> overloads_of(const OpDef& op) {
  std::vector<const ops::Overload*> out;
  for (const ops::Overload& one : ops::overloads(op.name)) {
    if (one.op == &op) out.push_back(&one);
  }
  return out;
}

Arg default_operand(const SchemaArgument& argument) {
  const ArgValue value = ops::default_value(argument);
  const auto* number = std::get_if<Scalar>(&value);
  return number ? Arg(*number) : Arg();
}

// ---- from a node ----

// The attributes of a node as name and text, those apart that are as they would be without being
// given.
struct AttrTexts {
  std::string all, at_defaults;
  std::vector<attribute::NamedText> given, defaults;

  explicit AttrTexts(const Attrs& attrs) : all(attrs.text()) {
    if (!attrs) return;
    const AttrsType* type = attrs.view().type;
    at_defaults = Attrs(type->make(), type).text();
    given = attribute::split(all).value();
    defaults = attribute::split(at_defaults).value();
  }
  bool is_default(size_t i) const { return given[i].text == defaults[i].text; }
};

class Writer {
 public:
  Writer(const Node& node, const Schema& schema, const AttrTexts& attrs, const ArgText& text_of)
      : node_(node), schema_(schema), attrs_(attrs), text_of_(text_of) {}

  // Nothing where the schema has no place for something that is given.
  std::optional<std::string> run() {
    const std::vector<Role> roles = roles_of(*node_.op, schema_);
    if (!has_all_attributes()) return std::nullopt;
    for (size_t i = 0; i < roles.size(); ++i) {
      const SchemaArgument& argument = schema_.arguments[i];
      by_position_ = by_position_ && !argument.keyword_only;
      if (roles[i] == Role::attribute) {
        if (!attribute(argument)) return std::nullopt;
      } else if (roles[i] == Role::operands) {
        list(std::span(roles).subspan(i + 1));
      } else if (roles[i] == Role::operand && operand_ < node_.args.size()) {
        operand(argument);
      } else {
        by_position_ = false;
      }
    }
    if (operand_ != node_.args.size()) return std::nullopt;
    return std::move(out_);
  }

 private:
  bool has_all_attributes() const {
    for (size_t i = 0; i < attrs_.given.size(); ++i) {
      if (!attrs_.is_default(i) && !schema_.argument(attrs_.given[i].name)) return false;
    }
    return true;
  }

  bool attribute(const SchemaArgument& argument) {
    by_position_ = false;
    for (size_t i = 0; i < attrs_.given.size(); ++i) {
      if (attrs_.given[i].name != argument.name) continue;
      if (argument.default_text && attrs_.is_default(i)) return true;
      std::string_view text = attrs_.given[i].text;
      if (!argument.type.list &&
          text.starts_with('[')) {  // one dimension of those that may be many
        text = text.substr(1, text.size() - 2);
        if (text.empty() || text.find(',') != text.npos) return false;
      }
      add(argument, text);
    }
    return true;
  }

  void operand(const SchemaArgument& argument) {
    const Arg& arg = node_.args[operand_++];
    const bool is_told = operand_ <= node_.op->min_operands || operand_ < node_.args.size();
    if (is_told && argument.default_text && arg == default_operand(argument)) {
      by_position_ = false;
    } else {
      add(argument, text_of_(arg));
    }
  }

  void list(std::span<const Role> behind) {
    const auto more = static_cast<size_t>(std::count(behind.begin(), behind.end(), Role::operand));
    std::string text;
    for (; operand_ + more < node_.args.size(); ++operand_)
      text += cat(text.empty() ? "" : ", ", text_of_(node_.args[operand_]));
    out_ += cat(out_.empty() ? "" : ", ", '[', text, ']');
  }

  void add(const SchemaArgument& argument, std::string_view text) {
    out_ += cat(out_.empty() ? "" : ", ", by_position_ ? "" : cat(argument.name, '='), text);
  }

  const Node& node_;
  const Schema& schema_;
  const AttrTexts& attrs_;
  const ArgText& text_of_;
  std::string out_;
  size_t operand_ = 0;
  bool by_position_ = true;
};

// ---- to a node ----

struct Part {
  std::string_view name, text;  // by position: no name
};

std::vector<Part> parts_of(std::string_view text) {
  std::vector<Part> out;
  for (const std::string_view part : split_list(text)) {
    const size_t sign = find_outside(part, '=');
    if (sign == std::string_view::npos) {
      out.push_back({{}, part});
    } else {
      out.push_back({part.substr(0, sign), part.substr(sign + 1)});
    }
  }
  return out;
}

class Reader {
 public:
  Reader(const Schema& schema, const ReadArg& read_arg, const SymbolNamed& symbols, Node& node)
      : schema_(schema), read_arg_(read_arg), symbols_(symbols), node_(node) {}

  std::string run(std::span<const Part> parts) {
    std::string why = arrange(parts);
    if (!why.empty()) return why;
    const OpDef& op = *node_.op;
    const std::vector<Role> roles = roles_of(op, schema_);
    attrs_ = op.attrs ? op.attrs->make() : nullptr;
    for (size_t i = 0; i < roles.size() && why.empty(); ++i) {
      const SchemaArgument& argument = schema_.arguments[i];
      if (roles[i] == Role::attribute) why = attribute(argument, texts_[i]);
      if (roles[i] == Role::operand) why = operand(argument, texts_[i]);
      if (roles[i] == Role::operands) why = list(argument, texts_[i]);
      if (roles[i] == Role::absent && texts_[i])
        why = cat(schema_.full_name(), ": a graph has no argument '", argument.name, "' of it");
    }
    node_.args.assign(args_.begin(), args_.begin() + static_cast<std::ptrdiff_t>(
                                                         std::max<size_t>(told_, least(args_))));
    node_.attrs = Attrs(attrs_, op.attrs);
    return why;
  }

 private:
  // Operands that are there without being told.
  size_t least(const std::vector<Arg>& args) const {
    return std::min<size_t>(args.size(), node_.op->min_operands);
  }

  std::string arrange(std::span<const Part> parts) {
    const auto& arguments = schema_.arguments;
    texts_.assign(arguments.size(), std::nullopt);
    size_t position = 0;
    for (const Part& part : parts) {
      const auto is_named = [&](const SchemaArgument& a) { return a.name == part.name; };
      const auto found = part.name.empty()
                             ? arguments.begin() + static_cast<std::ptrdiff_t>(position++)
                             : std::find_if(arguments.begin(), arguments.end(), is_named);
      const bool is_there = part.name.empty() ? position <= arguments.size() && !found->keyword_only
                                              : found != arguments.end();
      if (!is_there) return part.name.empty() ? too_many(parts) : unexpected(part.name);
      auto& text = texts_[static_cast<size_t>(found - arguments.begin())];
      if (text)
        return cat(schema_.full_name(), ": several values for argument '", found->name, "'");
      text = part.text;
    }
    return {};
  }
  std::string too_many(std::span<const Part> parts) const {
    const auto by_position = std::count_if(parts.begin(), parts.end(),
                                           [](const Part& part) { return part.name.empty(); });
    return cat(schema_.full_name(), ": got ", by_position, " arguments by position; ", schema_);
  }
  std::string unexpected(std::string_view name) const {
    return cat(schema_.full_name(), ": there is no argument '", name, "' in ", schema_);
  }
  std::string wrong(const SchemaArgument& argument, std::string_view text) const {
    return cat(schema_.full_name(), ": argument '", argument.name, "' must be ", argument.type,
               ", got ", text);
  }
  std::string missing(const SchemaArgument& argument) const {
    return cat(schema_.full_name(), ": argument '", argument.name, "' is missing in ", schema_);
  }

  std::string attribute(const SchemaArgument& argument, std::optional<std::string_view> text) {
    if (!text) return argument.default_text ? std::string() : missing(argument);
    ArgValue value;
    const bool fits = attribute::read(*text, symbols_, value) && ops::fits(argument.type, value) &&
                      !(argument.type.kind == ArgKind::integer && has_symbol(value)) &&
                      node_.op->attrs->assign(attrs_.get(), argument.name, value) == true;
    return fits ? std::string() : wrong(argument, *text);
  }
  static bool has_symbol(const ArgValue& value) {
    const auto is_symbolic = [](const Scalar& number) { return number.is_symbolic(); };
    if (const auto* number = std::get_if<Scalar>(&value)) return is_symbolic(*number);
    const auto* list = std::get_if<std::vector<Scalar>>(&value);
    return list && std::any_of(list->begin(), list->end(), is_symbolic);
  }

  std::string operand(const SchemaArgument& argument, std::optional<std::string_view> text) {
    if (!text && !argument.default_text && !argument.type.optional) return missing(argument);
    args_.push_back(text ? read_arg_(*text) : default_operand(argument));
    if (text) told_ = args_.size();
    return {};
  }
  std::string list(const SchemaArgument& argument, std::optional<std::string_view> text) {
    if (!text) return missing(argument);
    if (!text->starts_with('[') || !text->ends_with(']')) return wrong(argument, *text);
    for (const std::string_view one : split_list(text->substr(1, text->size() - 2)))
      args_.push_back(read_arg_(one));
    told_ = args_.size();
    return {};
  }

  const Schema& schema_;
  const ReadArg& read_arg_;
  const SymbolNamed& symbols_;
  Node& node_;
  std::vector<std::optional<std::string_view>> texts_;  // of each argument
  std::shared_ptr<void> attrs_;
  std::vector<Arg> args_;
  size_t told_ = 0;  // operands up to the last that is given
};

}  // namespace

std::string arguments_text(const Node& node, const ArgText& text_of) {
  const AttrTexts attrs(node.attrs);
  for (const ops::Overload* one : overloads_of(*node.op)) {
    if (auto text = Writer(node, one->schema, attrs, text_of).run()) return *std::move(text);
  }
  // A node that no call makes, which verify refuses: everything that it has.
  std::string out;
  for (const Arg& arg : node.args) out += cat(out.empty() ? "" : ", ", text_of(arg));
  return out + cat(out.empty() || attrs.all.empty() ? "" : ", ", attrs.all);
}

std::string read_arguments(std::string_view text, const ReadArg& read_arg,
                           const SymbolNamed& symbols, Node& node) {
  const std::vector<Part> parts = parts_of(text);
  std::string reasons;
  const auto overloads = overloads_of(*node.op);
  for (const ops::Overload* one : overloads) {
    const std::string why = Reader(one->schema, read_arg, symbols, node).run(parts);
    if (why.empty()) return {};
    reasons += cat(reasons.empty() ? "" : "\n  ", why);
  }
  return overloads.size() == 1
             ? reasons
             : cat(node.op->name, ": no overload takes these arguments\n  ", reasons);
}

}  // namespace vitro::graph
