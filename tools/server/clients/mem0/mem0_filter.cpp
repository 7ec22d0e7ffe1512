#include "tools/server/clients/mem0/mem0_filter.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "messages/text/lower_case.hpp"
#include "mneme/ids.hpp"
#include "tools/server/clients/mem0/mem0_memory.hpp"
#include "tools/server/clients/mem0/mem0_owners.hpp"

namespace mneme::server::mem0 {

namespace {

constexpr std::array<std::string_view, 10> test_names = {
    "eq", "ne", "in", "nin", "gt", "gte", "lt", "lte", "contains", "icontains"};
/// Keys of a memory itself; others are of its metadata.
constexpr std::array<std::string_view, 14> own_keys = {
    "id",   "memory",   "user_id",    "agent_id",   "app_id",     "run_id",          "actor_id",
    "role", "metadata", "categories", "created_at", "updated_at", "expiration_date", "hash"};
constexpr std::size_t most_parts = 1'000;

bool is_time(std::string_view key) {
  return key == "created_at" || key == "updated_at";
}

/// A number as a number, a time as one, a text; nothing where there is no order.
std::optional<std::partial_ordering> order(const json& a, const json& b, bool times) {
  if (a.is_number() && b.is_number()) return a.get<double>() <=> b.get<double>();
  if (!a.is_string() || !b.is_string()) return std::nullopt;
  const auto& x = a.get_ref<const std::string&>();
  const auto& y = b.get_ref<const std::string&>();
  if (!times) return x <=> y;
  const auto first = parse_timestamp(x);
  const auto second = parse_timestamp(y);
  if (!first || !second) return std::nullopt;
  return first->ns <=> second->ns;
}

bool is_equal(const json& a, const json& b, bool times) {
  if (a.is_number() || times) {
    const auto by = order(a, b, times);
    return by && *by == std::partial_ordering::equivalent;
  }
  return a == b;
}

bool is_among(const json& value, const json& list, bool times) {
  return std::ranges::any_of(list, [&](const json& v) { return is_equal(value, v, times); });
}

bool has_part(const json& whole, const json& part, bool folds) {
  const auto text = [&](const json& v) {
    return folds ? lower_ascii(v.get_ref<const std::string&>()) : v.get<std::string>();
  };
  if (whole.is_array())
    return std::ranges::any_of(whole, [&](const json& v) {
      return folds && v.is_string() && part.is_string() ? text(v) == text(part) : v == part;
    });
  return whole.is_string() && part.is_string() && text(whole).find(text(part)) != std::string::npos;
}

const json& value_of(const mem0_filter& f, const json& memory) {
  static const json none = nullptr;
  const json* of = &memory;
  if (f.of_metadata) {
    const auto metadata = memory.find("metadata");
    if (metadata == memory.end() || !metadata->is_object()) return none;
    of = &*metadata;
  }
  const auto found = of->find(f.key);
  return found == of->end() ? none : *found;
}

bool passes_test(const mem0_filter& f, const json& value) {
  const bool times = !f.of_metadata && is_time(f.key);
  const auto compares = [&](auto holds) {
    const auto by = order(value, f.value, times);
    return by && holds(*by);
  };
  switch (f.test) {
  case mem0_test::is_there:
    return !value.is_null();
  case mem0_test::eq:
    return is_equal(value, f.value, times);
  case mem0_test::ne:
    return !is_equal(value, f.value, times);
  case mem0_test::in:
    return is_among(value, f.value, times)
           || (value.is_array() && std::ranges::any_of(value, [&](const json& v) {
                 return is_among(v, f.value, times);
               }));
  case mem0_test::nin:
    return !is_among(value, f.value, times);
  case mem0_test::gt:
    return compares([](auto o) { return o > 0; });
  case mem0_test::gte:
    return compares([](auto o) { return o >= 0; });
  case mem0_test::lt:
    return compares([](auto o) { return o < 0; });
  case mem0_test::lte:
    return compares([](auto o) { return o <= 0; });
  case mem0_test::contains:
    return has_part(value, f.value, false);
  case mem0_test::icontains:
    return has_part(value, f.value, true);
  }
  return false;
}

/// Owners are texts, also where a client says a number.
json owner_text(json value) {
  if (value.is_number_integer()) return value.dump();
  if (value.is_array())
    for (auto& v : value) v = owner_text(v);
  return value;
}

outcome<mem0_filter> test_of(const std::string& key, bool of_metadata, std::string_view name,
                             json value) {
  const auto found = std::ranges::find(test_names, name);
  if (found == test_names.end())
    return bad_value(fmt::format("\"{}\" is no operator of a filter: eq, ne, in, nin, gt, gte, lt, "
                                 "lte, contains, icontains",
                                 name));
  mem0_filter f{.is = mem0_filter::node::test,
                .key = key,
                .of_metadata = of_metadata,
                .test = static_cast<mem0_test>(found - test_names.begin())};
  f.value = !of_metadata && mem0_kind_of_key(key) ? owner_text(std::move(value)) : std::move(value);
  const bool is_list = f.test == mem0_test::in || f.test == mem0_test::nin;
  if (is_list && !f.value.is_array())
    return bad_value(fmt::format("{} of \"{}\" takes a list", name, key));
  if ((f.test == mem0_test::eq || f.test == mem0_test::ne) && f.value == "*") {
    const bool is_ne = f.test == mem0_test::ne;
    f.test = mem0_test::is_there;
    if (is_ne) return mem0_filter{.is = mem0_filter::node::none, .parts = {std::move(f)}};
  }
  return f;
}

class filter_reader {
public:
  outcome<mem0_filter> object(const json& filter, bool of_metadata) {
    if (!filter.is_object()) return bad_value("a filter is an object");
    mem0_filter all;
    for (const auto& [key, value] : filter.items()) {
      if (++parts_ > most_parts) return bad_value("a filter has at most 1000 parts");
      auto part = member(key, value, of_metadata);
      if (!part) return part;
      all.parts.push_back(std::move(*part));
    }
    return all;
  }

private:
  outcome<mem0_filter> member(const std::string& key, const json& value, bool of_metadata) {
    if (key == "AND") return list(mem0_filter::node::all, value, of_metadata);
    if (key == "OR") return list(mem0_filter::node::any, value, of_metadata);
    if (key == "NOT") return list(mem0_filter::node::none, value, of_metadata);
    if (!of_metadata && key == "metadata" && value.is_object()) return object(value, true);
    const bool is_own = !of_metadata && std::ranges::find(own_keys, key) != own_keys.end();
    if (value.is_array()) return test_of(key, !is_own, "in", value);
    if (!value.is_object()) return test_of(key, !is_own, "eq", value);
    mem0_filter all;
    for (const auto& [name, operand] : value.items()) {
      auto test = test_of(key, !is_own, name, operand);
      if (!test) return test;
      all.parts.push_back(std::move(*test));
    }
    return all;
  }

  outcome<mem0_filter> list(mem0_filter::node is, const json& value, bool of_metadata) {
    mem0_filter f{.is = is};
    const json items = value.is_object() ? json::array({value}) : value;
    if (!items.is_array()) return bad_value("AND, OR and NOT take a list of filters");
    for (const auto& item : items) {
      auto part = object(item, of_metadata);
      if (!part) return part;
      f.parts.push_back(std::move(*part));
    }
    return f;
  }

  std::size_t parts_ = 0;
};

json has_tag(std::string_view tag) {
  return {{"has_tag", tag}};
}

/// Of everything that this wire wrote.
mem0_where everything(bool is_exact) {
  return {.where = has_tag(mem0_tag), .is_exact = is_exact};
}

std::optional<std::string> owner_tag(const mem0_filter& f, const json& name) {
  const auto kind = f.of_metadata ? std::nullopt : mem0_kind_of_key(f.key);
  if (!kind || !name.is_string()) return std::nullopt;
  return mem0_tag_of(*kind, name.get_ref<const std::string&>());
}

/// Metadata that equals something is in the engine's too, unless there was no room.
mem0_where where_of_metadata(const mem0_filter& f) {
  if (!is_mem0_shown(f.key, f.value)) return everything(false);
  const auto eq = [](std::string_view key, const json& value) -> json {
    return {{"eq", {fmt::format("meta.{}", key), value}}};
  };
  return {
      .where = {{"and",
                 {has_tag(mem0_tag), {{"or", {eq(f.key, f.value), eq(mem0_partial_key, true)}}}}}},
      .is_exact = false};
}

mem0_where where_of_test(const mem0_filter& f) {
  if (f.of_metadata && f.test == mem0_test::eq) return where_of_metadata(f);
  if (f.test == mem0_test::eq)
    if (const auto tag = owner_tag(f, f.value)) return {.where = has_tag(*tag), .is_exact = true};
  if (f.test != mem0_test::in || f.value.empty()) return everything(false);
  json any = json::array();
  for (const auto& name : f.value) {
    const auto tag = owner_tag(f, name);
    if (!tag) return everything(false);
    any.push_back(has_tag(*tag));
  }
  return {.where = {{"or", std::move(any)}}, .is_exact = true};
}

} // namespace

outcome<mem0_filter> parse_mem0_filter(const json& filter) {
  return filter_reader().object(filter, false);
}

mem0_filter both(mem0_filter a, mem0_filter b) {
  mem0_filter f;
  f.parts.push_back(std::move(a));
  f.parts.push_back(std::move(b));
  return f;
}

bool passes(const mem0_filter& f, const json& memory) {
  const auto pass = [&](const mem0_filter& part) { return passes(part, memory); };
  switch (f.is) {
  case mem0_filter::node::all:
    return std::ranges::all_of(f.parts, pass);
  case mem0_filter::node::any:
    return std::ranges::any_of(f.parts, pass);
  case mem0_filter::node::none:
    return std::ranges::none_of(f.parts, pass);
  case mem0_filter::node::test:
    return passes_test(f, value_of(f, memory));
  }
  return false;
}

mem0_where where_of(const mem0_filter& f) {
  if (f.is == mem0_filter::node::test) return where_of_test(f);
  json wheres = json::array();
  bool is_exact = true;
  for (const auto& part : f.parts) {
    auto w = where_of(part);
    is_exact = is_exact && w.is_exact;
    wheres.push_back(std::move(w.where));
  }
  if (f.is == mem0_filter::node::any) {
    // Of no parts, none passes: the engine is not asked in vain.
    if (wheres.empty()) return everything(false);
    return {.where = {{"or", std::move(wheres)}}, .is_exact = is_exact};
  }
  if (wheres.empty()) return everything(true);
  if (f.is == mem0_filter::node::all)
    return {.where = {{"and", std::move(wheres)}}, .is_exact = is_exact};
  if (!is_exact) return everything(false);
  return {.where = {{"and", {has_tag(mem0_tag), {{"not", {{"or", std::move(wheres)}}}}}}},
          .is_exact = true};
}

std::string tag_of(const mem0_filter& f) {
  if (f.is == mem0_filter::node::test && f.test == mem0_test::eq)
    if (auto tag = owner_tag(f, f.value)) return *tag;
  if (f.is == mem0_filter::node::all)
    for (const auto& part : f.parts)
      if (auto tag = tag_of(part); tag != mem0_tag) return tag;
  return std::string(mem0_tag);
}

} // namespace mneme::server::mem0
