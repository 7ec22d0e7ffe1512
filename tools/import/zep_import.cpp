// What Zep's interface answers of a graph: episodes, nodes and edges, and the messages of threads.

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/import/derived_id.hpp"
#include "tools/import/import.hpp"
#include "tools/import/import_topics.hpp"
#include "tools/import/json_source.hpp"
#include "tools/import/known_members.hpp"
#include "tools/protocol/data_json.hpp"
#include "tools/protocol/shape.hpp"

namespace mneme::importing {

namespace {

using protocol::json;

/// Keys and kinds of Zep's wire, which finds what is imported by them.
constexpr const char* kind_key = "zep_kind";
constexpr const char* graph_key = "zep_graph";

std::string tag_of(std::string_view kind, const std::string& graph) {
  constexpr std::size_t most_tag_bytes = 64;
  auto tag = fmt::format("zep:{}:{}", kind, graph);
  const bool is_ascii = std::ranges::all_of(tag, [](char c) { return c > ' ' && c < 0x7F; });
  return is_ascii && tag.size() <= most_tag_bytes ? tag : fmt::format("zep:{}", kind);
}

result<std::optional<timestamp>> time_of(const json& item, const char* key) {
  if (item.contains(key) && !item[key].is_null() && !item[key].is_string())
    return fail(errc::wrong_type, fmt::format("{} is a time as text", key), key);
  const std::string text = text_member(item, key);
  if (text.empty()) return std::optional<timestamp>{};
  auto at = parse_timestamp(text);
  if (!at) return fail(at.error().code, at.error().message, key);
  return std::optional(*at);
}

json kept(const json& item, std::initializer_list<const char*> keys) {
  json out = json::object();
  for (const char* key : keys)
    if (item.contains(key) && !item[key].is_null()) out[key] = item[key];
  return out;
}

constexpr source_keys own_keys{
    .tags = true, .frames = false, .importance = false, .visibility = false, .lifecycle = false};

/// One user's graph, or one by itself.
class zep_graph_import {
public:
  zep_graph_import(engine& target, import_sink& sink, import_report& report,
                   const import_request& how, std::string kind, std::string id)
      : engine_(target),
        sink_(sink),
        report_(report),
        actor_(how.actor),
        kind_(std::move(kind)),
        id_(std::move(id)) {}

  /// Clients may ask only for what has its name on a shelf.
  result<void> put_name(const std::string& where) {
    return put_named(kind_ == "user" ? "users" : "graphs", id_, {{kind_ + "_id", id_}}, where);
  }
  result<void> put_thread(const json& thread, const std::string& where) {
    auto id = needed_text(thread, "thread_id");
    if (!id) return std::unexpected(located(std::move(id.error()), where));
    json body = kept(thread, {"thread_id", "user_id"});
    if (kind_ == "user" && !body.contains("user_id")) body["user_id"] = id_;
    if (auto ok = put_named("threads", *id, body, where); !ok) return ok;
    const json messages = thread.value("messages", json::array());
    if (!messages.is_array() && !messages.is_null())
      return std::unexpected(located({errc::wrong_type, "messages is a list", "messages"}, where));
    for (std::size_t i = 0; i < messages.size(); ++i)
      if (auto ok = put_note(messages[i], *id, fmt::format("{}.messages[{}]", where, i)); !ok)
        return ok;
    return {};
  }
  /// An episode, or a message of a thread.
  result<void> put_note(const json& item, const std::string& thread, const std::string& where) {
    auto note = note_of(item, thread);
    if (!note) return std::unexpected(located(std::move(note.error()), where));
    return sink_.put(std::move(*note), own_keys, where);
  }
  result<void> put_node(const json& node, const std::string& where) {
    auto uuid = needed_text(node, "uuid");
    auto name = uuid ? needed_text(node, "name") : std::move(uuid);
    if (!name) return std::unexpected(located(std::move(name.error()), where));
    topic_source topic{.id = id_of(text_member(node, "uuid")),
                       .actor = actor_,
                       .title = *name,
                       .summary = text_member(node, "summary"),
                       .kind = {},
                       .fields = {}};
    auto made_at = time_of(node, "created_at");
    if (!made_at) return std::unexpected(located(std::move(made_at.error()), where));
    metadata_map metadata = mark("node");
    if (*made_at) metadata["zep_created_at"] = text_member(node, "created_at");
    const json labels = node.value("labels", json::array());
    std::vector<std::string> named;
    for (const json& label : labels)
      if (label.is_string()) named.push_back(label.get<std::string>());
    if (!named.empty()) topic.kind = named.front();
    if (!named.empty())
      metadata["zep_labels"] = std::vector<mneme::scalar>(named.begin(), named.end());
    const json attributes = node.value("attributes", json::object());
    if (!attributes.is_object() && !attributes.is_null())
      return std::unexpected(
          located({errc::wrong_type, "attributes is an object", "attributes", {}}, where));
    for (const auto& [key, value] : attributes.items())
      if (!key.empty() && (value.is_string() || value.is_number() || value.is_boolean()))
        add_field(topic, key, scalar(value));
    names_[topic.id] = *name;
    auto here = sink_.id_here(topic.id);
    if (!here) return propagate(here);
    const memory_id id = *here;
    const auto there = engine_.get(id);
    const bool is_new = !there && there.error().code == errc::not_found;
    if (auto ok = put_topic(engine_, sink_, report_, std::move(topic), where); !ok || !is_new)
      return ok;
    update_head_request head{};
    head.uri = {memory_type::topic, id, 1};
    head.actor = actor_;
    head.tags = std::vector{tag_of("node", graph())};
    head.metadata = std::move(metadata);
    return sink_.put_as_is(std::move(head), id, where, nullptr);
  }
  result<void> put_edge(const json& edge, const std::string& where) {
    auto fact = fact_of(edge);
    if (!fact) return std::unexpected(located(std::move(fact.error()), where));
    const memory_id id = *fact->id;
    if (auto ok = sink_.put(std::move(*fact), own_keys, where); !ok) return ok;
    const std::string ends[] = {text_member(edge, "source_node_uuid"),
                                text_member(edge, "target_node_uuid")};
    for (const std::string& end : ends) {
      if (!names_.contains(id_of(end))) continue; // a node that the graph lacks: the fact stands
      add_edge_request reference{.src = id,
                                 .type = static_cast<std::uint8_t>(edge_type::references),
                                 .dst = id_of(end),
                                 .actor = actor_,
                                 .weight = 1.0F,
                                 .kind = {},
                                 .data = {},
                                 .by = {},
                                 .created_at = {}};
      if (auto ok = sink_.put(std::move(reference), where); !ok) return ok;
      if (ends[0] == ends[1]) break;
    }
    return {};
  }

private:
  [[nodiscard]] std::string graph() const { return kind_ + ":" + id_; }
  [[nodiscard]] memory_id id_of(const std::string& uuid) const {
    return derived_id("zep", graph(), uuid);
  }
  [[nodiscard]] metadata_map mark(const std::string& kind) const {
    return {{kind_key, kind}, {graph_key, graph()}};
  }
  static json_value scalar(const json& value) {
    if (value.is_string()) return {value.get<std::string>()};
    if (value.is_boolean()) return {value.get<bool>()};
    if (value.is_number_integer()) return {value.get<std::int64_t>()};
    return {value.get<double>()};
  }

  result<void> put_named(const std::string& shelf, const std::string& name, const json& body,
                         const std::string& where) {
    write_request r;
    r.type = memory_type::note;
    r.data = {{"statement", fmt::format("{} of Zep: {}", shelf, name)}};
    r.metadata = {{kind_key, shelf}, {"zep_user", text_member(body, "user_id")}};
    r.payload = protocol::print(body);
    r.actor = actor_;
    source_keys of_name = own_keys;
    of_name.tags = false;
    return sink_.put({.name_space = "zep/" + shelf, .name = name}, std::move(r), of_name, where);
  }

  result<write_request> note_of(const json& item, const std::string& thread) {
    auto uuid = needed_text(item, "uuid");
    auto content = uuid ? needed_text(item, "content") : std::move(uuid);
    if (!content) return propagate(content);
    auto at = time_of(item, "created_at");
    if (!at) return propagate(at);
    write_request r;
    r.type = memory_type::note;
    r.id = id_of(text_member(item, "uuid"));
    r.data = {{"statement", *content}};
    r.tags = {tag_of("episode", graph())};
    r.metadata = mark("episode");
    json payload = kept(item, {"role", "name", "metadata", "created_at", "source_description"});
    payload["source"] = thread.empty() ? item.value("source", json("text")) : json("message");
    if (!thread.empty()) payload["thread_id"] = thread;
    if (!thread.empty()) r.metadata["zep_thread"] = thread;
    r.payload = protocol::print(payload);
    r.valid_from = *at;
    r.actor = actor_;
    r.provenance.source = provenance_source::imported;
    return r;
  }

  result<write_request> fact_of(const json& edge) {
    for (const char* key : {"uuid", "fact", "source_node_uuid", "target_node_uuid"})
      if (auto there = needed_text(edge, key); !there) return propagate(there);
    auto from = time_of(edge, "valid_at");
    if (!from) return propagate(from);
    auto until = time_of(edge, "invalid_at");
    if (!until) return propagate(until);
    const memory_id source = id_of(text_member(edge, "source_node_uuid"));
    const memory_id target = id_of(text_member(edge, "target_node_uuid"));
    for (const char* key : {"source_node_uuid", "target_node_uuid"})
      if (!names_.contains(id_of(text_member(edge, key))))
        return fail(errc::not_found,
                    fmt::format("{} is none of the nodes of this graph", text_member(edge, key)),
                    key);
    const std::string name = text_member(edge, "name");
    write_request r;
    r.type = memory_type::fact;
    r.id = id_of(text_member(edge, "uuid"));
    r.data = {{"statement", text_member(edge, "fact")}};
    for (const auto& [key, text] :
         {std::pair{"subject", names_[source]}, std::pair{"predicate", name},
          std::pair{"object", names_[target]}})
      if (!text.empty()) r.data[key] = text;
    r.tags = {tag_of("edge", graph())};
    r.metadata = mark("edge");
    r.metadata["zep_source"] = to_string(source);
    r.metadata["zep_target"] = to_string(target);
    json payload = kept(edge, {"created_at", "valid_at", "invalid_at", "expired_at", "metadata"});
    if (edge.contains("attributes")) payload["edge_attributes"] = edge["attributes"];
    payload["name"] = name;
    payload["source_node_name"] = names_[source];
    payload["target_node_name"] = names_[target];
    r.payload = protocol::print(payload);
    r.valid_from = *from;
    if (*until && !*from) r.valid_from = timestamp{};
    r.valid_until = *until;
    r.actor = actor_;
    r.provenance.source = provenance_source::imported;
    return r;
  }

  engine& engine_;
  import_sink& sink_;
  import_report& report_;
  std::string actor_;
  std::string kind_; ///< user or graph
  std::string id_;
  std::map<memory_id, std::string> names_; ///< of the nodes
};

result<void> put_graph(engine& target, const import_request& request, import_report& report,
                       import_sink& sink, const json& graph, const std::string& where) {
  const auto user = graph.is_object() ? text_member(graph, "user_id") : std::string();
  const auto own = graph.is_object() ? text_member(graph, "graph_id") : std::string();
  if (user.empty() == own.empty())
    return fail(errc::missing_key, where + ": a graph has a user_id or a graph_id", "user_id");
  zep_graph_import into(target, sink, report, request, user.empty() ? "graph" : "user",
                        user.empty() ? own : user);
  if (auto ok = into.put_name(where); !ok) return ok;
  const auto each = [&](const char* list, const auto& put) -> result<void> {
    const json items = graph.value(list, json::array());
    if (!items.is_array()) return fail(errc::wrong_type, where + ": " + list + " is a list", list);
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (auto ok = put(items[i], fmt::format("{}.{}[{}]", where, list, i)); !ok) return ok;
      if (request.progress) request.progress(i + 1, items.size(), report);
    }
    return {};
  };
  auto done = each("episodes",
                   [&](const json& e, const std::string& at) { return into.put_note(e, {}, at); });
  if (done)
    done =
        each("nodes", [&](const json& n, const std::string& at) { return into.put_node(n, at); });
  if (done)
    done =
        each("edges", [&](const json& e, const std::string& at) { return into.put_edge(e, at); });
  if (done)
    done = each("threads",
                [&](const json& t, const std::string& at) { return into.put_thread(t, at); });
  return done;
}

} // namespace

result<void> import_zep(engine& target, const import_request& request, import_report& report) {
  auto document = read_json_source(request.path);
  if (!document) return propagate(document);
  const json graphs = document->is_array() ? *document : json::array({*document});
  import_sink sink(target, report, manner_of(request));
  for (std::size_t i = 0; i < graphs.size(); ++i)
    if (auto ok = put_graph(target, request, report, sink, graphs[i],
                            fmt::format("{}[{}]", request.path, i));
        !ok)
      return ok;
  return sink.flush();
}

} // namespace mneme::importing
