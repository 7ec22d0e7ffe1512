#include "sim/operation.hpp"

#include <charconv>

#include <fmt/format.h>

#include "query/find.hpp"

namespace mneme::sim {

namespace {

void put_token(write_request& r, std::string token) {
  r.created_by = std::move(token);
}
void put_token(update_request& r, std::string token) {
  r.created_by = std::move(token);
}
/// Of what has a name of who acts; what is restored has none.
template <class Request>
void put_token(Request& r, std::string token) {
  if constexpr (requires { r.by; })
    r.by = std::move(token);
  else if constexpr (requires { r.actor; })
    r.actor = std::move(token);
}

void put_token(mutation& m, std::string token) {
  std::visit([&](auto& r) { put_token(r, std::move(token)); }, m);
}

/// The last characters of an id tell it from others well enough for a person.
std::string brief(const memory_id& id) {
  return to_string(id).substr(18);
}

struct describe_mutation {
  std::string operator()(const write_request& r) const {
    return fmt::format("write {}{} actor '{}' tags {}", to_string(r.type),
                       r.id ? " " + brief(*r.id) : std::string(), r.actor, r.tags.size());
  }
  std::string operator()(const update_request& r) const {
    return fmt::format("update {}{}", brief(r.uri.id),
                       r.expect_version ? fmt::format(" at version {}", *r.expect_version) : "");
  }
  std::string operator()(const update_head_request& r) const {
    return fmt::format("update_head {}", brief(r.uri.id));
  }
  std::string operator()(const tombstone_request& r) const {
    return fmt::format("tombstone {}", brief(r.uri.id));
  }
  std::string operator()(const add_edge_request& r) const {
    return fmt::format("add_edge {} {} {}", brief(r.src), r.type, brief(r.dst));
  }
  std::string operator()(const remove_edge_request& r) const {
    return fmt::format("remove_edge {} {} {}", brief(r.src), r.type, brief(r.dst));
  }
  std::string operator()(const restore_request& r) const {
    return fmt::format("restore {} version {}", brief(r.head.id), r.version.number);
  }
  std::string operator()(const restore_edge_request& r) const {
    return fmt::format("restore_edge {} {}", brief(r.edge.key.src), brief(r.edge.key.dst));
  }
  std::string operator()(const assign_tag_request& r) const {
    return fmt::format("assign_tag {}", r.tag);
  }
  std::string operator()(const ingest_request& r) const {
    return fmt::format("ingest {} {} fields",
                       r.topic_id ? brief(*r.topic_id) : std::string("a new topic"),
                       r.fields.size());
  }
  std::string operator()(const revise_request&) const { return "revise"; }
  std::string operator()(const forget_request&) const { return "forget"; }
  std::string operator()(const unarchive_request& r) const {
    return fmt::format("unarchive {}", brief(r.id));
  }
  std::string operator()(const restore_field_request& r) const {
    return fmt::format("restore_field {}", brief(r.field.head.topic));
  }
};

std::string_view relaxed_mark(durability d) {
  return d == durability::relaxed ? " relaxed" : "";
}

std::string at_text(const std::optional<seq_no>& at) {
  return at ? fmt::format(" at seq {}", at->value) : std::string();
}

std::string find_text(const find_request& r) {
  std::string out = "find";
  for (const auto type : r.types) out += fmt::format(" {}", to_string(type));
  if (r.where) out += " where " + to_text(*r.where);
  if (r.from) out += " from " + brief(*r.from);
  if (r.near_vector) out += " near_vector";
  if (r.near_uri) out += " near " + brief(r.near_uri->id);
  if (r.near) out += " near '" + *r.near + "'";
  if (r.limit) out += fmt::format(" limit {}+{}", *r.limit, r.offset);
  if (r.budget_tokens) out += fmt::format(" budget {}", *r.budget_tokens);
  if (r.actor) out += fmt::format(" as '{}'", *r.actor);
  if (r.late_binding) out += " late";
  return out + at_text(r.at_seq);
}

struct describe_request {
  std::string operator()(const apply_message& m) const {
    return std::visit(describe_mutation{}, m.request) + std::string(relaxed_mark(m.durability));
  }
  std::string operator()(const batch_message& m) const {
    std::string out = fmt::format("batch of {}{}:", m.items.size(), relaxed_mark(m.durability));
    for (const auto& item : m.items) out += " [" + std::visit(describe_mutation{}, item) + "]";
    return out;
  }
  std::string operator()(const find_message& m) const { return find_text(m.request); }
  std::string operator()(const find_many_message& m) const {
    std::string out = "find_many:";
    for (const auto& r : m.requests) out += " [" + find_text(r) + "]";
    return out;
  }
  std::string operator()(const get_message& m) const {
    return "get " + brief(m.id) + at_text(m.options.at_seq);
  }
  std::string operator()(const resolve_message& m) const {
    return fmt::format("resolve {}#{}", brief(m.uri.id), m.uri.version) + at_text(m.options.at_seq);
  }
  std::string operator()(const edges_message& m) const {
    return "edges " + brief(m.id) + at_text(m.options.at_seq);
  }
  std::string operator()(const root_message& m) const { return "root" + at_text(m.at_seq); }
  std::string operator()(const prove_message& m) const {
    return fmt::format("prove {} ids, {} edges, {} seqs", m.request.ids.size(),
                       m.request.edges.size(), m.request.seqs.size());
  }
  std::string operator()(const snapshot_message& m) const { return "snapshot " + m.reason; }
  std::string operator()(const checkpoint_message&) const { return "checkpoint"; }
};

} // namespace

std::vector<mutation> mutations_of(const request_message& request) {
  if (const auto* batch = std::get_if<batch_message>(&request)) return batch->items;
  if (const auto* one = std::get_if<apply_message>(&request)) return {one->request};
  return {};
}

bool is_durable(const request_message& request) {
  if (const auto* one = std::get_if<apply_message>(&request))
    return one->durability == durability::durable;
  if (const auto* batch = std::get_if<batch_message>(&request))
    return batch->durability == durability::durable;
  return true;
}

std::string token_of(std::uint64_t number, std::size_t item) {
  return fmt::format("op{}.{}", number, item);
}

std::optional<std::uint64_t> number_of_token(std::string_view token) {
  if (!token.starts_with("op")) return std::nullopt;
  std::uint64_t number = 0;
  const auto [end, failed] = std::from_chars(token.data() + 2, token.data() + token.size(), number);
  if (failed != std::errc() || end == token.data() + token.size() || *end != '.')
    return std::nullopt;
  return number;
}

void stamp(request_message& request, std::uint64_t number) {
  if (auto* one = std::get_if<apply_message>(&request))
    put_token(one->request, token_of(number, 0));
  if (auto* batch = std::get_if<batch_message>(&request))
    for (std::size_t i = 0; i < batch->items.size(); ++i)
      put_token(batch->items[i], token_of(number, i));
  if (auto* snapshot = std::get_if<snapshot_message>(&request))
    snapshot->actor = token_of(number, 0);
}

std::string describe(const request_message& request) {
  return std::visit(describe_request{}, request);
}

} // namespace mneme::sim
