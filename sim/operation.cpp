#include "sim/operation.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "messages/ensure.hpp"
#include "query/find/find.hpp"
#include "sim/model_scope.hpp"

namespace mneme::sim {

namespace {

void put_token(write_request& r, std::string token) {
  r.created_by = std::move(token);
}
void put_token(put_request& r, std::string token) {
  r.content.created_by = std::move(token);
}
void put_token(update_request& r, std::string token) {
  r.created_by = std::move(token);
}
/// The actor of a new topic is its owner: the mark stands at the end of the summary.
void put_token(ingest_request& r, std::string token) {
  if (r.placement == ingest_placement::new_topic)
    r.summary = r.summary.value_or("") + " " + token;
  else
    r.actor = std::move(token);
}
/// Agents act in their own name.
void put_token(attest_request& r, std::string token) {
  r.intent_id = std::move(token);
}
void put_token(compact_request& r, std::string token) {
  r.step_id = std::move(token);
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
void put_token(tick_write& w, std::string token) {
  if (auto* m = std::get_if<scoped_mutation>(&w))
    put_token(m->request, std::move(token));
  else if (auto* r = std::get_if<attest_request>(&w))
    put_token(*r, std::move(token));
  else if (auto* c = std::get_if<compact_request>(&w))
    put_token(*c, std::move(token));
}

/// The last characters of an id tell it from others well enough for a person.
std::string brief(const memory_id& id) {
  return to_string(id).substr(18);
}

struct describe_mutation {
  std::string operator()(const write_request& r) const {
    return fmt::format("write {}{} actor '{}' tags {}{}", to_string(r.type),
                       r.id ? " " + brief(*r.id) : std::string(), r.actor, r.tags.size(),
                       r.supersedes.empty() ? std::string()
                                            : fmt::format(" supersedes {}", r.supersedes.size()));
  }
  std::string operator()(const put_request& r) const {
    return fmt::format("put {} {} {}{}", r.key.name_space, r.key.name, to_string(r.content.type),
                       r.expect_version ? fmt::format(" at version {}", *r.expect_version) : "");
  }
  std::string operator()(const delete_by_request& r) const {
    return fmt::format("delete_by {} {}", r.key.name_space, r.key.name);
  }
  std::string operator()(const sweep_request& r) const {
    return fmt::format("sweep {}", r.limit.value_or(max_swept));
  }
  std::string operator()(const update_request& r) const {
    return fmt::format("update {}{}{}", brief(r.uri.id), r.replace ? " a span" : "",
                       r.expect_version ? fmt::format(" at version {}", *r.expect_version) : "");
  }
  std::string operator()(const update_head_request& r) const {
    return fmt::format("update_head {}", brief(r.uri.id));
  }
  std::string operator()(const tombstone_request& r) const {
    return fmt::format("tombstone {}", brief(r.uri.id));
  }
  std::string operator()(const restore_request& r) const {
    return fmt::format("restore {}", brief(r.id));
  }
  std::string operator()(const add_edge_request& r) const {
    return fmt::format("add_edge {} {} {}", brief(r.src), r.type, brief(r.dst));
  }
  std::string operator()(const remove_edge_request& r) const {
    return fmt::format("remove_edge {} {} {}", brief(r.src), r.type, brief(r.dst));
  }
  std::string operator()(const put_record_request& r) const {
    return fmt::format("put_record {} version {}", brief(r.head.id), r.version.number);
  }
  std::string operator()(const put_edge_record_request& r) const {
    return fmt::format("put_edge_record {} {}", brief(r.edge.key.src), brief(r.edge.key.dst));
  }
  std::string operator()(const assign_tag_request& r) const {
    return fmt::format("assign_tag {}", r.tag);
  }
  std::string operator()(const set_weights_request& r) const {
    return fmt::format("set_weights {}{}", r.reset ? "reset " : "", r.weights.value_or(""));
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
  std::string operator()(const put_field_record_request& r) const {
    return fmt::format("put_field_record {}", brief(r.field.head.topic));
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

std::string retrieve_text(const retrieve_request& r) {
  std::string out = fmt::format("retrieve '{}' top {}", r.q, r.top_k);
  if (r.stages)
    for (const auto stage : *r.stages) out += fmt::format(" {}", to_string(stage));
  if (r.topic_ids) out += fmt::format(" of {}", r.topic_ids->size());
  if (r.actor) out += fmt::format(" as '{}'", *r.actor);
  if (r.touch == false) out += " untouched";
  return out + at_text(r.at_seq);
}

std::string chroma_text(const chroma_request& r) {
  std::string out = r.text ? "chroma '" + *r.text + "'" : "chroma";
  for (const auto& tag : r.hashtags) out += " " + tag;
  if (r.k) out += fmt::format(" k {}", *r.k);
  if (r.actor) out += fmt::format(" as '{}'", *r.actor);
  if (r.touch == false) out += " untouched";
  return out + at_text(r.at_seq);
}

std::string search_text(const search_request& r) {
  std::string out = r.memory_ids ? fmt::format("search {} ids", r.memory_ids->size())
                                 : fmt::format("search '{}'", r.query);
  if (r.actor) out += fmt::format(" as '{}'", *r.actor);
  return out + at_text(r.at_seq);
}

std::string attest_text(const attest_request& r) {
  return fmt::format("attest '{}' {} '{}' {}", r.actor, to_string(r.outcome), r.reason,
                     r.cited.size());
}

std::string compact_text(const compact_request& r) {
  return fmt::format("compact '{}' {}+{} in {}", r.actor, r.in_context.size(),
                     r.load_bearing.size(), r.budget_tokens);
}

std::string tick_text(const tick_request& r) {
  std::string out = fmt::format("tick of {} reads:", r.reads.size());
  for (const auto& w : r.writes) {
    if (const auto* m = std::get_if<scoped_mutation>(&w))
      out += " [" + std::visit(describe_mutation{}, m->request) + "]";
    if (const auto* a = std::get_if<attest_request>(&w)) out += " [" + attest_text(*a) + "]";
    if (const auto* c = std::get_if<compact_request>(&w)) out += " [" + compact_text(*c) + "]";
  }
  return out;
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
  std::string operator()(const retrieve_message& m) const { return retrieve_text(m.request); }
  std::string operator()(const retrieve_many_message& m) const {
    return fmt::format("retrieve_many of {}", m.requests.size());
  }
  std::string operator()(const fields_message& m) const {
    return "fields " + brief(m.topic) + at_text(m.options.at_seq);
  }
  std::string operator()(const events_message& m) const {
    return "events " + brief(m.topic) + at_text(m.options.at_seq);
  }
  std::string operator()(const chroma_message& m) const { return chroma_text(m.request); }
  std::string operator()(const chroma_many_message& m) const {
    return fmt::format("chroma_many of {}", m.requests.size());
  }
  std::string operator()(const decay_message&) const { return "decay"; }
  std::string operator()(const search_message& m) const { return search_text(m.request); }
  std::string operator()(const search_many_message& m) const {
    return fmt::format("search_many of {}", m.requests.size());
  }
  std::string operator()(const context_message& m) const {
    return fmt::format("context '{}' of {} objects", m.request.actor.value_or("(host)"),
                       m.request.objects.size())
           + at_text(m.request.at_seq);
  }
  std::string operator()(const attest_message& m) const { return attest_text(m.request); }
  std::string operator()(const compact_message& m) const { return compact_text(m.request); }
  std::string operator()(const load_compact_message& m) const {
    return fmt::format("load_compact {} {}", m.request.intent_id, m.request.step_id)
           + at_text(m.request.at_seq);
  }
  std::string operator()(const tick_message& m) const { return tick_text(*m.request); }
  std::string operator()(const select_message& m) const {
    return fmt::format("select '{}'", m.request.words) + at_text(m.request.at_seq);
  }
  std::string operator()(const list_message& m) const {
    return fmt::format("list {}", m.request.limit);
  }
  std::string operator()(const history_message& m) const {
    return "history " + (m.request.key ? to_string(*m.request.key) : brief(m.request.id));
  }
  std::string operator()(const stale_message& m) const {
    return "stale " + brief(m.request.id) + at_text(m.request.options.at_seq);
  }
};

/// The first item of a tick's reads, in tokens.
constexpr std::size_t first_tick_read = 1'000'000;

using scope_pointer = std::shared_ptr<const scope>;

/// Calls `visit(scope pointer, item)` for whatever may have one.
template <class Message, class Visit>
void each_scope(Message& m, const Visit& visit) {
  if constexpr (requires { m.request->reads; }) {
    for (std::size_t i = 0; i < m.request->reads.size(); ++i)
      std::visit(
          [&](auto& r) {
            if constexpr (requires { r.options; })
              visit(r.options, first_tick_read + i);
            else
              visit(r, first_tick_read + i);
          },
          m.request->reads[i]);
    for (std::size_t i = 0; i < m.request->writes.size(); ++i)
      std::visit([&](auto& w) { visit(w, i); }, m.request->writes[i]);
  } else if constexpr (requires { m.options.scope; }) {
    visit(m.options, std::size_t{0});
  } else if constexpr (requires { m.scope; }) {
    visit(m, std::size_t{0});
  } else if constexpr (requires { m.requests; }) {
    for (std::size_t i = 0; i < m.requests.size(); ++i) visit(m.requests[i], i);
  } else if constexpr (requires { m.request.options.scope; }) {
    visit(m.request.options, std::size_t{0});
  } else if constexpr (requires { m.request.scope; }) {
    visit(m.request, std::size_t{0});
  }
}

/// A scope comes to whoever it was granted to, or to a stranger who says so.
template <class Actor>
void clear_actor(Actor& actor) {
  if (actor != "stranger") actor = {};
}
void clear_actor(mutation& m) {
  std::visit(
      [](auto& r) {
        if constexpr (requires { r.actor; }) clear_actor(r.actor);
      },
      m);
}
void clear_actors(apply_message& m) {
  clear_actor(m.request);
}
void clear_actors(batch_message& m) {
  for (auto& item : m.items) clear_actor(item);
}
void clear_actors(scoped_mutation& m) {
  clear_actor(m.request);
}
template <class Request>
void clear_actors(Request& r) {
  clear_actor(r.actor);
}

/// Grants the scope of what holds one to `name`, and signs it.
template <class Holder>
void seal(Holder& holder, const std::string& name) {
  if (holder.scope == nullptr) return;
  clear_actors(holder);
  auto own = std::make_shared<scope>(*holder.scope);
  const bool is_spoiled = own->signature[0] != 0;
  own->granted_to = name;
  const auto ok = sign_scope(*own, private_key_of(own->granted_by));
  ensure(ok.has_value(), "a scope can be signed");
  if (is_spoiled) own->signature[5] ^= 1U;
  holder.scope = std::move(own);
}

struct count_touches {
  std::size_t operator()(const find_message& m) const { return m.request.late_binding ? 1 : 0; }
  std::size_t operator()(const find_many_message& m) const {
    return static_cast<std::size_t>(
        std::ranges::count(m.requests, true, &find_request::late_binding));
  }
  std::size_t operator()(const retrieve_message&) const { return 1; }
  std::size_t operator()(const retrieve_many_message& m) const { return m.requests.size(); }
  std::size_t operator()(const chroma_message&) const { return 1; }
  std::size_t operator()(const chroma_many_message& m) const { return m.requests.size(); }
  std::size_t operator()(const tick_message& m) const { return m.request->reads.size(); }
  template <class Other>
  std::size_t operator()(const Other&) const {
    return 0;
  }
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

std::optional<std::uint64_t> number_of_token(std::string_view text) {
  const std::string_view token = text.substr(text.rfind(' ') + 1);
  if (!token.starts_with("op")) return std::nullopt;
  std::uint64_t number = 0;
  const auto [end, failed] = std::from_chars(token.data() + 2, token.data() + token.size(), number);
  if (failed != std::errc() || end == token.data() + token.size() || *end != '.')
    return std::nullopt;
  return number;
}

std::optional<std::uint64_t> number_in(const entry& e) {
  if (const auto number = number_of_token(e.header.created_by)) return number;
  if (const auto* a = std::get_if<attest_payload>(&e.payload)) return number_of_token(a->intent_id);
  if (const auto* c = std::get_if<compact_payload>(&e.payload)) return number_of_token(c->step_id);
  const auto* w = std::get_if<write_payload>(&e.payload);
  if (w == nullptr || w->head.type != memory_type::topic) return std::nullopt;
  const auto summary = w->version.data.find("summary");
  if (summary == w->version.data.end()) return std::nullopt;
  return number_of_token(std::get<std::string>(summary->second));
}

void offer_scopes(request_message& request,
                  const std::function<void(std::shared_ptr<const scope>&)>& visit) {
  const auto offer = [&](auto& holder, std::size_t) { visit(holder.scope); };
  if (auto* tick = std::get_if<tick_message>(&request)) {
    tick_request offered = *tick->request;
    struct {
      tick_request* request;
    } const as_message{&offered};
    each_scope(as_message, offer);
    tick->request = std::make_shared<const tick_request>(std::move(offered));
    return;
  }
  if (std::holds_alternative<prove_message>(request)) return;
  std::visit(
      [&](auto& m) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(m)>, tick_message>)
          each_scope(m, offer);
      },
      request);
}

std::vector<const scope*> scopes_in(const request_message& request) {
  std::vector<const scope*> found;
  const auto take = [&](const auto& holder, std::size_t) {
    if (holder.scope != nullptr) found.push_back(holder.scope.get());
  };
  std::visit([&](const auto& m) { each_scope(m, take); }, request);
  return found;
}

const scope* scope_granted_to(const request_message& request, std::string_view name) {
  for (const scope* s : scopes_in(request))
    if (s->granted_to == name) return s;
  return nullptr;
}

bool is_of_tick_write(const request_message& request, std::string_view name) {
  const auto* tick = std::get_if<tick_message>(&request);
  return tick != nullptr && std::ranges::any_of(tick->request->writes, [&](const tick_write& w) {
           return std::visit(
               [&](const auto& r) { return r.scope != nullptr && r.scope->granted_to == name; }, w);
         });
}

std::size_t touches_of(const request_message& request) {
  return std::visit(count_touches{}, request);
}

void stamp(request_message& request, std::uint64_t number) {
  const auto grant = [&](auto& holder, std::size_t item) { seal(holder, token_of(number, item)); };
  if (auto* one = std::get_if<apply_message>(&request))
    put_token(one->request, token_of(number, 0));
  if (auto* batch = std::get_if<batch_message>(&request))
    for (std::size_t i = 0; i < batch->items.size(); ++i)
      put_token(batch->items[i], token_of(number, i));
  if (auto* snapshot = std::get_if<snapshot_message>(&request))
    snapshot->actor = token_of(number, 0);
  if (auto* decay = std::get_if<decay_message>(&request)) decay->actor = token_of(number, 0);
  if (auto* attest = std::get_if<attest_message>(&request))
    put_token(attest->request, token_of(number, 0));
  if (auto* compact = std::get_if<compact_message>(&request))
    put_token(compact->request, token_of(number, 0));
  if (auto* tick = std::get_if<tick_message>(&request)) {
    tick_request stamped = *tick->request;
    for (std::size_t i = 0; i < stamped.writes.size(); ++i)
      put_token(stamped.writes[i], token_of(number, i));
    struct {
      tick_request* request;
    } const as_message{&stamped};
    each_scope(as_message, grant);
    tick->request = std::make_shared<const tick_request>(std::move(stamped));
    return;
  }
  std::visit(
      [&](auto& m) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(m)>, tick_message>)
          each_scope(m, grant);
      },
      request);
}

std::string describe(const request_message& request) {
  std::string text = std::visit(describe_request{}, request);
  for (const scope* s : scopes_in(request))
    text += fmt::format(" in a scope of '{}'{}", s->actor, s->writable ? ", writable" : "");
  return text;
}

} // namespace mneme::sim
