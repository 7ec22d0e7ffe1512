#include "tools/server/mcp/mcp_tools.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "messages/validate/fault_list.hpp"
#include "tools/protocol/memory_name.hpp"
#include "tools/protocol/op_table.hpp"
#include "tools/protocol/shape.hpp"
#include "tools/protocol/write_faults.hpp"
#include "tools/server/access/shared_request.hpp"
#include "tools/server/json_schema.hpp"

namespace mneme::server {

namespace {

using protocol::is_given;
constexpr std::array<std::string_view, 1> search_ops = {"search"};
constexpr std::array<std::string_view, 1> find_ops = {"find"};
constexpr std::array<std::string_view, 1> retrieve_ops = {"retrieve"};
constexpr std::array<std::string_view, 1> chroma_ops = {"chroma"};
constexpr std::array<std::string_view, 1> context_ops = {"context"};
constexpr std::array<std::string_view, 2> get_ops = {"get", "resolve"};
constexpr std::array<std::string_view, 1> stale_ops = {"stale_of"};
constexpr std::array<std::string_view, 1> absent_ops = {"absent"};
constexpr std::array<std::string_view, 1> replay_ops = {"replay_receipt"};
constexpr std::array<std::string_view, 2> remember_ops = {"write", "ingest"};
constexpr std::array<std::string_view, 3> update_ops = {"update", "update_head",
                                                        "supersede_matching"};
constexpr std::array<std::string_view, 2> relate_ops = {"add_edge", "remove_edge"};
constexpr std::array<std::string_view, 2> forget_ops = {"tombstone", "forget_matching"};
constexpr std::array<std::string_view, 1> restore_ops = {"restore"};
constexpr std::array<std::string_view, 1> erase_ops = {"erase"};
constexpr std::array<std::string_view, 1> promote_ops = {"promote"};
constexpr std::array<std::string_view, 1> attest_ops = {"attest"};
constexpr std::array<std::string_view, 1> root_ops = {"root"};
constexpr std::array<std::string_view, 1> prove_ops = {"prove"};

constexpr std::array<std::string_view, 4> query_hidden = {"scope", "vector", "explain", "now"};
constexpr std::array<std::string_view, 8> find_hidden = {
    "scope", "near_vector", "explain", "late_binding", "exact", "near_k", "rank", "select"};
constexpr std::array<std::string_view, 2> retrieve_hidden = {"scope", "vector"};
constexpr std::array<std::string_view, 2> get_hidden = {"scope", "raw"};
constexpr std::array<std::string_view, 8> write_hidden = {
    "scope", "vector", "created_by", "by", "mode", "forms", "provenance", "similar"};
constexpr std::array<std::string_view, 4> edge_hidden = {"scope", "by", "data", "reason"};
constexpr std::array<std::string_view, 12> update_hidden = {
    "scope",      "vector", "created_by", "by",    "mode", "forms",
    "provenance", "write",  "types",      "limit", "now",  "deadline_ms"};
constexpr std::array<std::string_view, 4> restore_hidden = {"scope", "by", "expect_version",
                                                            "deadline_ms"};
constexpr std::array<std::string_view, 2> erase_hidden = {"with_branches", "deadline_ms"};
constexpr std::array<std::string_view, 4> forget_hidden = {"scope", "by", "vector", "now"};

result<json> build_get(const json& arguments) {
  json request = arguments;
  request["op"] = is_given(arguments, "uri") ? "resolve" : "get";
  return request;
}

/// An agent that names no bound gets a page.
result<json> build_find(const json& arguments) {
  constexpr int page = 20;
  json request = arguments;
  request["op"] = "find";
  if (!is_given(arguments, "limit") && !is_given(arguments, "budget_tokens"))
    request["limit"] = page;
  return request;
}

/// Plain text becomes a Note; a placement, a title or fields mean a topic.
result<json> build_remember(const json& arguments) {
  json request = arguments;
  const bool is_topic = is_given(arguments, "placement") || is_given(arguments, "title")
                        || is_given(arguments, "topic_id") || is_given(arguments, "fields");
  request["op"] = is_topic ? "ingest" : "write";
  if (is_topic) {
    const bool is_named = is_given(request, "title") || is_given(request, "topic_id");
    if (!is_named && !is_given(request, "placement"))
      return fail(errc::missing_key,
                  "fields are those of a topic: give its title, such as \"Ana\", or the topic_id "
                  "of one that is there; what is plain words is a text",
                  "title");
    if (!is_given(request, "placement"))
      request["placement"] = is_given(request, "topic_id") ? "extend_topic" : "new_topic";
    return request;
  }
  request["similar"] = true;
  if (!is_given(request, "text")) {
    if (!is_given(request, "data"))
      return fail(errc::missing_key,
                  request.contains("text") ? "text is null: give what is to be remembered"
                                           : "give what is to be remembered, as text or data",
                  "text");
    request.erase("text");
    return request;
  }
  if (is_given(request, "data"))
    return fail(errc::bad_value, "give text or data, not both", "text");
  request["data"] = {{"statement", request["text"]}};
  request.erase("text");
  if (!is_given(request, "type")) request["type"] = "Note";
  return request;
}

/// Plain text is the statement of a Note. Takes both keys out of `from`.
result<void> put_statement(json& into, json& from) {
  if (is_given(from, "text") && is_given(from, "data"))
    return fail(errc::bad_value, "give text or data, not both", "text");
  if (is_given(from, "text")) into["data"] = {{"statement", from["text"]}};
  if (is_given(from, "data")) into["data"] = from["data"];
  into["type"] = is_given(from, "type") ? from["type"] : json("Note");
  for (const char* key : {"text", "data", "type"}) from.erase(key);
  return {};
}

/// Something is taken out of the answers only where that is wished: a forgotten uri is an error.
result<bool> asks_to_supersede(const json& arguments) {
  const bool has_words = is_given(arguments, "words");
  const bool is_said = is_given(arguments, "supersede");
  if (is_said && !arguments["supersede"].is_boolean())
    return protocol::wrong_type("true or false", arguments["supersede"],
                                protocol::json_path().key("supersede"));
  if (is_said && arguments["supersede"] == false && has_words)
    return fail(errc::bad_value, "words say what is superseded: leave them out", "supersede");
  return has_words || (is_said && arguments["supersede"] == true);
}

/// The key that names what changes, or null. An id names the memory as it is then.
const char* key_of_name(const json& arguments) {
  if (is_given(arguments, "uri")) return "uri";
  return is_given(arguments, "id") ? "id" : nullptr;
}

/// A new memory in place of what says the old, for who knows no uri.
result<json> build_supersession(const json& arguments) {
  if (const char* const key = key_of_name(arguments))
    return fail(errc::bad_value,
                fmt::format("give {} {}, or words or supersede, not both",
                            key == std::string_view("id") ? "an" : "a", key),
                key);
  if (is_given(arguments, "replace"))
    return fail(errc::missing_key, "replace needs the uri of what changes", "uri");
  if (!is_given(arguments, "text") && !is_given(arguments, "data"))
    return fail(errc::missing_key, "give the new memory as text or data", "text");
  constexpr std::array beside = {"words", "actor", "dry_run"};
  json write = arguments;
  json request{{"op", "supersede_matching"}};
  for (const char* key : beside) {
    if (is_given(arguments, key)) request[key] = arguments[key];
    write.erase(key);
  }
  write.erase("supersede");
  write.erase("replace");
  json made = json::object();
  if (auto ok = put_statement(made, write); !ok) return propagate(ok);
  made.update(write);
  request["write"] = std::move(made);
  return request;
}

/// The arguments of a change of one memory: text is the statement of a Note.
result<json> with_data(json arguments) {
  arguments.erase("supersede");
  const char* const key = key_of_name(arguments);
  if (key == nullptr)
    return fail(errc::missing_key,
                is_given(arguments, "replace")
                    ? "replace needs the uri of what changes"
                    : "give the uri of what changes; or supersede: true, for a new memory in place "
                      "of what said the old; or use remember",
                "uri");
  if (!is_given(arguments, "text")) return arguments;
  const json& uri = arguments[key];
  if (is_given(arguments, "data") || is_given(arguments, "replace"))
    return fail(errc::bad_value, "give one of text, data and replace", "text");
  const std::string name = uri.is_string() ? uri.get<std::string>() : std::string("mneme:");
  if (name.starts_with("mneme:") && !name.starts_with("mneme://Note/"))
    return fail(errc::bad_value, "text is the statement of a Note: give data or replace", "text");
  arguments["data"] = {{"statement", arguments["text"]}};
  arguments.erase("text");
  return arguments;
}

/// data makes a new version; the other keys change the head; both at once are all or none.
result<json> build_update(const json& given) {
  auto supersedes = asks_to_supersede(given);
  if (!supersedes) return propagate(supersedes);
  if (*supersedes) return build_supersession(given);
  auto changed = with_data(given);
  if (!changed) return changed;
  const json& arguments = *changed;
  constexpr std::array head_keys = {"tags",      "frames",   "importance", "visibility",
                                    "lifecycle", "metadata", "affirm"};
  json version = arguments;
  version["op"] = "update";
  json head{{"op", "update_head"}};
  for (const char* key : {"uri", "id", "actor", "expect_version"})
    if (is_given(arguments, key)) head[key] = arguments[key];
  bool changes_head = false;
  for (const char* key : head_keys) {
    if (!is_given(arguments, key)) continue;
    head[key] = arguments[key];
    version.erase(key);
    changes_head = true;
  }
  if (!changes_head) return version;
  if (!is_given(arguments, "data") && !is_given(arguments, "replace")) {
    for (const auto& [key, value] : version.items())
      if (!head.contains(key)) head[key] = value; // refused there by its name
    return head;
  }
  head.erase("expect_version"); // the new version is current by then
  return json{{"op", "batch"}, {"items", json::array({version, head})}};
}

result<json> build_forget(const json& asked) {
  json arguments = asked;
  // What other tools call query are the words here.
  if (is_given(arguments, "query")) {
    if (is_given(arguments, "words"))
      return fail(errc::bad_value, "words and query are the same: give one of them", "query");
    arguments["words"] = arguments["query"];
  }
  arguments.erase("query");
  json request = arguments;
  if (const char* const key = key_of_name(arguments);
      key != nullptr && is_given(arguments, "words"))
    return fail(errc::bad_value, fmt::format("give {} or words, not both", key), "words");
  request["op"] = is_given(arguments, "words") ? "forget_matching" : "tombstone";
  return request;
}

result<json> build_relate(const json& arguments) {
  json request = arguments;
  const bool removes = is_given(arguments, "remove") && arguments["remove"] == true;
  if (is_given(arguments, "remove") && !arguments["remove"].is_boolean())
    return protocol::wrong_type("true or false", arguments["remove"],
                                protocol::json_path().key("remove"));
  request.erase("remove");
  request["op"] = removes ? "remove_edge" : "add_edge";
  return request;
}

constexpr std::string_view remember_patch = R"({"properties":{
  "text":{"type":"string","description":"What to remember, in plain words: becomes a Note."}},
  "required":[]})";
constexpr std::string_view get_patch = R"({"required":[]})";
constexpr std::string_view update_patch = R"({"properties":{
  "text":{"type":"string","description":"The new statement of a Note."},
  "supersede":{"type":"boolean","description":"true, instead of uri: text or data is a new memory, and what said the old of the same is superseded by it (try dry_run first)."},
  "words":{"type":"string","description":"Instead of uri: text or data is a new memory, and what these words mean is superseded by it."}},
  "required":[]})";
constexpr std::string_view forget_patch = R"({"properties":{
  "words":{"type":"string","description":"Instead of uri: what to forget, in plain words, such as \"everything about the Globex contract\", an address, or one fact."},
  "query":{"type":"string","description":"Another name of words."},
  "dry_run":{"type":"boolean","description":"With words: only show what would be forgotten, and why."}},
  "required":[]})";
constexpr std::string_view relate_patch = R"({"properties":{
  "remove":{"type":"boolean","description":"true: take the link away."}}})";

constexpr std::array table = {
    tool_spec{
        .name = "search",
        .title = "Search memory",
        .description =
            "Search everything that was remembered and every ingested document by plain words. Use "
            "this first when you do not know where something is. Answers ranked hits with their "
            "uris; it changes nothing.",
        .ops = search_ops,
        .hidden = query_hidden,
        .is_read_only = true,
        .is_idempotent = true,
        .is_basic = true},
    tool_spec{
        .name = "find",
        .title = "Find by type, tag, field or link",
        .description =
            "Find memories by exact conditions: type, tag, field values, meaning (near) and links "
            "(from), all together. Use it when you know what you are looking for; use search when "
            "you do not. Answers 20 unless limit or budget_tokens says how many.",
        .ops = find_ops,
        .hidden = find_hidden,
        .is_read_only = true,
        .is_idempotent = true,
        .build = build_find},
    tool_spec{
        .name = "retrieve",
        .title = "Retrieve topics with their history",
        .description =
            "Look up topics (people, places, projects) near to a question, with their neighbours "
            "and the value of each field, with explain also the earlier ones. Use it for \"what do "
            "we know about X\" and \"how did X change\". Reinforces what it shows unless touch is "
            "false.",
        .ops = retrieve_ops,
        .hidden = retrieve_hidden},
    tool_spec{
        .name = "chroma_query",
        .title = "Query by hashtags",
        .description =
            "Find memories whose hashtags lie near a set of hashtags, weighed with recency and "
            "strength. Only for memories that were written with hashtags. Give hashtags (at least "
            "8) or text. Reinforces what it shows unless touch is false.",
        .ops = chroma_ops,
        .hidden = query_hidden},
    tool_spec{
        .name = "context",
        .title = "Start with context",
        .description =
            "What you should know before you begin: your identity, hard constraints and active "
            "goals, past outcomes and memories that matter to what you are about to do. With query "
            "(the question or the task in words) also what is known of it, with who said it and "
            "when; without any question the most important of all. Call it once at the start of a "
            "task.",
        .ops = context_ops,
        .hidden = query_hidden,
        .is_read_only = true,
        .is_idempotent = true,
        .is_basic = true},
    tool_spec{.name = "get",
              .title = "Get one memory",
              .description = "Read one memory whole: by id its newest version, by uri exactly that "
                             "version. Topics come with their fields; history adds earlier values.",
              .ops = get_ops,
              .hidden = get_hidden,
              .is_read_only = true,
              .is_idempotent = true,
              .build = build_get,
              .schema_patch = get_patch},
    tool_spec{
        .name = "stale",
        .title = "What no longer stands",
        .description =
            "What rests on a memory that was forgotten, superseded or contradicted, and was "
            "not affirmed since. Look at each: update it, affirm it with update, or forget it.",
        .ops = stale_ops,
        .hidden = get_hidden,
        .is_read_only = true,
        .is_idempotent = true},
    tool_spec{
        .name = "absent",
        .title = "Is nothing of that remembered?",
        .description =
            "Ask before you say that nothing is known: that no memory says something (query), or "
            "that ids or fields of topics are not there, each with a proof. The answer says how "
            "much was searched, and what is nearest.",
        .ops = absent_ops,
        .hidden = get_hidden,
        .is_read_only = true,
        .is_idempotent = true},
    tool_spec{.name = "replay_receipt",
              .title = "Ask again what was asked then",
              .description =
                  "With the receipt of an earlier search, find, retrieve or context (asked for by "
                  "receipt: true): is the same answer still given as of then, and if not, where "
                  "does it differ? Shows what was known when something was decided.",
              .ops = replay_ops,
              .is_read_only = true,
              .is_idempotent = true},
    tool_spec{
        .name = "remember",
        .title = "Remember something",
        .description =
            "Store something for later. Simplest: {\"text\": \"…\"} becomes a Note. With type and "
            "data it becomes that kind of memory (Fact, Preference, Goal, Decision, Event …). With "
            "a title and fields it becomes a topic whose fields keep their history. The answer "
            "names "
            "what is remembered already in the same words, or much like it: update or forget that.",
        .ops = remember_ops,
        .hidden = write_hidden,
        .is_basic = true,
        .build = build_remember,
        .schema_patch = remember_patch},
    tool_spec{
        .name = "update",
        .title = "Update a memory",
        .description =
            "Change a memory. data replaces its data whole, replace one span of its text, as a new "
            "version (the old one stays readable); tags, importance, visibility, lifecycle and "
            "metadata change in place; affirm says that it still holds, where it is called stale. "
            "Without knowing the uri: give the new fact as text with supersede: true, and what "
            "said the old (found by words, or by the new text) is superseded by it.",
        .ops = update_ops,
        .hidden = update_hidden,
        .is_destructive = true,
        .is_basic = true,
        .build = build_update,
        .schema_patch = update_patch},
    tool_spec{.name = "relate",
              .title = "Link two memories",
              .description =
                  "Make (or with remove, take away) a typed link from one memory to another, such "
                  "as references, supersedes, contradicts, part_of or caused_by.",
              .ops = relate_ops,
              .hidden = edge_hidden,
              .is_idempotent = true,
              .build = build_relate,
              .schema_patch = relate_patch},
    tool_spec{
        .name = "forget",
        .title = "Forget a memory",
        .description =
            "Take a memory out of every answer: by uri, or all that words mean, such as "
            "\"everything about Globex\" (try dry_run first). Versions stay in the journal; "
            "nothing is erased, and restore brings it back. Use update when it is only outdated.",
        .ops = forget_ops,
        .hidden = forget_hidden,
        .is_destructive = true,
        .is_basic = true,
        .build = build_forget,
        .schema_patch = forget_patch},
    tool_spec{.name = "restore",
              .title = "Bring a memory back",
              .description = "Undo forget, or what superseded a memory: it is back as it was, by "
                             "its id or uri. A topic that was archived is open again. What "
                             "superseded it stays: forget that if it is wrong.",
              .ops = restore_ops,
              .hidden = restore_hidden,
              .is_idempotent = true,
              .is_basic = true},
    tool_spec{.name = "erase",
              .title = "Erase memories for good",
              .description =
                  "Overwrite what memories say, everywhere and for good: by ids, all of an actor, "
                  "all chunks of a source, or one field of a topic. Nothing brings it back; forget "
                  "is enough unless somebody has asked that it be gone. First call it with "
                  "dry_run: true, show what "
                  "would go, and erase only what was agreed to.",
              .ops = erase_ops,
              .hidden = erase_hidden,
              .is_destructive = true,
              .is_idempotent = true,
              .erases = true},
    tool_spec{.name = "promote",
              .title = "Promote a document chunk",
              .description = "Say that a memory was made of a document chunk: searches then show "
                             "the memory instead of the chunk.",
              .ops = promote_ops},
    tool_spec{.name = "attest",
              .title = "Report an outcome",
              .description =
                  "Say how something ended and which memories it rested on. These are reinforced, "
                  "and ranking learns from it. Call it when a task is done.",
              .ops = attest_ops,
              .hidden = query_hidden},
    tool_spec{.name = "root",
              .title = "Root of all state",
              .description = "The hash over everything that is remembered, and the last entry of "
                             "the journal. Equal roots mean equal memory.",
              .ops = root_ops,
              .is_read_only = true,
              .is_idempotent = true},
    tool_spec{.name = "prove",
              .title = "Prove a memory",
              .description = "Proofs that memories, edges or fields are (or are not) part of the "
                             "state under a root. Anybody can check them without the engine.",
              .ops = prove_ops,
              .is_read_only = true,
              .is_idempotent = true},
};

bool is_hidden(const tool_spec& tool, const client& who, std::string_view key) {
  if (std::ranges::find(tool.hidden, key) != tool.hidden.end()) return true;
  return !who.is_host() && (key == "actor" || key == "by" || key == "created_by");
}

/// The key of the arguments that a place of their request is: what a tool takes flat, the op may
/// have in `write`, or in the two items of a batch.
std::string place_given(std::string_view place, std::string_view op, const json& arguments) {
  constexpr std::string_view nested = "write.";
  if (op == "supersede_matching" && place.starts_with(nested)) place.remove_prefix(nested.size());
  const auto item_end = place.find("].");
  if (op == "batch" && !is_given(arguments, "items") && place.starts_with("items[")
      && item_end != std::string_view::npos)
    place.remove_prefix(item_end + 2);
  if (place == "data.statement" && is_given(arguments, "text")) return "text";
  return std::string(place);
}

error said_as_given(error e, std::string_view op, const json& arguments) {
  e = with_places(std::move(e),
                  [&](std::string_view place) { return place_given(place, op, arguments); });
  std::set<std::string_view> places;
  for (const error& fault : e.faults) places.insert(fault.at);
  if (places.size() == e.faults.size()) return e;
  fault_list once;
  once.add(std::move(e));
  return once.refusal().error();
}

/// The code of a refusal stays: a server has some of its own.
void say_as_given(answer& answered, std::string_view op, const json& arguments) {
  if (is_ok(answered)) return;
  auto told = outcome_of(answered);
  if (told) return;
  const error e = said_as_given(std::move(told.error()), op, arguments);
  json& body = answered.body["error"];
  body["message"] = e.message;
  if (!e.at.empty()) body["at"] = e.at;
  body.erase("faults");
  for (const error& fault : e.faults)
    body["faults"].push_back(
        {{"code", to_string(fault.code)}, {"message", fault.message}, {"at", fault.at}});
}

/// The keys of all ops of a tool; the patch says what more there is, and what is required of
/// several ops.
json input_schema(const tool_spec& tool, const client& who) {
  json properties = json::object();
  json required = json::array();
  for (const auto name : tool.ops) {
    const auto& op = *protocol::find_op(name);
    for (const auto& key : op.keys) {
      const std::string text(key.name);
      if (is_hidden(tool, who, key.name) || properties.contains(text)) continue;
      properties[text] = schema_of_key(op.name, key);
      if (key.required) required.push_back(text);
    }
  }
  json schema{{"type", "object"}, {"properties", std::move(properties)}};
  if (!tool.schema_patch.empty()) {
    const json patch = json::parse(tool.schema_patch);
    if (patch.contains("properties")) {
      // What is said of a tool itself comes first: it is what a model should use.
      json own = patch["properties"];
      own.update(schema["properties"]);
      own.merge_patch(patch["properties"]); // and what it takes beside what the op does
      schema["properties"] = std::move(own);
    }
    if (patch.contains("required")) required = patch["required"];
  }
  if (!required.empty()) schema["required"] = std::move(required);
  schema["additionalProperties"] = false;
  return schema;
}

/// Names of the definitions that `value` refers to.
void references_of(const json& value, std::set<std::string>& names) {
  constexpr std::string_view prefix = "#/$defs/";
  if (value.is_object() && value.contains("$ref"))
    names.insert(value["$ref"].get<std::string>().substr(prefix.size()));
  if (value.is_structured())
    for (const auto& member : value) references_of(member, names);
}

/// What every op of the tool may answer.
json output_schema(const tool_spec& tool) {
  json schema = answer_schema(*protocol::find_op(tool.ops[0]));
  for (const auto name : tool.ops.subspan(1)) {
    const json other = answer_schema(*protocol::find_op(name));
    schema["properties"].update(other["properties"]);
    json shared = json::array();
    for (const auto& key : schema["required"])
      if (std::ranges::find(other["required"], key) != other["required"].end())
        shared.push_back(key);
    schema["required"] = std::move(shared);
  }
  // update of data and head at once is a batch.
  if (tool.name == "update") {
    schema["properties"]["results"] = {{"type", "array"}, {"items", {{"type", "object"}}}};
    schema["required"] = json::array({"seq"});
  }
  const json all = answer_definitions();
  std::set<std::string> used;
  references_of(schema, used);
  for (std::size_t known = 0; known != used.size();) { // definitions name others
    known = used.size();
    for (const auto& name : std::set(used)) references_of(all[name], used);
  }
  for (const auto& name : used) schema["$defs"][name] = all[name];
  return schema;
}

/// An op of the tool has the key: who may not name an actor may still name himself.
bool is_taken(const tool_spec& tool, std::string_view name, const json& value) {
  if (!value.is_null() && std::ranges::find(tool.hidden, name) != tool.hidden.end()) return false;
  return std::ranges::any_of(tool.ops, [&](std::string_view op) {
    const auto keys = protocol::find_op(op)->keys;
    return std::ranges::find(keys, name, &protocol::key_shape::name) != keys.end();
  });
}

/// What the schema does not have is not taken: a tool that says it only reads must not write
/// because an op can.
void check_offered(const tool_spec& tool, const client& who, const json& arguments,
                   fault_list& faults) {
  const json schema = input_schema(tool, who);
  std::vector<std::string_view> offered;
  for (const auto& [name, property] : schema["properties"].items()) offered.push_back(name);
  for (const auto& [name, value] : arguments.items()) {
    if (std::ranges::find(offered, name) != offered.end()) continue;
    if (name != "op" && is_taken(tool, name, value)) continue;
    faults.add(protocol::unknown_key(name, offered, protocol::json_path().key(name)).error());
  }
}

/// Of a write that may name a memory by its id. Nobody has looked up here what that is: what
/// depends on it is not told.
void add_faults_of_write(const protocol::op_spec& op, json request, fault_list& faults) {
  const char* const key = is_given(request, "id") ? "id" : "uri";
  const bool is_by_id = op.name != "restore" && protocol::names_by_id(request)
                        && (key == std::string_view("uri") || !is_given(request, "uri"));
  if (!is_by_id) {
    if (auto fault = protocol::fault_of_write(op, request, {})) faults.add(std::move(*fault));
    return;
  }
  const auto name = request[key].get<std::string>();
  const auto id = protocol::id_named(name);
  if (!id) faults.add({id.error().code, id.error().message, key, {}});
  request.erase(key);
  request["uri"] = name;
  fault_list known;
  known.add({errc::bad_id, "it is not looked up", "uri", {}});
  const auto all = protocol::fault_of_write(op, request, {}, std::move(known));
  fault_list others;
  others.add(*all);
  faults.leave_out(others.size() - others.told().size());
  for (const error& fault : all->faults)
    if (fault.at != "uri") faults.add(fault);
}

/// What is wrong with the rest of a request is told beside what is not taken.
error with_faults_of_rest(const json& request, fault_list faults) {
  json rest = request;
  const auto& op = *protocol::find_op(request["op"].get_ref<const std::string&>());
  for (const error& fault : faults.told())
    if (fault.at != "op") rest.erase(fault.at);
  if (op.read == nullptr)
    protocol::check_members(rest, op.keys, true, {}, faults);
  else
    add_faults_of_write(op, std::move(rest), faults);
  return faults.refusal().error();
}

result<json> built(const tool_spec& tool, const json& arguments) {
  if (tool.build != nullptr) return tool.build(arguments);
  json request = arguments;
  request["op"] = tool.ops[0];
  return request;
}

/// What only another op of the tool takes is unknown to the one that the arguments have become.
void check_taken(const tool_spec& tool, const client& who, const json& request,
                 fault_list& faults) {
  const auto keys = protocol::find_op(request["op"].get_ref<const std::string&>())->keys;
  std::vector<std::string_view> offered;
  for (const auto& key : keys)
    if (!is_hidden(tool, who, key.name)) offered.push_back(key.name);
  for (const auto& [name, value] : request.items())
    if (name != "op" && std::ranges::find(keys, name, &protocol::key_shape::name) == keys.end())
      faults.add(protocol::unknown_key(name, offered, protocol::json_path().key(name)).error());
}

/// The request of an op that a tool's arguments are.
result<json> request_of(const tool_spec& tool, const client& who, const json& arguments) {
  fault_list faults;
  check_offered(tool, who, arguments, faults);
  json known = arguments;
  for (const error& fault : faults.told()) known.erase(fault.at);
  auto request = built(tool, known);
  if (!request) {
    faults.add(std::move(request.error()));
    return faults.refusal();
  }
  check_taken(tool, who, *request, faults);
  const auto& op = (*request)["op"].get_ref<const std::string&>();
  if (faults)
    return std::unexpected(
        said_as_given(with_faults_of_rest(*request, std::move(faults)), op, arguments));
  return request;
}

} // namespace

std::span<const tool_spec> tools() noexcept {
  return table;
}

const tool_spec* find_tool(std::string_view name) noexcept {
  const auto found = std::ranges::find(table, name, &tool_spec::name);
  return found == table.end() ? nullptr : &*found;
}

json tool_json(const tool_spec& tool, const client& who) {
  return {{"name", tool.name},
          {"title", tool.title},
          {"description", tool.description},
          {"inputSchema", input_schema(tool, who)},
          {"outputSchema", output_schema(tool)},
          {"annotations",
           {{"title", tool.title},
            {"readOnlyHint", tool.is_read_only},
            {"destructiveHint", tool.is_destructive},
            {"idempotentHint", tool.is_idempotent},
            {"openWorldHint", false}}}};
}

bool is_offered(const tool_spec& tool, const client& who) noexcept {
  if (tool.erases && !who.is_host()) return false;
  return !who.read_only || tool.is_read_only || tool.name == "retrieve"
         || tool.name == "chroma_query";
}

bool is_there(const tool_spec& tool, const tool_choice& choice) noexcept {
  if (tool.erases) return choice.erases;
  return tool.is_basic || !choice.only_basic;
}

std::pair<std::string, answer> call_tool(door& to, const client& who, const tool_spec& tool,
                                         const json& arguments) {
  auto request = request_of(tool, who, arguments);
  if (!request)
    return {std::string(tool.ops[0]),
            failed(said_as_given(std::move(request.error()), "", arguments))};
  std::string op = (*request)["op"].get<std::string>();
  answer answered = to.run(who, "", std::move(*request));
  say_as_given(answered, op, arguments);
  return {op, std::move(answered)};
}

} // namespace mneme::server
