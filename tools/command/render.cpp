#include "tools/command/render.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "tools/command/console.hpp"
#include "tools/command/text_table.hpp"

namespace mneme::command {

namespace {

using protocol::json;

/// Scalars bare, the rest as compact JSON; null and empty lists as nothing.
std::string cell(const json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return value.get<std::string>();
  if (value.is_array() && value.empty()) return {};
  if (value.is_object() && value.empty()) return {};
  return protocol::print(value);
}

std::string words(const json& list) {
  if (list.is_null()) return {};
  return fmt::format("{}", fmt::join(list.get<std::vector<std::string>>(), " "));
}

std::string number(const json& list, std::size_t i) {
  return i < list.size() ? fmt::format("{:.4f}", list[i].get<double>()) : "";
}

/// `name  value` lines of an object; nested objects with their path as name.
void add_pairs(text_table& table, const json& object, const std::string& prefix) {
  for (const auto& [key, value] : object.items()) {
    if (value.is_object() && !value.empty())
      add_pairs(table, value, prefix + key + ".");
    else if (const auto text = cell(value); !text.empty())
      table.add({prefix + key, text});
  }
}

std::string render_pairs(const json& object, const page& on) {
  text_table table({"", ""});
  add_pairs(table, object, "");
  const std::string text = table.text(on.width, false);
  return text.substr(text.find('\n') + 1); // there are no titles
}

std::string render_plan(const json& plan, const page& on) {
  text_table table({"stage", "in", "out", "ms", "detail"});
  for (const auto& s : plan["stages"])
    table.add({cell(s["name"]), cell(s["in"]), cell(s["out"]),
               fmt::format("{:.3f}", static_cast<double>(s["time_ns"].get<std::int64_t>()) / 1e6),
               cell(s["detail"])});
  const std::string predicate = cell(plan["predicate"]);
  return fmt::format("\ndriver {}{}{}\n{}", cell(plan["driver"]),
                     predicate.empty() ? "" : ", where ", printable(predicate),
                     table.text(on.width, on.colour));
}

std::string find_footer(const json& answer) {
  const std::size_t count = answer["memories"].size();
  std::string text = fmt::format("{} {}", count, count == 1 ? "memory" : "memories");
  if (answer.contains("total")) text += fmt::format(" of {}", cell(answer["total"]));
  if (answer["trimmed_by_budget"] != 0)
    text += fmt::format(", {} more over the budget", cell(answer["trimmed_by_budget"]));
  text += fmt::format(", at seq {}", cell(answer["at_seq"]));
  if (answer.contains("near_mode")) text += fmt::format(", near {}", cell(answer["near_mode"]));
  if (answer.contains("truncated")) text += ", the walk was cut short (follow.max_visited)";
  return text + "\n";
}

/// And how far it can be relied on, where that is less than whole.
std::string with_standing(std::string kind, const json& row) {
  const auto add = [&](const std::string& what) { kind += (kind.empty() ? "" : ", ") + what; };
  if (row.contains("trust") && row["trust"].get<double>() < 1)
    add(fmt::format("trust {:.2f}", row["trust"].get<double>()));
  if (row.contains("stale")) add("stale");
  if (row.contains("lineage_truncated")) add("of a part of its lineage");
  return kind;
}

/// That it no longer holds, or says what something newer does.
std::string past_of(const json& row) {
  std::string told;
  for (const char* mark : {"ended", "superseded"})
    if (row.contains(mark)) told += (told.empty() ? "" : ", ") + std::string(mark);
  if (row.contains("older_of") && row["older_of"].is_string())
    told += told.empty() ? "older" : ", older";
  return told;
}

/// What of a row is said before its text: that it is gone, and how far it can be relied on.
std::string noted_text(const json& row, std::string text) {
  const std::string noted = with_standing(past_of(row), row);
  if (!noted.empty()) text = fmt::format("({}) {}", noted, text);
  // What was superseded is marked so where it was by the time that is asked for.
  if (row.contains("tombstone") && !row["tombstone"].is_null()
      && row["tombstone"].value("cause", "") != "superseded")
    text = "(tombstoned) " + text;
  return text;
}

/// The first `size` bytes of a time, as people write it.
std::string moment_of(std::string time, std::size_t size) {
  if (time.size() > size) time.resize(size);
  std::ranges::replace(time, 'T', ' ');
  return time;
}
/// YYYY-MM-DD hh:mm of a time as answers have it.
std::string minute_of(std::string time) {
  constexpr std::size_t size = 16; // 2024-01-31T10:00
  return moment_of(std::move(time), size);
}
std::string second_of(std::string time) {
  constexpr std::size_t size = 19;
  return moment_of(std::move(time), size);
}

/// Of a memory as the request selected its members: null where it left that one out.
const json& member_of(const json& memory, std::string_view name) {
  static const json none;
  const auto found = memory.find(name);
  return found == memory.end() ? none : *found;
}
std::string text_of(const json& memory) {
  const json& forms = member_of(memory, "forms");
  return forms.is_null() ? std::string() : cell(forms["medium"]);
}

std::string render_find(const json& answer, const page& on) {
  text_table table({"score", "distance", "hops", "when", "memory", "actor", "tags", "text"});
  const json& memories = answer["memories"];
  const json& rendered = answer["rendered"];
  for (std::size_t i = 0; i < memories.size(); ++i) {
    const json& m = memories[i];
    std::string text = i < rendered.size() ? cell(rendered[i]) : text_of(m);
    if (m.contains("told")) text += cell(m["told"]);
    table.add({number(answer["scores"], i), number(answer["distances"], i),
               i < answer["hops"].size() ? cell(answer["hops"][i]) : "",
               minute_of(cell(member_of(m, "created_at"))), cell(member_of(m, "uri")),
               cell(member_of(m, "actor_scope")), words(member_of(m, "tags")),
               noted_text(m, std::move(text))});
  }
  std::string out = table.text(on.width, on.colour) + find_footer(answer);
  if (answer.contains("plan")) out += render_plan(answer["plan"], on);
  return out;
}

std::string decimal(const json& value, int digits) {
  return fmt::format("{:.{}f}", value.get<double>(), digits);
}

std::string colour_state(const json& row) {
  std::string state = past_of(row);
  for (const char* mark : {"ascended", "rotten"})
    if (row[mark] == true) state += (state.empty() ? "" : ", ") + std::string(mark);
  return state;
}

std::string render_chroma(const json& answer, const page& on) {
  text_table table(
      {"score", "distance", "recency", "strength", "access", "state", "memory", "actor", "text"});
  for (const auto& r : answer["results"])
    table.add({decimal(r["score"], 4), decimal(r["distance"], 2), decimal(r["recency"], 3),
               decimal(r["strength_raw"], 3), cell(r["access_count"]), colour_state(r),
               cell(r["uri"]), cell(r["actor_scope"]), cell(r["label"])});
  const json& p = answer["point"];
  const std::size_t count = answer["results"].size();
  return table.text(on.width, on.colour)
         + fmt::format("{} {} around L {} a {} b {} ({}), at seq {}{}\n", count,
                       count == 1 ? "memory" : "memories", decimal(p["L"], 2), decimal(p["a"], 2),
                       decimal(p["b"], 2), cell(p["node_id"]), cell(answer["at_seq"]),
                       answer.contains("seq")
                           ? fmt::format(", reinforced at seq {}", cell(answer["seq"]))
                           : "");
}

std::string render_tags(const json& tags, const page& on) {
  text_table table({"tag", "anchor", "zone"});
  for (const auto& t : tags) table.add({cell(t["tag"]), cell(t["anchor"]), cell(t["zone"])});
  return table.text(on.width, on.colour)
         + fmt::format("{} {}\n", tags.size(), tags.size() == 1 ? "tag" : "tags");
}

std::string render_weights(const json& answer) {
  std::string text = cell(answer["weights"]) + "\n";
  if (!answer.contains("since")) return text + "as the world was made\n";
  const std::string by = cell(answer["set_by"]);
  return text
         + fmt::format("{} at seq {}, {}{}\n",
                       answer.contains("reset") ? "as the world was made, again" : "set",
                       cell(answer["since"]), cell(answer["set_at"]),
                       by.empty() ? "" : ", by " + by);
}

/// `titles`: of the ends, by their ids, as far as they are known.
std::string render_edges(const json& edges, const json& titles, const page& on) {
  text_table table(
      {"src", "type", "dst", "weight", "kind", "from", "to", "by", "created", "state"});
  constexpr std::size_t widest_title = 24;
  const auto title = [&](const json& id) {
    const auto found = titles.find(id.get<std::string>());
    return found == titles.end() ? "" : cut_to_width(printable(cell(*found)), widest_title);
  };
  for (const auto& e : edges)
    table.add({cell(e["src"]), cell(e["type"]), cell(e["dst"]), cell(e["weight"]), cell(e["kind"]),
               title(e["src"]), title(e["dst"]), cell(e["created_by"]),
               minute_of(cell(e["created_at"])),
               e["tombstoned"] == true ? "tombstoned " + cell(e["tombstoned_reason"]) : ""});
  return table.text(on.width, on.colour)
         + fmt::format("{} {}\n", edges.size(), edges.size() == 1 ? "edge" : "edges");
}

std::string render_list(const json& answer, const page& on) {
  text_table table({"created", "memory", "actor", "key", "text"});
  for (const auto& m : answer["memories"]) {
    table.add({minute_of(cell(member_of(m, "created_at"))), cell(member_of(m, "uri")),
               cell(member_of(m, "actor_scope")),
               m.contains("key") ? cell(member_of(m, "namespace")) + " " + cell(m["key"]) : "",
               noted_text(m, text_of(m))});
  }
  const std::size_t count = answer["memories"].size();
  std::string out = table.text(on.width, on.colour)
                    + fmt::format("{} {}", count, count == 1 ? "memory" : "memories");
  if (!answer["next"].is_null()) out += ", more: --cursor " + cell(answer["next"]);
  return out + "\n";
}

/// What a version without a change says of the one before it.
const char* unchanged_text(const json& versions, const json& version) {
  if (version["version"] == 1) return "written";
  const bool is_behind_trimmed = std::ranges::any_of(versions, [&](const json& other) {
    return other.contains("trimmed") && other["version"] == version["version"].get<int>() - 1;
  });
  return is_behind_trimmed ? "not known: the one before is trimmed" : "the same again";
}

std::string render_history(const json& answer, const page& on) {
  text_table table({"version", "written", "by", "field", "before", "after"});
  for (const auto& v : answer["versions"]) {
    if (v.contains("trimmed")) {
      table.add({cell(v["version"]), "", "", "", "", "trimmed"});
      continue;
    }
    std::vector<std::string> row{cell(v["version"]), second_of(cell(v["created_at"])),
                                 cell(v["created_by"])};
    if (v["changes"].empty())
      table.add({row[0], row[1], row[2], "", "", unchanged_text(answer["versions"], v)});
    for (const auto& c : v["changes"]) {
      table.add({row[0], row[1], row[2], cell(c["field"]),
                 c.contains("before") ? cell(c["before"]) : "",
                 c.contains("after") ? cell(c["after"]) : ""});
      row = {"", "", ""};
    }
  }
  return table.text(on.width, on.colour);
}

std::string render_counts(const json& counts, const char* kind, const page& on) {
  text_table table({kind, "memories"});
  for (const auto& c : counts) table.add({cell(c[kind]), cell(c["memories"])});
  return table.text(on.width, on.colour);
}

std::string render_changes(const json& answer) {
  std::string text;
  for (const auto& c : answer["changes"]) text += printable(change_text(c)) + "\n";
  return text
         + (answer["more"] == true ? fmt::format("more behind --since {}\n", cell(answer["next"]))
                                   : "");
}

std::string render_stale(const json& memories, const page& on) {
  text_table table({"memory", "text"});
  for (const auto& m : memories) table.add({cell(m["uri"]), cell(m["forms"]["medium"])});
  return table.text(on.width, on.colour)
         + fmt::format("{} stale {}\n", memories.size(),
                       memories.size() == 1 ? "memory" : "memories");
}

/// One line a value: the current one, and what the history has besides.
void add_field_rows(text_table& table, const std::string& topic, const json& fields) {
  for (const auto& f : fields) {
    const auto add = [&](const json& r, const char* state) {
      table.add({topic, cell(f["name"]), cell(r["value"]), cell(r["valid_from"]),
                 cell(r["valid_until"]), cell(r["revision"]), state});
    };
    if (!f["current"].is_null()) add(f["current"], "current");
    for (const auto& r : f["history"])
      if (r != f["current"]) add(r, r.contains("merged_from") ? "merged" : "");
  }
}

void add_erased_rows(text_table& table, const std::string& topic, const json& fields) {
  for (const auto& f : fields)
    table.add({topic, cell(f["name"]), "", cell(f["erased_at"]), "", "",
               "erased by " + cell(f["by"]) + ": " + cell(f["reason"])});
}

text_table field_table() {
  return text_table({"topic", "field", "value", "valid from", "valid until", "revision", ""});
}

std::string render_events(const json& events, const page& on) {
  text_table table({"at", "event", "detail"});
  for (const auto& e : events) table.add({cell(e["ts"]), cell(e["kind"]), cell(e["detail"])});
  return "\n" + table.text(on.width, on.colour);
}

std::string render_memory(const json& answer, const page& on) {
  const json& m = answer["memory"];
  text_table table({"", ""});
  table.add({"uri", cell(m["uri"])});
  if (m["current_version"] != m["version"]["version"])
    table.add({"current version", cell(m["current_version"])});
  for (const char* key : {"namespace", "key"})
    if (m.contains(key)) table.add({key, cell(m[key])});
  for (const char* key : {"actor_scope", "visibility", "declared_importance"})
    table.add({key, cell(m[key])});
  if (!m["tags"].empty()) table.add({"tags", words(m["tags"])});
  for (const auto& [key, value] : m["version"]["data"].items())
    table.add({"data." + key, cell(value)});
  for (const char* key : {"metadata", "lifecycle", "colour", "tombstone"})
    if (m[key].is_object()) add_pairs(table, m[key], std::string(key) + ".");
  if (m["version"].contains("payload")) table.add({"payload", cell(m["version"]["payload"])});
  for (const auto& f : m["frames"])
    table.add({"frame", fmt::format("{} {} {}", cell(f["verb"]), cell(f["kind"]), cell(f["ref"]))});
  for (const char* key : {"created_at", "created_by", "valid_from", "valid_until", "expires_at",
                          "confidence", "hash"})
    if (const auto text = cell(m["version"][key]); !text.empty()) table.add({key, text});
  for (const char* key : {"trust", "source_class", "stale", "lineage_truncated"})
    if (m.contains(key)) table.add({key, cell(m[key])});
  table.add({"short", cell(m["forms"]["short"])});
  if (m["activation"].contains("topic_salience"))
    table.add({"topic_salience", cell(m["activation"]["topic_salience"])});
  if (answer.contains("raw")) table.add({"raw head", cell(answer["raw"])});
  std::string text = table.text(on.width, false);
  text = text.substr(text.find('\n') + 1);
  const bool has_erased = m.contains("erased_fields");
  if (has_erased || (m.contains("fields") && !m["fields"].empty())) {
    text_table fields = field_table();
    add_field_rows(fields, cell(m["version"]["data"]["title"]), m["fields"]);
    if (has_erased)
      add_erased_rows(fields, cell(m["version"]["data"]["title"]), m["erased_fields"]);
    text += "\n" + fields.text(on.width, on.colour);
  }
  if (m.contains("events")) text += render_events(m["events"], on);
  return text;
}

std::string render_retrieve(const json& answer, const page& on) {
  const json& candidates = answer["candidates"];
  text_table topics({"topic", "title", "kind", "standing", "salience", "similarity", "summary"});
  text_table fields = field_table();
  text_table neighbours({"topic", "neighbour", "title", "kind", "direction"});
  bool has_fields = false;
  bool has_neighbours = false;
  for (const auto& c : candidates) {
    topics.add(
        {cell(c["topic_id"]), cell(c["title"]), cell(c["topic_kind"]), with_standing(past_of(c), c),
         cell(c["salience"]),
         c.contains("similarity") ? fmt::format("{:.4f}", c["similarity"].get<double>()) : "",
         cell(c["summary"])});
    if (c.contains("fields") && !c["fields"].empty()) {
      has_fields = true;
      add_field_rows(fields, cell(c["title"]), c["fields"]);
    }
    if (c.contains("erased_fields")) {
      has_fields = true;
      add_erased_rows(fields, cell(c["title"]), c["erased_fields"]);
    }
    if (!c.contains("neighbors")) continue;
    for (const auto& n : c["neighbors"]) {
      has_neighbours = true;
      neighbours.add({cell(c["title"]), cell(n["id"]), cell(n["title"]), cell(n["kind"]),
                      cell(n["direction"])});
    }
  }
  std::string text = topics.text(on.width, on.colour);
  if (has_fields) text += "\n" + fields.text(on.width, on.colour);
  if (has_neighbours) text += "\n" + neighbours.text(on.width, on.colour);
  return text
         + fmt::format("{} {}, at seq {}\n", candidates.size(),
                       candidates.size() == 1 ? "topic" : "topics", cell(answer["at_seq"]));
}

/// What a request about several topics did, one topic or pair a line.
std::string render_lines(const json& items, const char* nothing) {
  if (items.empty()) return std::string(nothing) + "\n";
  std::string text;
  for (const auto& item : items)
    text += item.is_string()
                ? cell(item) + "\n"
                : fmt::format("{} has {} now\n", cell(item["keeper"]), cell(item["loser"]));
  return text;
}

/// Who said a memory, where its metadata say so.
std::string speaker_of(const json& hit) {
  const auto& metadata = hit["metadata"];
  return metadata.is_object() && metadata.contains("speaker") ? cell(metadata["speaker"]) : "";
}

/// What kind of memory it is, and of a topic by which field it was found.
std::string kind_of(const json& hit) {
  std::string kind = cell(hit["memory_type"]);
  if (hit.contains("field")) kind += ", " + cell(hit["field"]);
  if (hit["ended"] == true) kind += ", ended";
  if (hit.value("superseded", false)) kind += ", superseded";
  if (hit["older_of"].is_string()) kind += ", older";
  return with_standing(kind, hit);
}

std::string parts_of(const json& hit) {
  std::string text = fmt::format("{}  match {:.2f}", cell(hit["id"]), hit["match"].get<double>());
  for (const char* part : {"vector", "text", "neighbours", "answers", "dates", "speakers"})
    if (const double value = hit["parts"][part].get<double>(); value != 0)
      text += fmt::format(", {} {:.3f}", part, value);
  return text + "\n";
}

/// In the form that was asked for, else the words that were searched.
std::string shown_of(const json& hit, const word_marks& marks) {
  const bool is_rendered = hit.contains("rendered") && hit["rendered"].is_string();
  return marks.excerpt(cell(hit[is_rendered ? "rendered" : "content"]));
}

/// Is it a note that says why nothing is there?
bool tells_of_nothing(std::string_view note) {
  return note.starts_with("no good match") || note.starts_with("the query has no words");
}

std::string render_search(const json& answer, const page& on) {
  const word_marks marks(cell(answer["query"]));
  text_table table({"score", "what", "when", "who", "id", "text"});
  table.mark(marks);
  for (const auto& hit : answer["results"]) {
    const bool is_chunk = hit["source_type"] == "content_chunk";
    table.add({fmt::format("{:.3f}", hit["score"].get<double>()),
               is_chunk ? fmt::format("{}#{}", cell(hit["path"]), cell(hit["chunk_index"]))
                        : kind_of(hit),
               is_chunk ? "" : minute_of(cell(hit["created_at"])), speaker_of(hit), cell(hit["id"]),
               shown_of(hit, marks)});
  }
  std::string text = table.text(on.width, on.colour);
  for (const char* leg : {"memory", "content"}) {
    const json& c = answer["coverage"][leg];
    text += fmt::format("{}: {} searched, {} candidates, {} below the floor, {} cut, {} returned\n",
                        leg, cell(c["searched"]), cell(c["candidates"]), cell(c["below_floor"]),
                        cell(c["cut"]), cell(c["returned"]));
    if (c["ended"] != 0)
      text += fmt::format("{}: {} ended, found with include_ended\n", leg, cell(c["ended"]));
    if (c["distrusted"] != 0)
      text += fmt::format("{}: {} trusted less than min_trust\n", leg, cell(c["distrusted"]));
    if (c.value("superseded", 0) != 0)
      text +=
          fmt::format("{}: {} superseded, found with include_ended\n", leg, cell(c["superseded"]));
    if (c.value("overviews", 0) != 0)
      text += fmt::format("{}: {} of imports, found with include_overviews\n", leg,
                          cell(c["overviews"]));
  }
  for (const auto& hit : answer["results"])
    if (hit.contains("parts")) text += parts_of(hit);
  for (const auto& note : answer["coverage"]["notes"])
    if (const auto said = cell(note); tells_of_nothing(said)) text += said + "\n";
  for (const auto& id : answer["coverage"]["not_found_ids"])
    text += fmt::format("not found: {}\n", cell(id));
  for (const auto& source : answer["coverage"]["requested_sources_not_found"])
    text += fmt::format("no indexed path contains \"{}\"\n", printable(cell(source)));
  return text;
}

std::string render_journal(const json& answer, const page& on) {
  text_table table({"seq", "kind", "created", "by", "leaves", "payload", "memory", "text"});
  for (const auto& e : answer["entries"]) {
    const json memory = e.value("memory", json::object());
    table.add({cell(e["seq"]), cell(e["kind"]), second_of(cell(e["created_at"])),
               cell(e["created_by"]), fmt::format("{}", e["leaves"].size()),
               cell(e["payload_hash"]).substr(0, 16), memory.value("uri", ""),
               memory.value("text", "")});
  }
  std::string text = table.text(on.width, on.colour);
  if (!answer["next"].is_null()) text += fmt::format("more from seq {}\n", cell(answer["next"]));
  return text;
}

std::string render_proofs(const json& answer, const page& on) {
  text_table table({"namespace", "key", "is", "value", "siblings"});
  for (const auto& p : answer["proofs"]) {
    const bool is_entry = p["namespace"] == "journal";
    table.add({cell(p["namespace"]), is_entry ? "seq " + cell(p["seq"]) : cell(p["key"]),
               is_entry || p["present"] == true ? "present" : "absent",
               p.contains("value_hash") ? cell(p["value_hash"]) : "",
               fmt::format("{}", p["siblings"].size())});
  }
  return fmt::format("root {} at seq {}\n", cell(answer["root"]), cell(answer["seq"]))
         + table.text(on.width, on.colour) + "the whole proof: --json\n";
}

void add_tier(text_table& table, const json& items, const char* tier) {
  for (const auto& i : items)
    table.add({tier, fmt::format("{:.4f}", i["salience"].get<double>()), cell(i["tokens"]),
               second_of(cell(i["at"])), cell(i["uri"]), noted_text(i, cell(i["text"]))});
}

std::string render_context(const json& answer, const page& on) {
  text_table table({"tier", "salience", "tokens", "when", "memory", "text"});
  const json& tiers = answer["tiers"];
  add_tier(table, tiers["pinned"], "pinned");
  add_tier(table, tiers["outcomes"], "outcome");
  add_tier(table, tiers["frame_relevant"], "frame");
  add_tier(table, tiers["found"], "found");
  add_tier(table, tiers["notable"], "notable");
  std::string text =
      table.text(on.width, on.colour)
      + fmt::format("{} of {} tokens", cell(answer["tokens"]), cell(answer["budget_tokens"]));
  if (const auto more = answer["more"].get<std::int64_t>(); more > 0)
    text += fmt::format(", {} more did not fit (--json names the best; search finds all)", more);
  text += "\n";
  if (answer.contains("note")) text += cell(answer["note"]) + "\n";
  return text;
}

std::string render_compact(const json& answer, const page& on) {
  text_table table({"", "salience", "tokens", "memory", "text"});
  const auto add = [&](const json& items, const char* what, const char* text) {
    for (const auto& i : items)
      table.add({what, fmt::format("{:.4f}", i["salience"].get<double>()), cell(i["tokens"]),
                 cell(i["uri"]), cell(i[text])});
  };
  add(answer["kept"], "kept", "text");
  add(answer["compacted"], "short", "short");
  std::string text =
      table.text(on.width, on.colour)
      + fmt::format("{} tokens, seq {}", cell(answer["tokens"]), cell(answer["seq"]));
  if (const auto skipped = answer["skipped"].size(); skipped > 0)
    text += fmt::format(", {} skipped", skipped);
  return text + "\n";
}

/// One line per item; what failed says why.
std::string render_tick(const json& answer, const page& on) {
  text_table table({"", "#", "ok", "answer"});
  for (const char* list : {"reads", "writes"})
    for (std::size_t i = 0; i < answer[list].size(); ++i) {
      const json& item = answer[list][i];
      const bool ok = item["ok"] == true;
      const json& said = ok ? item : item["error"];
      table.add({list, fmt::format("{}", i), ok ? "yes" : "no",
                 ok ? cell(said) : cell(said["code"]) + ": " + cell(said["message"])});
    }
  return table.text(on.width, on.colour) + fmt::format("seq {}\n", cell(answer["seq"]));
}

std::string render_absence(const json& answer, const page& on) {
  std::string text = answer["absent"] == true ? "absent" : "there";
  text += fmt::format(" at seq {}, under the root {}\n", cell(answer["seq"]), cell(answer["root"]));
  for (const char* key : {"ids", "fields"})
    if (answer.contains(key))
      for (const auto& item : answer[key])
        text += fmt::format("{}{}: {}{}\n", cell(item[item.contains("id") ? "id" : "topic"]),
                            item.contains("name") ? " " + cell(item["name"]) : "",
                            item["present"] == true ? "there" : "absent, with a proof",
                            item.contains("erased") ? "; " + cell(item["erased"]) : "");
  if (!answer.contains("searched")) return text;
  const json& searched = answer["searched"];
  text += fmt::format("{} memories and {} chunks searched, {} ended", cell(searched["memories"]),
                      cell(searched["chunks"]), cell(searched["ended"]));
  if (searched["superseded"] != 0)
    text += fmt::format(", {} superseded", cell(searched["superseded"]));
  if (searched["distrusted"] != 0)
    text += fmt::format(", {} trusted less", cell(searched["distrusted"]));
  text += fmt::format("; the best match is {:.2f}\n", answer["best_match"].get<double>());
  if (answer["nearest"].empty()) return text;
  text_table table({"match", "id", "nearest"});
  for (const auto& hit : answer["nearest"])
    table.add({fmt::format("{:.2f}", hit["match"].get<double>()), cell(hit["id"]),
               noted_text(hit, cell(hit["content"]))});
  return text + table.text(on.width, on.colour);
}

std::string render_replayed_receipt(const json& answer) {
  const json& made = answer["receipt"];
  if (answer["equal"] == true)
    return fmt::format("equal: the {} results of {} at seq {}, under the root {}\n",
                       made["results"].size(), cell(made["op"]), cell(answer["seq"]),
                       cell(made["root"]));
  std::string text = fmt::format("different at seq {}:\n", cell(answer["seq"]));
  for (const auto& d : answer["differences"]) text += "  " + cell(d) + "\n";
  return text;
}

/// What was selected, and why; then what came of it.
std::string render_selected(const json& answer, const page& on) {
  const bool is_forget = answer.contains("selected");
  const json& selected = answer[is_forget ? "selected" : "superseded"];
  text_table table({"why", "because", "uri", "text"});
  for (const auto& m : selected)
    table.add({cell(m["why"]), cell(m["because"]), cell(m["uri"]), cell(m["text"])});
  std::string text = selected.empty() ? "" : table.text(on.width, on.colour);
  if (answer.contains("note")) text += cell(answer["note"]) + "\n";
  if (answer["dry_run"] == true)
    text += fmt::format("{} selected, nothing was changed\n", selected.size());
  else if (is_forget)
    text += fmt::format("{} forgotten, seq {}{}\n", cell(answer["forgotten"]), cell(answer["seq"]),
                        selected.empty() ? "" : "; restore brings back what should have stayed");
  else
    text += fmt::format("{} superseded by {}\n", selected.size(), cell(answer["uri"]));
  return text;
}

/// What came back, and why it may still not be shown everywhere.
std::string render_restored(const json& answer) {
  std::string text = fmt::format("{} {}", cell(answer["uri"]),
                                 answer["changed"] == true ? "is back" : "was not gone");
  if (answer.contains("ended"))
    text += fmt::format("; it ended at {} and stays so", cell(answer["ended"]));
  if (answer.contains("still_archived")) text += "; it is archived";
  if (answer.contains("superseded_by"))
    text += fmt::format("; {}, which superseded it, stays", cell(answer["superseded_by"]));
  return text + "\n";
}

/// Of several that come back at once; anything else is shown as it is.
std::string render_batch(const json& answer) {
  std::string text;
  for (const auto& item : answer["results"]) {
    if (!item.contains("uri") || !item.contains("changed"))
      return protocol::print_pretty(answer) + "\n";
    text += render_restored(item);
  }
  return text;
}

} // namespace

std::string render(std::string_view op, const json& answer, const page& on) {
  if (op == "absent") return render_absence(answer, on);
  if (op == "replay_receipt") return render_replayed_receipt(answer);
  if (op == "find") return render_find(answer, on);
  if (op == "context") return render_context(answer, on);
  if (op == "compact" || op == "load_compact") return render_compact(answer, on);
  if (op == "tick") return render_tick(answer, on);
  if (op == "search") return render_search(answer, on);
  if (op == "chroma") return render_chroma(answer, on);
  if (op == "weights") return render_weights(answer);
  if (op == "set_weights") return cell(answer["weights"]) + "\n";
  if (op == "tags") return render_tags(answer["tags"], on);
  if (op == "suggest_hashtags") return words(answer["hashtags"]) + "\n";
  if (op == "edges")
    return render_edges(answer["edges"], answer.value("titles", json::object()), on);
  if (op == "stale_of") return render_stale(answer["memories"], on);
  if (op == "get_edge") return render_edges(json::array({answer["edge"]}), json::object(), on);
  if (op == "get" || op == "resolve") return render_memory(answer, on);
  if (op == "journal") return render_journal(answer, on);
  if (op == "prove") return render_proofs(answer, on);
  if (op == "root") return cell(answer["root"]) + "\n";
  if (op == "list") return render_list(answer, on);
  if (op == "history") return render_history(answer, on);
  if (op == "changes") return render_changes(answer);
  if (op == "namespaces") return render_counts(answer["namespaces"], "namespace", on);
  if (op == "actors") return render_counts(answer["actors"], "actor", on);
  if (op == "put") return cell(answer["uri"]) + " " + cell(answer["outcome"]) + "\n";
  if (op == "sweep")
    return render_lines(answer["swept"], "nothing has expired")
           + (answer["more"] == true ? "and more: sweep again\n" : "");
  if (op == "write" || op == "update" || op == "promote") return cell(answer["uri"]) + "\n";
  if (op == "restore")
    return answer.contains("results") ? render_batch(answer) : render_restored(answer);
  if (op == "chroma_many" || op == "find_many" || op == "retrieve_many" || op == "batch")
    return protocol::print_pretty(answer) + "\n";
  if (op == "retrieve") return render_retrieve(answer, on);
  if (op == "ingest") return cell(answer["topic_id"]) + "\n";
  if (op == "revise") return render_lines(answer["merged"], "no two topics have one title");
  if (op == "forget_matching" || op == "supersede_matching") return render_selected(answer, on);
  if (op == "forget") return render_lines(answer["archived"], "no topic is below 0.05");
  return render_pairs(answer, on);
}

namespace {

std::string remark(std::string_view what, const json& ids) {
  std::string line;
  for (const auto& id : ids) line += (line.empty() ? std::string(what) : ", ") + cell(id);
  return line.empty() ? line : line + "\n";
}

} // namespace

std::string change_text(const json& change) {
  std::string text =
      fmt::format("{} {} {}", cell(change["seq"]), cell(change["at"]), cell(change["kind"]));
  const auto add = [&](std::string_view part) {
    if (!part.empty()) text += fmt::format(" {}", part);
  };
  for (const char* key : {"uri", "id", "tag"})
    if (change.contains(key)) {
      add(cell(change[key]));
      break;
    }
  if (change.contains("edge"))
    add(fmt::format("{} {} {}", cell(change["edge"]["src"]), cell(change["edge"]["type"]),
                    cell(change["edge"]["dst"])));
  for (const char* key : {"fields", "ids"})
    if (change.contains(key)) add(words(change[key]));
  for (const char* key : {"cause", "superseded_by", "into"})
    if (change.contains(key)) add(fmt::format("{} {}", key, cell(change[key])));
  if (change["actor"] != "") add("by " + cell(change["actor"]));
  return text;
}

std::string remarks(std::string_view op, const json& answer) {
  if (op == "ingest") return remark("mneme: the same title: ", answer["same_title_ids"]);
  if (op != "stats" && !answer.value("embedder_problem", "").empty())
    return "mneme: found by words alone: " + printable(cell(answer["embedder_problem"])) + "\n";
  if (op != "write" || !answer.contains("similar")) return {};
  return remark("mneme: the same text: ", answer["similar"]["same_text"])
         + remark("mneme: much like it: ", answer["similar"]["resembles"]);
}

} // namespace mneme::command
