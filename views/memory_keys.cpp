#include "views/memory_keys.hpp"

#include "messages/ensure.hpp"
#include "messages/validate/validate.hpp"

namespace mneme {

namespace {

// Bytes that UTF-8 never has.
constexpr std::string_view key_mark = "\xFFk";
constexpr std::string_view namespace_mark = "\xFFn";
constexpr char between = '\xFF';

std::string key_tag(const memory_key& key) {
  ensure(!key.name_space.empty() && !key.name.empty(), "a key has two names");
  std::string tag(key_mark);
  tag += key.name_space;
  tag += between;
  tag += key.name;
  return tag;
}

} // namespace

std::string namespace_tag(std::string_view name_space) {
  return std::string(namespace_mark).append(name_space);
}

std::string shown_tag(const std::string& tag) {
  if (!tag.starts_with(namespace_mark)) return tag;
  return "namespace " + tag.substr(namespace_mark.size());
}

std::vector<std::string> tags_of_row(const head& h) {
  auto tags = normalise_tags(h.tags);
  if (!h.key) return tags;
  tags.push_back(key_tag(*h.key));
  tags.push_back(namespace_tag(h.key->name_space));
  return tags;
}

std::vector<std::pair<std::string, term_no>> known_namespaces(const attributes& columns) {
  auto found = columns.tags_with_prefix(namespace_mark);
  for (auto& [name, tag] : found) {
    ensure(name.size() > namespace_mark.size(), "a namespace has a name");
    name.erase(0, namespace_mark.size());
  }
  return found;
}

node_no keyed_node(const read_views& views, const memory_key& key, seq_no at) {
  const attributes& columns = *views.attributes;
  const term_no tag = columns.tag_term(key_tag(key));
  node_no found{};
  if (tag.value == no_number) return found;
  // Nearly always the first row tells: what had the key once has it still, unless it was erased.
  columns.with_tag(tag, at)->for_each([&](row_no row) {
    const node_no node = columns.node(row);
    const row_no now = columns.row_of(node, at);
    ensure(node.value != no_number, "a row is of a node");
    const bool has_it =
        now.value != no_number && columns.has_tag(now, tag) && !columns.rows().is_erased(node);
    if (has_it) found = node;
    return !has_it;
  });
  return found;
}

} // namespace mneme
