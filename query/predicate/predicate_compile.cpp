#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

#include "messages/ensure.hpp"
#include "messages/text/composed.hpp"
#include "messages/validate/validate.hpp"
#include "query/find/valid_time.hpp"
#include "query/predicate/compiled_predicate.hpp"
#include "views/memory_keys.hpp"

namespace mneme {

namespace {

/// Where a part of the predicate stands, for what is refused: written out only then.
struct place_in_where {
  const place_in_where* above = nullptr;
  std::string_view name{};
  std::optional<std::size_t> item{}; ///< of a list

  [[nodiscard]] std::string text() const {
    std::string path = above == nullptr ? std::string() : above->text() + '.';
    path += name;
    if (item) path += fmt::format("[{}]", *item);
    return path;
  }
};

} // namespace

compiled_predicate::compiled_predicate() = default;
compiled_predicate::compiled_predicate(compiled_predicate&&) noexcept = default;
compiled_predicate& compiled_predicate::operator=(compiled_predicate&&) noexcept = default;
compiled_predicate::~compiled_predicate() = default;

/// Walks the tree depth first; every node is checked, also where the outcome is already fixed.
class compiled_predicate::builder {
public:
  builder(compiled_predicate& target, type_set types, const attributes& columns)
      : target_(target), types_(types), columns_(columns) {}

  /// Index of the built node.
  result<std::uint32_t> build(const predicate& p, const place_in_where& path, std::size_t depth) {
    if (depth > max_predicate_depth)
      return fail(errc::limit_exceeded,
                  fmt::format("predicate is nested deeper than {}", max_predicate_depth),
                  path.text());
    if (++seen_ > max_predicate_nodes)
      return fail(errc::limit_exceeded,
                  fmt::format("predicate has more than {} nodes", max_predicate_nodes),
                  path.text());
    return std::visit([&](const auto& item) { return build_node(item, path, depth); }, p.node);
  }

private:
  result<std::uint32_t> build_node(const compare_predicate& p, const place_in_where& path,
                                   std::size_t) {
    static constexpr std::pair<std::string_view, node_op> ops[] = {
        {"eq", node_op::eq},   {"ne", node_op::ne}, {"gt", node_op::gt},
        {"gte", node_op::gte}, {"lt", node_op::lt}, {"lte", node_op::lte}};
    const auto index = static_cast<std::size_t>(p.op);
    if (index >= std::size(ops))
      return fail(errc::bad_value, "not a comparison operator", path.text());
    const place_in_where at{&path, ops[index].first};
    auto n = field_node(p.field, ops[index].second, at);
    if (!n) return propagate(n);
    if (p.op != comparison::eq && p.op != comparison::ne) {
      if (auto fits = check_ordered(*n, p, at); !fits) return propagate(fits);
    }
    if (auto added = add_operand(*n, p.value, at); !added) return propagate(added);
    if (n->field.name == field_name::head_namespace && p.op == comparison::eq)
      n->tagged =
          columns_.with_tag(columns_.tag_term(namespace_tag(n->operands.texts.front())), {});
    return push(std::move(*n));
  }

  result<std::uint32_t> build_node(const in_predicate& p, const place_in_where& path, std::size_t) {
    const place_in_where at{&path, "in"};
    auto n = field_node(p.field, node_op::in, at);
    if (!n) return propagate(n);
    for (const auto& value : p.values) {
      if (auto added = add_operand(*n, value, at); !added) return propagate(added);
    }
    std::ranges::sort(n->operands.numbers);
    std::ranges::sort(n->operands.texts);
    std::ranges::sort(n->operands.times_ns);
    std::ranges::sort(n->operands.ids);
    return push(std::move(*n));
  }

  result<std::uint32_t> build_node(const has_tag_predicate& p, const place_in_where& path,
                                   std::size_t) {
    if (auto ok = check_text(p.tag, "tag", {&path, "has_tag"}); !ok) return propagate(ok);
    node n;
    n.op = node_op::has_tag;
    n.tag = composed(p.tag);
    n.tag_term = columns_.tag_term(n.tag);
    n.tagged = columns_.with_tag(n.tag_term, {});
    return push(std::move(n));
  }

  result<std::uint32_t> build_node(const matches_predicate& p, const place_in_where& path,
                                   std::size_t) {
    const place_in_where at{&path, "matches"};
    auto n = field_node(p.field, node_op::matches, at);
    if (!n) return propagate(n);
    if (n->field.name == field_name::unknown) return fail_unknown(p.field, at);
    if ((n->field.kinds & kind_bit(value_kind::text)) == 0)
      return fail(errc::type_mismatch, fmt::format("{} is not text", p.field), at.text());
    if (auto ok = check_text(p.pattern, "pattern", at); !ok) return propagate(ok);
    if (p.pattern.size() > max_free_text_bytes)
      return fail(errc::limit_exceeded,
                  fmt::format("a pattern is over {} bytes", max_free_text_bytes), at.text());
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(pattern_bytes);
    n->pattern = std::make_unique<re2::RE2>(p.pattern, options);
    if (!n->pattern->ok())
      return fail(errc::bad_regex, fmt::format("bad pattern: {}", n->pattern->error()), at.text());
    pattern_steps_ += static_cast<std::size_t>(n->pattern->ProgramSize());
    if (pattern_steps_ > max_pattern_steps)
      return fail(errc::limit_exceeded,
                  fmt::format("the patterns have more than {} steps together", max_pattern_steps),
                  at.text());
    return push(std::move(*n));
  }

  result<std::uint32_t> build_node(const and_predicate& p, const place_in_where& path,
                                   std::size_t depth) {
    return build_group(node_op::all_of, "and", p.items, path, depth);
  }
  result<std::uint32_t> build_node(const or_predicate& p, const place_in_where& path,
                                   std::size_t depth) {
    return build_group(node_op::any_of, "or", p.items, path, depth);
  }

  result<std::uint32_t> build_group(node_op op, std::string_view name,
                                    const std::vector<predicate>& items, const place_in_where& path,
                                    std::size_t depth) {
    node n;
    n.op = op;
    n.children.reserve(std::min(items.size(), max_predicate_nodes));
    for (std::size_t i = 0; i < items.size(); ++i) {
      auto child = build(items[i], {&path, name, i}, depth + 1);
      if (!child) return child;
      n.children.push_back(*child);
    }
    // Tests have no effects: the cheap ones may come first.
    std::ranges::stable_sort(
        n.children, {}, [this](std::uint32_t child) { return cost_of(target_.nodes_[child]); });
    return push(std::move(n));
  }

  result<std::uint32_t> build_node(const not_predicate& p, const place_in_where& path,
                                   std::size_t depth) {
    const place_in_where at{&path, "not"};
    if (!p.item) return fail(errc::bad_value, "not without a predicate", at.text());
    auto child = build(*p.item, at, depth + 1);
    if (!child) return child;
    node n;
    n.op = node_op::negate;
    n.children.push_back(*child);
    return push(std::move(n));
  }

  std::uint32_t push(node n) {
    for (const auto child : n.children)
      ensure(child < target_.nodes_.size(), "a node comes behind its children");
    n.by_value = values_passing(n);
    target_.nodes_.push_back(std::move(n));
    return static_cast<std::uint32_t>(target_.nodes_.size() - 1);
  }

  /// A find with late_binding notes its predicate in the journal: its texts together are bounded.
  result<void> check_text(std::string_view text, std::string_view what, const place_in_where& at) {
    if (!is_utf8(text))
      return fail(errc::bad_utf8, fmt::format("{} is not UTF-8", what), at.text());
    text_bytes_ += text.size();
    if (text_bytes_ <= max_query_bytes) return {};
    return fail(errc::limit_exceeded,
                fmt::format("the texts of a predicate are over {} bytes together", max_query_bytes),
                at.text());
  }

  result<node> field_node(const std::string& field, node_op op, const place_in_where& at) {
    if (auto ok = check_text(field, "field", at); !ok) return propagate(ok);
    auto resolved = resolve_field(field, types_);
    if (!resolved) {
      resolved.error().at = at.text();
      return propagate(resolved);
    }
    node n;
    n.op = op;
    n.field = std::move(*resolved);
    return n;
  }

  static std::unexpected<error> fail_unknown(const std::string& field, const place_in_where& at) {
    return fail(errc::field_unknown,
                fmt::format("{} is a scalar field of none of the types asked", field), at.text());
  }

  static result<void> check_ordered(const node& n, const compare_predicate& p,
                                    const place_in_where& at) {
    constexpr auto ordered = static_cast<kind_set>(
        kind_bit(value_kind::number) | kind_bit(value_kind::text) | kind_bit(value_kind::time));
    if (n.field.name == field_name::unknown) return fail_unknown(p.field, at);
    const bool bool_of_meta =
        n.field.name == field_name::meta && std::holds_alternative<bool>(p.value);
    if ((n.field.kinds & ordered) == 0 || bool_of_meta)
      return fail(errc::field_not_comparable, fmt::format("{} has no order", p.field), at.text());
    return {};
  }

  /// Adds `value` to the list of every kind of the field that it fits.
  result<void> add_operand(node& n, const literal& value, const place_in_where& at) {
    if (const auto* real = std::get_if<double>(&value); real != nullptr && !std::isfinite(*real))
      return fail(errc::out_of_range, "number is not finite", at.text());
    const auto* text = std::get_if<std::string>(&value);
    if (text != nullptr)
      if (auto ok = check_text(*text, "text", at); !ok) return ok;
    if (n.field.name == field_name::unknown) return {};
    const auto has = [&](value_kind kind) { return (n.field.kinds & kind_bit(kind)) != 0; };
    if (text != nullptr) return add_text(n, *text, at);
    if (const auto* flag = std::get_if<bool>(&value)) {
      if (!has(value_kind::boolean)) return fail_mismatch("a boolean", at);
      (*flag ? n.operands.has_true : n.operands.has_false) = true;
      return {};
    }
    const auto* integer = std::get_if<std::int64_t>(&value);
    if (has(value_kind::number))
      n.operands.numbers.push_back(integer != nullptr ? static_cast<double>(*integer)
                                                      : std::get<double>(value));
    else if (has(value_kind::time) && integer != nullptr) {
      if (!is_valid_time(timestamp{*integer}))
        return fail(errc::bad_time, "time is negative or after the year 2261", at.text());
      n.operands.times_ns.push_back(*integer);
    } else {
      return fail_mismatch("a number", at);
    }
    return {};
  }

  static result<void> add_text(node& n, const std::string& text, const place_in_where& at) {
    const auto has = [&](value_kind kind) { return (n.field.kinds & kind_bit(kind)) != 0; };
    if (has(value_kind::text)) {
      n.operands.texts.push_back(text);
      return {};
    }
    if (has(value_kind::time)) {
      auto time = parse_timestamp(text);
      if (!time) return fail(time.error().code, time.error().message, at.text());
      n.operands.times_ns.push_back(time->ns);
      return {};
    }
    if (has(value_kind::id)) {
      auto id = parse_memory_id(text);
      if (!id) return fail(id.error().code, id.error().message, at.text());
      n.operands.ids.push_back(*id);
      return {};
    }
    return fail_mismatch("text", at);
  }

  static std::unexpected<error> fail_mismatch(std::string_view what, const place_in_where& at) {
    return fail(errc::type_mismatch, fmt::format("the field is never {}", what), at.text());
  }

  compiled_predicate& target_;
  type_set types_;
  const attributes& columns_;
  std::size_t seen_ = 0;
  std::size_t pattern_steps_ = 0;
  std::size_t text_bytes_ = 0;
};

result<compiled_predicate> compiled_predicate::compile(const predicate& p, type_set types,
                                                       const attributes& columns) {
  compiled_predicate compiled;
  builder b(compiled, types, columns);
  if (const auto* all = std::get_if<and_predicate>(&p.node))
    compiled.nodes_.reserve(std::min(all->items.size(), max_predicate_nodes) + 1);
  auto root = b.build(p, {.name = "where"}, 1);
  if (!root) return propagate(root);
  compiled.divide(*root);
  std::ranges::stable_sort(compiled.rest_, {},
                           [&](std::uint32_t n) { return cost_of(compiled.nodes_[n]); });
  return compiled;
}

} // namespace mneme
