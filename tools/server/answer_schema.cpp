// Schemas of answers: members by name, as the op table lists them for each op.

#include <array>

#include <nlohmann/json.hpp>

#include "tools/server/json_schema.hpp"

namespace mneme::server {

namespace {

constexpr std::string_view text = R"({"type":"string"})";
constexpr std::string_view integer = R"({"type":"integer","minimum":0})";
constexpr std::string_view number = R"({"type":"number"})";
constexpr std::string_view boolean = R"({"type":"boolean"})";
constexpr std::string_view texts = R"({"type":"array","items":{"type":"string"}})";
constexpr std::string_view numbers = R"({"type":"array","items":{"type":"number"}})";
constexpr std::string_view integers = R"({"type":"array","items":{"type":"integer"}})";
constexpr std::string_view object = R"({"type":"object"})";
constexpr std::string_view objects = R"({"type":"array","items":{"type":"object"}})";
constexpr std::string_view text_or_null = R"({"type":["string","null"]})";
constexpr std::string_view hex = R"({"type":"string","pattern":"^[0-9a-f]*$"})";

struct member_row {
  std::string_view op; ///< empty: of any op
  std::string_view member;
  std::string_view schema;
};

constexpr std::array rows = {
    member_row{"", "seq", integer},
    member_row{"", "at_seq", integer},
    member_row{"", "uri", text},
    member_row{"", "id", text},
    member_row{"", "version", integer},
    member_row{"", "changed", boolean},
    member_row{"", "ended", text},
    member_row{"", "still_archived", R"({"const":true})"},
    member_row{"", "superseded_by", text},
    member_row{"", "memory", R"({"$ref":"#/$defs/memory"})"},
    member_row{"", "raw", text},
    member_row{"", "edge", R"({"$ref":"#/$defs/edge"})"},
    member_row{"", "edges", R"({"type":"array","items":{"$ref":"#/$defs/edge"}})"},
    member_row{"", "tag", text},
    member_row{"", "tags", objects},
    member_row{"", "anchor", integer},
    member_row{"", "zone", R"({"enum":["Core","Mid","Outer"]})"},
    member_row{"", "topic_id", text},
    member_row{"", "applied", texts},
    member_row{"", "revisions", R"({"type":"object","additionalProperties":{"type":"integer"}})"},
    member_row{"", "same_title_ids", texts},
    member_row{"", "similar_topic_ids", texts},
    member_row{"write", "similar", R"({"type":"object","required":["same_text","resembles"],
      "properties":{"same_text":{"type":"array","items":{"type":"string"}},
      "resembles":{"type":"array","items":{"type":"string"}}},"additionalProperties":false})"},
    member_row{"", "merged", objects},
    member_row{"", "archived", texts},
    member_row{"", "results", R"({"type":"array","items":{"$ref":"#/$defs/item"}})"},
    member_row{"", "reads", R"({"type":"array","items":{"$ref":"#/$defs/item"}})"},
    member_row{"", "writes", R"({"type":"array","items":{"$ref":"#/$defs/item"}})"},

    member_row{"", "memories", R"({"type":"array","items":{"$ref":"#/$defs/memory"}})"},
    member_row{"list", "next", text_or_null},
    member_row{"", "versions", R"({"type":"array","items":{"$ref":"#/$defs/version"}})"},
    member_row{"history", "versions",
               R"({"type":"array","items":{"anyOf":[{"$ref":"#/$defs/version"},
      {"type":"object","required":["version","trimmed","trimmed_by","changes"],"properties":{
      "version":{"type":"integer"},"trimmed":{"const":true},"trimmed_by":{"type":"integer"},
      "changes":{"type":"array","items":{"type":"object"}}}}]}})"},
    member_row{"history", "type", text},
    member_row{"", "current_version", integer},
    member_row{"", "namespace", text},
    member_row{"", "key", text},
    member_row{"", "tombstone", R"({"$ref":"#/$defs/tombstone"})"},
    member_row{"changes", "changes", R"({"type":"array","items":{"type":"object",
      "required":["seq","at","actor","kind"]}})"},
    member_row{"changes", "next", integer},
    member_row{"changes", "more", boolean},
    member_row{"", "namespaces", R"({"type":"array","items":{"type":"object",
      "required":["namespace","memories"],
      "properties":{"namespace":{"type":"string"},"memories":{"type":"integer"}}}})"},
    member_row{"", "actors", R"({"type":"array","items":{"type":"object",
      "required":["actor","memories"],
      "properties":{"actor":{"type":"string"},"memories":{"type":"integer"}}}})"},
    member_row{"", "outcome", R"({"enum":["created","updated","revived"]})"},
    member_row{"delete_by", "id", text_or_null},
    member_row{"", "swept", texts},
    member_row{"sweep", "more", boolean},
    member_row{"", "rendered", texts},
    member_row{"", "rendered_tokens", integers},
    member_row{"", "scores", numbers},
    member_row{"", "distances", numbers},
    member_row{"", "hops", integers},
    member_row{"", "via", R"({"type":"array","items":{"type":["object","null"],
      "required":["type","src","dst"],"properties":{"type":{"type":"string"},
      "src":{"type":"string"},"dst":{"type":"string"}}}})"},
    member_row{"", "trimmed_by_budget", integer},
    member_row{"", "candidates_scanned", integer},
    member_row{"", "total", integer},
    member_row{"", "form", R"({"enum":["short","medium","full",null]})"},
    member_row{"", "form_defaulted", boolean},
    member_row{"", "truncated", boolean},
    member_row{"", "near_mode", R"({"enum":["exact","hnsw"]})"},
    member_row{"", "plan", object},

    member_row{"", "tiers", R"({"type":"object",
      "required":["pinned","outcomes","frame_relevant","found","notable"],
      "properties":{"pinned":{"$ref":"#/$defs/context_items"},
      "outcomes":{"$ref":"#/$defs/context_items"},
      "frame_relevant":{"$ref":"#/$defs/context_items"},
      "found":{"$ref":"#/$defs/context_items"},
      "notable":{"$ref":"#/$defs/context_items"}},"additionalProperties":false})"},
    member_row{"", "more", integer},
    member_row{"", "tokens", integer},
    member_row{"", "budget_tokens", integer},
    member_row{"", "reachable_uris", texts},
    member_row{"", "kept", R"({"type":"array","items":{"type":"object",
      "required":["uri","text","tokens","salience"]}})"},
    member_row{"", "compacted", R"({"type":"array","items":{"type":"object",
      "required":["uri","short","tokens","salience"]}})"},
    member_row{"", "skipped", texts},
    member_row{"", "learned", boolean},
    member_row{"set_weights", "weights", text},
    member_row{"weights", "weights", text},
    member_row{"", "since", integer},
    member_row{"", "set_at", text},
    member_row{"", "set_by", text},
    member_row{"", "reset", boolean},
    member_row{"", "weights", R"({"type":"object","required":["R","A","C","D","V"],
      "additionalProperties":{"type":"number"}})"},

    member_row{"", "query", text},
    member_row{"search", "results", R"({"type":"array","items":{"$ref":"#/$defs/hit"}})"},
    member_row{"", "count", integer},
    member_row{"", "applied_audience", text_or_null},
    member_row{"", "source_type", text},
    member_row{"", "sort", text},
    member_row{"", "similarity_floor", number},
    member_row{"", "include_siblings", text},
    member_row{"", "coverage", R"({"type":"object",
      "required":["memory","content","requested_sources_not_found","not_found_ids","notes",
        "best_match"]})"},
    member_row{"", "metadata", object},

    member_row{"", "selected", R"({"type":"array","items":{"$ref":"#/$defs/selected"}})"},
    member_row{"", "superseded", R"({"type":"array","items":{"$ref":"#/$defs/selected"}})"},
    member_row{"", "forgotten", integer},
    member_row{"", "dry_run", boolean},
    member_row{"", "note", text},

    member_row{"", "erased", texts},
    member_row{"erase", "memories", R"({"type":"array","items":{"type":"object",
      "required":["id","type","actor","because"]}})"},
    member_row{"", "erased_before", texts},
    member_row{"erase", "fields", R"({"type":"array","items":{"type":"object",
      "required":["id","field"]}})"},
    member_row{"erase", "fields_erased_before", R"({"type":"array","items":{"type":"object",
      "required":["id","field"]}})"},
    member_row{"erase", "entries", integer},
    member_row{"erase", "edges", integer},
    member_row{"erase", "branches", texts},
    member_row{"erase", "in_branches", R"({"type":"array","items":{"type":"object",
      "required":["path","outcome","memories"]}})"},

    member_row{"trim", "before", integer},
    member_row{"trim", "dropped", integer},
    member_row{"trim", "dropped_bytes", integer},
    member_row{"trim", "versions", integer},
    member_row{"trim", "carried", integer},
    member_row{"trim", "saved_bytes", integer},
    member_row{"trim", "journal_bytes_before", integer},
    member_row{"trim", "journal_bytes", integer},

    member_row{"", "files", integer},
    member_row{"", "added", integer},
    member_row{"", "updated", integer},
    member_row{"", "unchanged", integer},
    member_row{"", "removed", integer},
    member_row{"", "left_out", R"({"type":"object","additionalProperties":{"type":"integer"}})"},

    member_row{"", "point", R"({"type":"object","required":["L","a","b","node_id"]})"},
    member_row{"chroma", "results", R"({"type":"array","items":{"type":"object",
      "required":["id","uri","hashtags","distance","relevance","recency","strength_norm","score"],
      "properties":{"id":{"type":"string"},"uri":{"type":"string"},
        "hashtags":{"type":"array","items":{"type":"string"}},"distance":{"type":"number"},
        "relevance":{"type":"number"},"recency":{"type":"number"},
        "strength_norm":{"type":"number"},"score":{"type":"number"},"trust":{"type":"number","minimum":0,"maximum":1},
        "source_class":{"enum":["user","tool","model","web"]},
        "stale":{"const":true},"lineage_truncated":{"const":true},
        "ended":{"const":true},"superseded":{"const":true}}}})"},
    member_row{"", "hashtags", texts},
    member_row{"", "profile", text},
    member_row{"", "notes", object},
    member_row{"", "layout_traits", object},
    member_row{"", "decayed", integer},
    member_row{"", "ascended", integer},
    member_row{"", "rotten", integer},
    member_row{"", "L", number},
    member_row{"", "a", number},
    member_row{"", "b", number},
    member_row{"", "node_id", R"({"type":["string","integer"]})"},
    member_row{"", "counts", R"({"type":"object","additionalProperties":{"type":"integer"}})"},

    member_row{"", "candidates", R"({"type":"array","items":{"type":"object",
      "required":["topic_id","title","summary","topic_kind","salience"],
      "properties":{"topic_id":{"type":"string"},"title":{"type":"string"},
        "summary":{"type":"string"},"salience":{"type":"number"},"trust":{"type":"number","minimum":0,"maximum":1},
        "source_class":{"enum":["user","tool","model","web"]},
        "stale":{"const":true},"lineage_truncated":{"const":true},
        "ended":{"const":true},"superseded":{"const":true}}}})"},
    member_row{"", "summary_text", text},

    member_row{"", "now", text},
    member_row{"", "root", hex},
    member_row{"", "world_id", hex},
    member_row{"", "journal_root", hex},
    member_row{"", "state_roots", R"({"type":"object","additionalProperties":{"type":"string"}})"},
    member_row{"", "manifest", object},
    member_row{"", "proofs", objects},
    member_row{"", "absent", boolean},
    member_row{"", "searched", R"({"type":"object",
      "required":["memories","chunks","ended","superseded","distrusted"]})"},
    member_row{"", "best_match", number},
    member_row{"", "nearest", R"({"type":"array","items":{"type":"object",
      "required":["id","uri","match","content"]}})"},
    member_row{"", "ids", R"({"type":"array","items":{"type":"object",
      "required":["id","present"],"properties":{"erased":{"type":"string"}}}})"},
    member_row{"", "fields", R"({"type":"array","items":{"type":"object",
      "required":["topic","name","present"],"properties":{"erased":{"type":"string"}}}})"},
    member_row{"", "proof", object},
    member_row{"", "receipt", R"({"type":"object","required":["version","op","request","seq","root",
      "world_id","exact","ranking","results","hash"]})"},
    member_row{"", "equal", boolean},
    member_row{"", "differences", texts},
    member_row{"", "entries", R"({"type":"array","items":{"type":"object",
      "required":["seq","kind","created_at","created_by","leaves","payload_hash","header"]}})"},
    member_row{"", "next", R"({"type":["integer","null"]})"},

    member_row{"verify", "entries", integer},
    member_row{"", "frames", integer},
    member_row{"", "segments", integer},
    member_row{"", "torn_bytes", integer},
    member_row{"", "unfinished", text},

    member_row{"stats", "world", text},
    member_row{"stats", "embedder", text},
    member_row{"stats", "language", text},
    member_row{"stats", "space", R"({"type":["object","null"]})"},
    member_row{"stats", "checkpoint_seq", integer},
    member_row{"stats", "memories", integer},
    member_row{"stats", "memories_by_type", object},
    member_row{"stats", "rows", integer},
    member_row{"stats", "edges", integer},
    member_row{"stats", "vectors", integer},
    member_row{"stats", "vector_builds_failed", integer},
    member_row{"stats", "fields", integer},
    member_row{"stats", "journal_bytes", integer},
    member_row{"stats", "journal_segments", integer},
    member_row{"stats", "embeddings_pending", integer},
    member_row{"stats", "embeddings_refused", integer},
    member_row{"stats", "embedder_problem", text},
    member_row{"stats", "stopped", text},
    member_row{"stats", "disk_full", text},
    member_row{"stats", "log", R"({"type":"object","required":["role","epoch","leader","seq",
      "lag_seqs","lag_ms"],"properties":{"role":{"enum":["leader","follower"]},
      "epoch":{"type":"integer"},"leader":{"type":"string"},"leader_address":{"type":"string"},
      "seq":{"type":"integer"},"lag_seqs":{"type":["integer","null"]},
      "lag_ms":{"type":"integer"},"away_ms":{"type":"integer"},"problem":{"type":"string"}}})"},
};

json member_schema(std::string_view op, std::string_view member) {
  const member_row* found = nullptr;
  for (const auto& row : rows) {
    if (row.member != member || (!row.op.empty() && row.op != op)) continue;
    if (found == nullptr || !row.op.empty()) found = &row;
  }
  return found == nullptr ? json::object() : json::parse(found->schema);
}

constexpr std::string_view definitions = R"({
  "selected": {"type": "object",
    "required": ["id", "uri", "type", "why", "because", "text"],
    "properties": {"id": {"type": "string"}, "uri": {"type": "string"},
      "type": {"type": "string"}, "why": {"enum": ["identifier", "entity", "meaning"]},
      "because": {"type": "string"}, "text": {"type": "string"},
      "trust": {"type": "number", "minimum": 0, "maximum": 1},
      "source_class": {"enum": ["user", "tool", "model", "web"]},
      "stale": {"const": true}, "lineage_truncated": {"const": true}},
    "additionalProperties": false},
  "memory": {"type": "object",
    "required": ["id", "uri", "type", "current_version", "actor_scope", "visibility",
      "declared_importance", "tags", "frames", "metadata", "lifecycle", "colour", "tombstone",
      "created_at", "last_updated_at", "embedding", "forms", "activation", "version"],
    "properties": {
      "id": {"type": "string"}, "uri": {"type": "string"}, "type": {"type": "string"},
      "current_version": {"type": "integer"}, "actor_scope": {"type": "string"},
      "visibility": {"enum": ["private", "scoped", "actor_public"]},
      "declared_importance": {"type": "integer", "minimum": 0, "maximum": 10},
      "tags": {"type": "array", "items": {"type": "string"}},
      "frames": {"type": "array", "items": {"type": "object"}},
      "metadata": {"type": "object"}, "lifecycle": {"type": ["object", "null"]},
      "colour": {"type": ["object", "null"],
        "required": ["hashtags", "L", "a", "b", "node_id", "mode"],
        "properties": {"hashtags": {"type": "array", "items": {"type": "string"}},
          "L": {"type": "number"}, "a": {"type": "number"}, "b": {"type": "number"},
          "node_id": {"type": ["string", "integer"]}}},
      "tombstone": {"$ref": "#/$defs/tombstone"},
      "created_at": {"type": "string"}, "last_updated_at": {"type": "string"},
      "embedding": {"type": ["object", "null"], "required": ["dim", "version"],
        "properties": {"dim": {"type": "integer"}, "version": {"type": "integer"}}},
      "forms": {"type": "object", "required": ["short", "medium"],
        "properties": {"short": {"type": "string"}, "medium": {"type": "string"}}},
      "activation": {"type": "object", "required": ["last_used", "access_count", "citations"],
        "properties": {"last_used": {"type": "string"}, "access_count": {"type": "integer"},
          "citations": {"type": "integer"}}},
      "version": {"$ref": "#/$defs/version"},
      "trust": {"type": "number", "minimum": 0, "maximum": 1},
      "source_class": {"enum": ["user", "tool", "model", "web"]},
      "stale": {"const": true}, "lineage_truncated": {"const": true},
      "told": {"type": "string"}, "ended": {"const": true}, "superseded": {"const": true},
      "namespace": {"type": "string"}, "key": {"type": "string"},
      "fields": {"type": "array", "items": {"type": "object"}},
      "erased_fields": {"type": "array", "items": {"type": "object",
        "required": ["name", "erased_at", "by", "reason"]}},
      "events": {"type": "array", "items": {"type": "object"}}},
    "additionalProperties": false},
  "version": {"type": "object",
    "required": ["version", "data", "created_at", "created_by", "expires_at", "confidence",
      "provenance", "valid_from", "valid_until", "forms_override", "hash"],
    "properties": {"version": {"type": "integer"}, "data": {"type": "object"},
      "created_at": {"type": "string"}, "created_by": {"type": "string"},
      "expires_at": {"type": ["string", "null"]}, "confidence": {"type": "number"},
      "provenance": {"type": "object"}, "valid_from": {"type": "string"},
      "valid_until": {"type": ["string", "null"]}, "forms_override": {"type": "object"},
      "hash": {"type": "string"}, "payload": {"type": "string"},
      "changes": {"type": "array", "items": {"type": "object", "required": ["field"],
        "properties": {"field": {"type": "string"}, "before": {"type": "string"},
          "after": {"type": "string"}}}}}},
  "tombstone": {"type": ["object", "null"], "required": ["reason", "cause", "at", "by"],
    "properties": {"reason": {"type": "string"}, "cause": {"type": "string"},
      "at": {"type": "string"}, "by": {"type": "string"}, "superseded_by": {"type": "string"}}},
  "edge": {"type": "object",
    "required": ["type", "src", "dst", "created_at", "created_by", "weight", "data", "kind",
      "tombstoned", "tombstoned_at", "tombstoned_reason", "tombstoned_by"],
    "properties": {"type": {"type": "string"}, "src": {"type": "string"},
      "dst": {"type": "string"}, "created_at": {"type": "string"},
      "created_by": {"type": "string"}, "weight": {"type": "number"}, "data": {"type": "string"},
      "kind": {"type": "string"}, "tombstoned": {"type": "boolean"},
      "tombstoned_at": {"type": ["string", "null"]}, "tombstoned_reason": {"type": "string"},
      "tombstoned_by": {"type": "string"}},
    "additionalProperties": false},
  "hit": {"type": "object",
    "required": ["id", "uri", "source_type", "score", "raw_score", "match", "title", "content", "truncated",
      "status", "overdue", "ended", "due_date", "audience", "project", "tags", "metadata",
      "created_at", "updated_at"],
    "properties": {"id": {"type": "string"}, "uri": {"type": "string"},
      "source_type": {"enum": ["memory", "content_chunk"]}, "score": {"type": "number"},
      "title": {"type": "string"}, "content": {"type": "string"},
      "raw_score": {"type": "number"}, "match": {"type": "number"},
      "memory_type": {"type": "string"}, "path": {"type": "string"},
      "chunk_index": {"type": "integer"}, "truncated": {"type": "boolean"},
      "overdue": {"type": "boolean"}, "ended": {"type": "boolean"},
      "status": {"type": ["string", "null"]}, "audience": {"type": ["string", "null"]},
      "project": {"type": "string"}, "due_date": {"type": ["string", "null"]},
      "tags": {"type": "array", "items": {"type": "string"}}, "metadata": {"type": "object"},
      "created_at": {"type": "string"}, "updated_at": {"type": "string"},
      "rendered": {"type": "string"}, "tokens": {"type": "integer"},
      "field": {"type": "string"}, "superseded": {"const": true},
      "trust": {"type": "number", "minimum": 0, "maximum": 1},
      "source_class": {"enum": ["user", "tool", "model", "web"]},
      "stale": {"const": true}, "lineage_truncated": {"const": true}}},
  "context_items": {"type": "array", "items": {"type": "object",
    "required": ["id", "uri", "text", "tokens", "salience", "by", "at"],
    "properties": {"id": {"type": "string"}, "uri": {"type": "string"},
      "text": {"type": "string"}, "tokens": {"type": "integer"},
      "salience": {"type": "number"}, "by": {"type": "string"}, "at": {"type": "string"},
      "score": {"type": "number"}, "trust": {"type": "number", "minimum": 0, "maximum": 1},
      "source_class": {"enum": ["user", "tool", "model", "web"]},
      "stale": {"const": true}, "lineage_truncated": {"const": true},
      "ended": {"const": true}, "superseded": {"const": true},
      "older_of": {"type": "string"}}}},
  "item": {"type": "object", "required": ["ok"], "properties": {"ok": {"type": "boolean"}}}
})";

} // namespace

json answer_schema(const protocol::op_spec& op) {
  json properties = json::object();
  json required = json::array();
  std::string_view members = op.answer;
  while (!members.empty()) {
    const auto space = members.find(' ');
    std::string_view name = members.substr(0, space);
    members.remove_prefix(space == std::string_view::npos ? members.size() : space + 1);
    const bool is_optional = name.ends_with('?');
    if (is_optional) name.remove_suffix(1);
    properties[std::string(name)] = member_schema(op.name, name);
    if (!is_optional) required.push_back(name);
  }
  // Of a world that is kept in a log, whatever was asked.
  properties["log_position"] = json::parse(R"({"type":"object","required":["epoch","seq","root"],
    "properties":{"epoch":{"type":"integer"},"seq":{"type":"integer"},"root":{"type":"string"}}})");
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

json error_schema() {
  json schema =
      json::parse(R"({"type":"object","required":["ok","error"],"additionalProperties":false,
    "properties":{"ok":{"const":false},"error":{"type":"object","required":["code","message"],
    "properties":{"code":{"type":"string"},"message":{"type":"string"},"at":{"type":"string"},
    "faults":{"type":"array","description":"Where several places of the request are wrong: all of them.",
    "items":{"type":"object","required":["code","message","at"],"additionalProperties":false,
    "properties":{"code":{"type":"string"},"message":{"type":"string"},"at":{"type":"string"}}}}}}}})");
  json& codes = schema["properties"]["error"]["properties"]["code"]["enum"];
  for (int i = 1; i <= static_cast<int>(errc::trimmed); ++i) // the last is the newest
    codes.push_back(to_string(static_cast<errc>(i)));
  // And what a server itself refuses.
  for (const char* code : {"bad_content_type", "bad_length", "bad_request", "forbidden",
                           "header_too_long", "method_not_allowed", "too_slow", "unauthorized"})
    codes.push_back(code);
  return schema;
}

json answer_definitions() {
  return json::parse(definitions);
}

} // namespace mneme::server
