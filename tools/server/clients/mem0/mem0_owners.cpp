#include "tools/server/clients/mem0/mem0_owners.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace mneme::server::mem0 {

namespace {

constexpr std::string_view first_part = "mem0";
constexpr std::size_t most_namespace_bytes = 512;
constexpr std::size_t most_tag_bytes = 64;

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-'
         || c == '_' || c == '.' || c == '@' || c == ':';
}

std::string escaped(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (is_plain(c))
      text += c;
    else
      text += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return text;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::optional<std::string> unescaped(std::string_view text) {
  std::string name;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      name += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = hex_digit(text[i + 1]);
    const int low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    name += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return name;
}

} // namespace

bool mem0_owners::empty() const {
  return std::ranges::all_of(names, &std::string::empty);
}

std::optional<mem0_kind> mem0_kind_of(std::string_view name) {
  const auto found = std::ranges::find(mem0_kind_names, name);
  if (found == mem0_kind_names.end()) return std::nullopt;
  return static_cast<mem0_kind>(found - mem0_kind_names.begin());
}

std::optional<mem0_kind> mem0_kind_of_key(std::string_view key) {
  if (!key.ends_with("_id")) return std::nullopt;
  return mem0_kind_of(key.substr(0, key.size() - 3));
}

std::optional<std::string> mem0_namespace(const mem0_owners& owners) {
  std::string name(first_part);
  for (std::size_t i = 0; i < owners.names.size(); ++i)
    if (!owners.names[i].empty())
      name += fmt::format("/{}={}", mem0_kind_names[i], escaped(owners.names[i]));
  if (name.size() > most_namespace_bytes) return std::nullopt;
  return name;
}

std::optional<mem0_owners> owners_of_namespace(std::string_view name) {
  if (!name.starts_with(first_part)) return std::nullopt;
  name.remove_prefix(first_part.size());
  mem0_owners owners;
  while (!name.empty()) {
    if (!name.starts_with('/')) return std::nullopt;
    name.remove_prefix(1);
    const auto part = name.substr(0, name.find('/'));
    name.remove_prefix(part.size());
    const auto equals = part.find('=');
    const auto kind = mem0_kind_of(part.substr(0, equals));
    if (!kind || equals == std::string_view::npos) return std::nullopt;
    auto own = unescaped(part.substr(equals + 1));
    if (!own || own->empty()) return std::nullopt;
    owners.names[static_cast<std::size_t>(*kind)] = std::move(*own);
  }
  return owners;
}

std::optional<std::string> mem0_tag_of(mem0_kind kind, std::string_view name) {
  const bool is_ascii = std::ranges::all_of(name, [](char c) { return c > ' ' && c < 0x7F; });
  auto tag =
      fmt::format("{}:{}:{}", mem0_tag, mem0_kind_names[static_cast<std::size_t>(kind)], name);
  if (!is_ascii || name.empty() || tag.size() > most_tag_bytes) return std::nullopt;
  return tag;
}

std::vector<std::string> mem0_tags(const mem0_owners& owners) {
  std::vector<std::string> tags{std::string(mem0_tag)};
  for (std::size_t i = 0; i < owners.names.size(); ++i)
    if (auto tag = mem0_tag_of(static_cast<mem0_kind>(i), owners.names[i]))
      tags.push_back(std::move(*tag));
  return tags;
}

} // namespace mneme::server::mem0
