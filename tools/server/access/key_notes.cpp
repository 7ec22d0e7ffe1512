#include "tools/server/access/key_notes.hpp"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "messages/validate/schema.hpp"
#include "mneme/changes.hpp"
#include "mneme/types.hpp"
#include "tools/protocol/memory_json.hpp"

namespace mneme::server {

namespace {

using names = std::vector<std::string_view>;

template <class Enum>
names enum_names() {
  names all;
  for (std::uint8_t byte = 1; byte != 0; ++byte) {
    const auto name = to_string(static_cast<Enum>(byte));
    if (!parse_enum<Enum>(name)) break;
    all.push_back(name);
  }
  return all;
}

names of(std::initializer_list<std::string_view> list) {
  return list;
}

names search_types() {
  return of({"identity", "fact", "preference", "belief", "event", "goal", "constraint",
             "capability", "pattern", "decision", "commitment", "blocker", "note", "topic",
             "context"});
}
names search_statuses() {
  names all = enum_names<lifecycle_status>();
  all.push_back("overdue");
  return all;
}
names tombstone_causes() {
  return of({"superseded", "wrong", "deleted", "expired"});
}
names memory_members() {
  const auto all = protocol::memory_member_names();
  return {all.begin(), all.end()};
}
names forms() {
  return of({"short", "medium", "full"});
}

struct note_row {
  std::string_view op; ///< empty: of any op
  std::string_view key;
  std::string_view text;
  names (*admits)() = nullptr;
};

constexpr std::array note_rows = {
    note_row{"", "actor", "The agent that asks or acts; it sees its own memories and public ones."},
    note_row{"", "scope", "A signed scope that narrows what the asker sees."},
    note_row{"", "at_seq", "Answer as of this entry of the journal: the world as it was then."},
    note_row{"", "at", "Answer as of the last entry at or before this time; instead of at_seq."},
    note_row{"", "namespace", "Namespace of a key."},
    note_row{"", "key", "What the host calls the memory by, in its namespace."},
    note_row{"", "payload", "JSON of the host's own, as text: given back as it is, not searched."},
    note_row{"put", "type", "The kind of memory.", enum_names<memory_type>},
    note_row{"put", "data", "The fields of the type."},
    note_row{"put", "mode", "How its strength in colour space rises and falls.",
             enum_names<memory_mode>},
    note_row{"put", "forms", "Own short and medium texts instead of the automatic ones."},
    note_row{"put", "expect_version",
             "Refuse unless this is the memory's version; 0: unless there is none."},
    note_row{"sweep", "limit", "At most so many, those first that expired first."},
    note_row{"changes", "since",
             "What comes behind this seq: `next` of the answer before. Without it what comes from "
             "now on."},
    note_row{"changes", "limit", "At most so many; 100 by default, up to 1,000."},
    note_row{"changes", "wait_ms",
             "How long to wait for a change where there is none yet; up to 60,000."},
    note_row{"changes", "kinds", "Only these kinds of changes.", enum_names<change_kind>},
    note_row{"changes", "made_by", "Only what these actors did; \"\" is the host."},
    note_row{"changes", "types", "Only of these types of memories.", enum_names<memory_type>},
    note_row{"changes", "owners", "Only of memories of these actors."},
    note_row{"changes", "namespaces", "Only of what was put into these."},
    note_row{"changes", "tags", "Only of memories with all of these tags."},
    note_row{"changes", "hashtags", "Only of memories with all of these hashtags."},
    note_row{"changes", "ids", "Only of these memories (ids or uris), and edges of them."},
    note_row{"changes", "include_uses",
             "Also finds, reinforcements, decay and the like, which change nothing that was said."},
    note_row{"changes", "with_record", "true: each change has the memory as it was then."},
    note_row{"changes", "include_unsynced",
             "Also what a power cut may still take back: relaxed writes of C++ hosts."},
    note_row{"list", "types", "Only these types.", enum_names<memory_type>},
    note_row{"list", "namespace", "Only what was put into it."},
    note_row{"list", "owner", "Only memories of this actor."},
    note_row{"list", "cursor", "`next` of the page before."},
    note_row{"list", "include_tombstoned", "Also what was forgotten."},
    note_row{"list", "include_archived", "Also archived and superseded memories."},
    note_row{"history", "before", "Only versions below this one."},
    note_row{"", "deadline_ms", "Give up after so many milliseconds."},
    note_row{"", "id", "Id of a memory (26 characters)."},
    note_row{"", "uri", "Uri of a memory: mneme://Type/ID#VERSION."},
    note_row{"", "limit", "At most so many results."},
    note_row{"", "offset", "Skip so many results."},
    note_row{"", "budget_tokens", "At most so many tokens of text in the answer."},
    note_row{"", "form", "How long each text is.", forms},
    note_row{"", "explain", "Also say how the answer came about."},
    note_row{"", "vector", "The embedding, where the caller makes its own."},
    note_row{"", "visibility", "Who may see it: private to the actor, scoped, or actor_public.",
             enum_names<visibility>},
    note_row{"", "tags", "Up to 16 tags, to find it again."},
    note_row{"", "importance", "0 (trivial) to 10 (vital); 5 by default."},
    note_row{"", "frames", "What intents it matters to: {verb, kind, ref}."},
    note_row{"", "metadata", "Free keys with text, number, boolean or list values."},
    note_row{"", "lifecycle", "Status, due date, project and the like."},
    note_row{"", "valid_from", "From when it is true."},
    note_row{"", "valid_until", "Until when it is true."},
    note_row{"", "expires_at", "After this it is no longer valid."},
    note_row{"", "confidence", "0 to 1: how sure this is."},
    note_row{"", "provenance", "Where it comes from."},
    note_row{"", "trust",
             "0 to 1: how far this is to be trusted. By default that of its source_class, or 1."},
    note_row{"", "source_class", "Whose word this is: trust is 1, 0.8, 0.6 or 0.3 by default.",
             enum_names<source_class>},
    note_row{"", "stale",
             "false: nothing that rests on what has changed since; true: nothing else."},
    note_row{"update_head", "affirm",
             "Stand by what it says, though what it rests on has changed: it is stale no more."},
    note_row{"", "include_ended",
             "Also what no longer holds: ended by valid_until or expires_at, or superseded."},
    note_row{"", "min_trust",
             "0 to 1: leaves out what is trusted less, by itself or by what it rests on."},
    note_row{"", "created_by", "Who wrote it; the actor by default."},
    note_row{"", "by", "Who does it; the actor by default."},
    note_row{"", "expect_version", "Refuse (version_conflict) if another version is current."},
    note_row{"", "hashtags", "At least 8 assigned hashtags; they fix the point in colour space."},
    note_row{"", "touch", "false: do not reinforce what the answer shows."},
    note_row{"", "at_least",
             "An entry that the answer must have seen: a copy of a log waits for it, until the "
             "deadline (behind then)."},
    note_row{"", "receipt",
             "true: also a receipt of the answer, which replay_receipt asks again. A retrieve then "
             "reinforces nothing."},
    note_row{"absent", "query", "What no memory is to say, in plain words."},
    note_row{"absent", "ids", "Ids that are to be of no memory, each with a proof."},
    note_row{"absent", "fields", "Fields that are to be in no topic: {topic, name}, with proofs."},
    note_row{"absent", "memory_type", "Only memories of this type."},
    note_row{"absent", "project", "Only memories of this project."},
    note_row{"absent", "tag", "Only memories with this tag."},
    note_row{"absent", "source_type", "all (default), memory or content (chunks of documents)."},
    note_row{"absent", "as_of", "By what was valid then."},
    note_row{"absent", "least_match",
             "From which match on (0 to 1) a memory says it; 0.25 by default."},
    note_row{"replay_receipt", "receipt", "The receipt of an earlier answer."},
    note_row{"", "as_of", "Only what was true at this time."},
    note_row{"", "reason", "Why."},

    note_row{"write", "type", "The kind of memory.", enum_names<memory_type>},
    note_row{"write", "data", "The fields of the type."},
    note_row{"write", "id", "Id of the new memory, where the caller makes its own."},
    note_row{"write", "mode", "How its strength in colour space rises and falls.",
             enum_names<memory_mode>},
    note_row{"write", "similar",
             "true: the answer names live memories with the same text, and those much like it."},
    note_row{"write", "forms", "Own short and medium texts instead of the automatic ones."},
    note_row{"update", "data", "The new data, whole: what is left out is gone."},
    note_row{"update", "type", "The memory's type, if it is to be checked.",
             enum_names<memory_type>},
    note_row{"update", "forms", "Own short and medium texts instead of the automatic ones."},
    note_row{"write", "supersedes",
             "Uris of memories that this one takes the place of: they are tombstoned with it."},
    note_row{"update", "replace",
             "{old, new, field?}: instead of data, one span of the text; all else stays."},
    note_row{"forget_matching", "words",
             "What to forget, in plain words: \"everything about the Globex contract\", "
             "\"ana@example.org\", \"that the harbour fee is five\"."},
    note_row{"forget_matching", "types", "Only these types; all but Chunk by default.",
             enum_names<memory_type>},
    note_row{"forget_matching", "tags", "Only memories with all of these tags."},
    note_row{"forget_matching", "limit",
             "Refuse if more than this many match; 1,000 by default. Nothing is cut off."},
    note_row{"forget_matching", "dry_run", "true: only show what would be forgotten, and why."},
    note_row{"forget_matching", "cause", "What kind of end it is.", tombstone_causes},
    note_row{"forget_matching", "vector", "The words' vector, where the world has no embedder."},
    note_row{"forget_matching", "now", "The time to weigh by; now by default."},
    note_row{"supersede_matching", "write", "The new memory: {type, data, …} as write takes it."},
    note_row{"supersede_matching", "words",
             "What it replaces, in plain words; without them what says the old of the same."},
    note_row{"supersede_matching", "types", "Only these types; all but Chunk by default.",
             enum_names<memory_type>},
    note_row{"supersede_matching", "tags", "Only memories with all of these tags."},
    note_row{"supersede_matching", "limit",
             "Refuse if more than this many match; 1,000 by default. Nothing is cut off."},
    note_row{"supersede_matching", "dry_run", "true: only show what would be replaced, and why."},
    note_row{"supersede_matching", "vector", "The words' vector, where the world has no embedder."},
    note_row{"supersede_matching", "now", "The time to weigh by; now by default."},
    note_row{"tombstone", "cause", "What kind of end it is.", tombstone_causes},
    note_row{"tombstone", "superseded_by", "Id of the memory that takes its place."},
    note_row{"restore", "id", "Id or uri of the memory that comes back."},
    note_row{"restore", "uri", "The same: any of its versions names it."},
    note_row{"add_edge", "src", "Id of the memory that the edge leaves."},
    note_row{"add_edge", "dst", "Id of the memory that the edge goes to."},
    note_row{"add_edge", "type", "What the first is to the second.", enum_names<edge_type>},
    note_row{"add_edge", "weight", "Strength of the link; 1 by default."},
    note_row{"add_edge", "kind", "A word of your own for the link."},
    note_row{"add_edge", "data", "Opaque bytes, as base64."},
    note_row{
        "ingest", "placement",
        "new_topic (needs a title), extend_topic (more fields or links), or version_field (the "
        "next value of one field).",
        [] { return of({"new_topic", "extend_topic", "version_field"}); }},
    note_row{"ingest", "topic_id", "Id of the topic to extend."},
    note_row{"ingest", "title", "Title of the topic."},
    note_row{"ingest", "summary", "What the topic is, in a sentence or two."},
    note_row{"ingest", "topic_kind", "person, place, project or any other word."},
    note_row{"ingest", "salience", "How much the topic matters; 1 by default."},
    note_row{
        "ingest", "fields",
        "Named values, each with its own history: {\"city\": \"Porto\"}, or "
        "{\"city\": {\"value\": \"Porto\", …}} to say more of it. null is the same as not given."},
    note_row{"ingest", "links", "Edges to other topics: [{topic_id, type, kind}]."},
    note_row{"get", "raw", "Also the canonical bytes of the head."},
    note_row{"get", "history", "Of a topic: also the earlier values of its fields."},
    note_row{"get", "history_limit", "At most so many earlier values of a field; 500 by default."},
    note_row{"get", "events", "Of a topic: also its audit log."},
    note_row{"resolve", "uri", "Exactly this version."},
    note_row{"stale_of", "id", "Id of the memory that has fallen."},
    note_row{"edges", "direction", "Which edges.", [] { return of({"out", "in", "both"}); }},

    note_row{"find", "types", "Only these types.", enum_names<memory_type>},
    note_row{"find", "tags", "Only memories with all of these tags."},
    note_row{"find", "where",
             "A test on fields, an object with one key: {\"has_tag\":\"tea\"}, "
             "{\"eq\":[\"data.status\",\"active\"]}, ne, gt, gte, lt, lte, in, matches, and, or, "
             "not. Fields: data.*, head.*, version.*, meta.*."},
    note_row{"find", "order_by",
             "[{field, dir}] with salience, version.created_at, head.last_updated_at, "
             "head.declared_importance, head.created_at, head.id, near.distance or hop."},
    note_row{"find", "near", "Nearest in meaning to this text."},
    note_row{"find", "near_uri", "Nearest in meaning to this memory."},
    note_row{"find", "near_vector", "Nearest to this vector."},
    note_row{"find", "near_k", "How many nearest to keep; with a budget alone as many as fit."},
    note_row{"find", "rank", "Order of what near finds.",
             [] { return of({"salience", "distance"}); }},
    note_row{"find", "from", "Walk along edges from this memory (id or uri)."},
    note_row{"find", "follow", "How to walk: edge types, direction, min_hops, max_hops (up to 6)."},
    note_row{"find", "include_tombstoned", "Also what was forgotten."},
    note_row{"find", "include_archived", "Also archived memories."},
    note_row{"find", "late_binding", "Reinforce what is found; journaled."},
    note_row{"find", "exact", "Never an approximate near."},
    note_row{"find", "select", "Only these members of each memory; all by default.",
             memory_members},
    note_row{"list", "select", "Only these members of each memory; all by default.",
             memory_members},
    note_row{"find", "count", "Also say how many there are in all."},

    note_row{"retrieve", "q", "The question, in plain words."},
    note_row{"retrieve", "query", "The same as q."},
    note_row{"find", "query", "The same as near."},
    note_row{"update", "id", "The memory, as it is now; instead of uri."},
    note_row{"update_head", "id", "The memory, as it is now; instead of uri."},
    note_row{"tombstone", "id", "The memory, as it is now; instead of uri."},
    note_row{"retrieve", "stages", "Which parts to run; all by default.",
             [] { return of({"semantic", "structural", "temporal"}); }},
    note_row{"retrieve", "explain", "true: also the earlier values of every field."},
    note_row{"retrieve", "top_k", "How many topics; 5 by default."},
    note_row{"retrieve", "topic_ids", "These topics instead of the nearest ones."},
    note_row{"retrieve", "field_names", "Only these fields."},
    note_row{"retrieve", "expand_refs", "Also the topics that fields refer to."},
    note_row{"retrieve", "history_limit", "At most so many earlier values of a field."},

    note_row{"chroma", "text", "Plain words; the hashtags that they name are used."},
    note_row{"chroma", "k", "How many results."},
    note_row{"chroma", "max_distance", "Nothing farther than this in colour space."},
    note_row{"chroma", "temporal_range", "[start or null, end or null] of the creation time."},
    note_row{"chroma", "metadata_filters",
             "{key: value}, {key: [values]} or {key: {\"$gte\": n}}."},
    note_row{"chroma", "include_rotten", "Also what decay has let rot."},
    note_row{"chroma", "score_weights", "{relevance, recency, strength}."},
    note_row{"chroma", "profile", "How text is read.",
             [] { return of({"default", "knowledge_patch"}); }},
    note_row{"chroma", "approximate", "Allow a faster, inexact ranking."},

    note_row{"search", "query", "What you look for, in plain words."},
    note_row{"search", "limit", "At most so many results; 10 by default."},
    note_row{"search", "source_type",
             "all (default), memory (what was remembered) or content (ingested documents).",
             [] { return of({"all", "memory", "content"}); }},
    note_row{"search", "memory_ids", "Look these ids up directly instead of searching."},
    note_row{"search", "include_lineage",
             "With memory_ids: what a decision replaced, and what replaced it."},
    note_row{"search", "memory_type", "Only memories of this type.", search_types},
    note_row{"search", "project", "Only memories of this project."},
    note_row{"search", "status", "Only memories of this status.", search_statuses},
    note_row{"search", "due_after", "Due at this time or later."},
    note_row{"search", "due_before", "Due at this time or earlier."},
    note_row{"search", "source", "How the memory came about.", enum_names<lifecycle_origin>},
    note_row{"search", "tag", "Only memories with this tag."},
    note_row{"search", "sort",
             "auto (default): newer ones first where the query asks for what is newest.",
             [] { return of({"auto", "relevance", "recency", "hybrid", "updated"}); }},
    note_row{"search", "include_archived", "Also archived and superseded memories."},
    note_row{"search", "include_overviews",
             "Also topics that tell of an import alone (tag import:overview)."},
    note_row{"search", "include_siblings", "Only echoed.",
             [] { return of({"auto", "always", "never"}); }},
    note_row{"search", "atomic_only", "Only memories marked atomic."},
    note_row{"search", "audience", "Only memories for this audience.",
             [] { return of({"personal", "work", "all"}); }},
    note_row{"search", "include_metadata", "Also how the search was weighed."},
    note_row{"search", "source_filter", "Only documents whose path contains this."},
    note_row{"search", "content_source_type", "Only documents from here.",
             [] { return of({"github", "local"}); }},
    note_row{"search", "include_low_relevance", "Also documents that hardly match."},
    note_row{"search", "similarity_floor",
             "Drop what scores less (0 to 1) and is far from the best; 0.1 by default, 0 drops "
             "nothing."},
    note_row{"set_weights", "weights",
             "Some weights of the parts of a score, as \"dates=0,neighbours=0.2\", from now on."},
    note_row{"set_weights", "reset", "true: back to those that the world was made with, first."},
    note_row{"erase", "ids", "Ids or uris of memories."},
    note_row{"erase", "owned_by", "Every memory of this actor."},
    note_row{"erase", "source", "Every chunk of the source of this path."},
    note_row{"erase", "field",
             "Of the one topic that ids names only this field, with its history."},
    note_row{"erase", "with_derived", "Also whatever rests on one of them, however far."},
    note_row{"erase", "with_branches", "The same in every branch that notes lead to."},
    note_row{"erase", "reason", "Why. It stays in the journal: nothing of what is erased."},
    note_row{"erase", "by", "Who wants it. It stays in the journal."},
    note_row{"erase", "dry_run", "true: only say what would go."},
    note_row{"trim", "before",
             "The first entry whose reads stay what they were. All so far goes otherwise."},
    note_row{"trim", "before_time",
             "In place of that: the first entry that was made then or later."},
    note_row{"trim", "versions",
             "true: also what memories said before that and have said otherwise since."},
    note_row{"trim", "reason", "Why. It stays in the journal."},
    note_row{"trim", "by", "Who wants it. It stays in the journal."},
    note_row{"trim", "dry_run", "true: only say what would go."},
    note_row{"search", "weights",
             "Other weights of the parts of a score, as \"dates=0,neighbours=0.2\"."},
    note_row{"find", "now", "The time to weigh by, and by which things end; now by default."},
    note_row{"search", "now", "The time to weigh by, and by which things end; now by default."},

    note_row{"context", "verb", "What you are about to do.", enum_names<verb>},
    note_row{"context", "objects",
             "What with: {service|model|agent|knowledge|intent|asset|plan|capability: name}."},
    note_row{"context", "query",
             "The question or the task, in words: what is known of it comes too."},
    note_row{"context", "vector", "The query's vector, where the world has no embedder."},
    note_row{"context", "include_tiers", "Only these parts.",
             [] { return of({"pinned", "outcomes", "frame_relevant", "found", "notable"}); }},
    note_row{"context", "outcome_limit", "How many past outcomes; 3 by default."},
    note_row{"context", "now", "The time to weigh by; now by default."},
    note_row{"attest", "intent_id", "Name of what was attempted, of your choice."},
    note_row{"attest", "outcome", "How it ended.", [] { return of({"success", "failure"}); }},
    note_row{"attest", "reason",
             "Why; factual_error and wrong_assumption count against what was "
             "cited."},
    note_row{"attest", "cited", "Uris of the memories that it rested on."},
    note_row{"promote", "chunk", "Id of the document chunk."},
    note_row{"promote", "memory", "Id of the memory that was made of it."},
    note_row{"prove", "ids", "Ids of the memories to prove present or absent."},
    note_row{"prove", "edges", "Edges to prove: {src, type, dst}."},
    note_row{"prove", "fields", "Fields of topics to prove: {topic, name}."},
    note_row{"prove", "seqs", "Entries of the journal to prove."},
    note_row{"prove", "root", "Against this root (hex); the current one by default."},
};

/// The fields that each type has: required ones first, "?" behind the others, and what may be said
/// where that is one of few.
std::string fields_of_types() {
  std::string text;
  for (std::uint8_t byte = 1; byte <= memory_type_count; ++byte) {
    const auto type = static_cast<memory_type>(byte);
    text += " " + std::string(to_string(type)) + ":";
    for (const bool required : {true, false})
      for (const auto& field : fields_of(type))
        if (field.required == required)
          text += fmt::format(" {}{}{}{}", field.name, field.names.empty() ? "" : "=",
                              fmt::join(field.names, "|"), required ? "" : "?");
    text += ".";
  }
  return text;
}

} // namespace

key_note note_of(std::string_view op, std::string_view key) {
  const note_row* found = nullptr;
  for (const auto& row : note_rows) {
    if (row.key != key || (!row.op.empty() && row.op != op)) continue;
    if (found == nullptr || !row.op.empty()) found = &row;
  }
  if (found == nullptr) return {};
  std::string text(found->text);
  if ((found->op == "write" || found->op == "put") && key == "data") text += fields_of_types();
  return {std::move(text), found->admits == nullptr ? names{} : found->admits()};
}

} // namespace mneme::server
