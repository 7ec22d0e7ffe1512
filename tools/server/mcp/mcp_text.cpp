#include "tools/server/mcp/mcp_text.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "messages/text/quoted_text.hpp"
#include "messages/text/utf8_point.hpp"
#include "mneme/types.hpp"
#include "tools/protocol/shape.hpp"

namespace mneme::server {

namespace {

using protocol::json;

constexpr std::size_t bytes_per_token = 4;
constexpr std::size_t excerpt_bytes = 300;
constexpr std::string_view ellipsis = "…";

std::string text_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : protocol::print(value);
}

std::string one_line(const std::string& text) {
  return as_one_line(text);
}

bool is_trusted(const json& row) {
  return !row.contains("trust") || row["trust"].get<double>() >= trust_unquoted;
}

/// Who said it; empty where nobody is told, or the text begins with him.
std::string speaker_of(const json& row, std::string_view said) {
  if (!row.contains("metadata")) return {};
  const auto speaker = row["metadata"].find("speaker");
  if (speaker == row["metadata"].end() || !speaker->is_string()) return {};
  std::string name = one_line(speaker->get<std::string>());
  return said.starts_with(name) ? std::string() : name;
}

/// As data, where the answer says that nobody vouches for it, and there is something to vouch for:
/// the name of who said it, too, which is no less the writer's.
std::string quoted_unless_trusted(const json& row, std::string text) {
  if (text.empty() || is_trusted(row)) return text;
  if (const auto speaker = speaker_of(row, text); !speaker.empty()) text = speaker + ": " + text;
  const auto of = row.contains("source_class")
                      ? parse_enum<source_class>(row["source_class"].get<std::string>())
                      : std::nullopt;
  return quoted_as_data(text, of);
}

/// In as many lines as it has.
std::string lines_of(const json& value) {
  return as_plain_lines(text_of(value));
}

/// Cut at a code point.
std::string cut(std::string text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  text.resize(point_start(text, bytes));
  return text + std::string(ellipsis);
}

/// When it was, and who said it where that is told: " 2026-11-26, Melanie". A model that reads
/// "yesterday" has to know of which day. A text that begins with who said it tells that itself.
std::string origin_of(const json& row, std::string_view said = {}) {
  std::string told;
  constexpr std::size_t date_bytes = 10;
  if (row.contains("created_at") && row["created_at"].is_string())
    told += " " + row["created_at"].get<std::string>().substr(0, date_bytes);
  if (!is_trusted(row)) return told; // with the text, which is quoted
  if (const auto speaker = speaker_of(row, said); !speaker.empty()) told += ", " + speaker;
  return told;
}

/// That it no longer holds.
std::string past_of(const json& row) {
  std::string told;
  for (const char* mark : {"ended", "superseded"})
    if (row.contains(mark)) told += fmt::format(" {}", mark);
  return told;
}

std::string older_of(const json& row) {
  const auto newer = row.find("older_of");
  if (newer == row.end() || !newer->is_string()) return {};
  return fmt::format(" older than {}", newer->get<std::string>());
}

std::string found_text(const json& a) {
  std::string out;
  const json& memories = a["memories"];
  for (std::size_t i = 0; i < memories.size(); ++i) {
    const json& m = memories[i];
    const bool is_rendered = i < a["rendered"].size();
    std::string text = text_of(is_rendered ? a["rendered"][i] : m["forms"]["medium"]);
    if (m.contains("told")) text += text_of(m["told"]);
    out +=
        fmt::format("{}{}{}{} | {}\n", text_of(m["uri"]), origin_of(m, text), past_of(m),
                    m.contains("stale") ? " stale" : "", quoted_unless_trusted(m, one_line(text)));
  }
  if (memories.empty()) return "nothing found\n";
  return out;
}

std::string stale_text(const json& a) {
  std::string out;
  for (const auto& m : a["memories"])
    out += fmt::format("{} | {}\n", text_of(m["uri"]),
                       quoted_unless_trusted(m, one_line(text_of(m["forms"]["medium"]))));
  return out.empty() ? "nothing is stale because of it\n" : out;
}

/// Where nothing was found, that something was there once, or is trusted too little.
std::string left_out_text(const json& coverage) {
  const auto of = [&](const char* count) {
    return coverage["memory"].value(count, std::int64_t{0})
           + coverage["content"].value(count, std::int64_t{0});
  };
  std::string text;
  if (const auto ended = of("ended"); ended != 0)
    text += fmt::format("{} no longer valid: include_ended finds them\n", ended);
  if (const auto distrusted = of("distrusted"); distrusted != 0)
    text += fmt::format("{} trusted less than min_trust\n", distrusted);
  if (const auto superseded = of("superseded"); superseded != 0)
    text += fmt::format("{} superseded: include_ended finds them\n", superseded);
  return text;
}

std::string hits_text(const json& a) {
  std::string out;
  for (const auto& h : a["results"]) {
    const bool is_chunk = h["source_type"] == "content_chunk";
    out += fmt::format("{:.2f} {}{} | {}", h["score"].get<double>(), text_of(h["uri"]),
                       is_chunk ? std::string() : origin_of(h),
                       is_chunk ? one_line(text_of(h["path"])) : text_of(h["memory_type"]));
    if (!h["status"].is_null()) out += fmt::format(" {}", text_of(h["status"]));
    if (h["ended"] == true) out += " ended";
    if (h.contains("superseded")) out += " superseded";
    out += older_of(h);
    if (h.contains("stale")) out += " stale";
    if (h.contains("field")) out += fmt::format(" field {}", one_line(text_of(h["field"])));
    out += fmt::format(
        " | {}\n", quoted_unless_trusted(h, cut(one_line(text_of(h["content"])), excerpt_bytes)));
  }
  if (a["results"].empty()) out = "nothing found\n" + left_out_text(a["coverage"]);
  for (const auto& note : a["coverage"]["notes"])
    if (const auto text = text_of(note); !text.starts_with("weights:"))
      out += one_line(text) + "\n";
  return out;
}

std::string absent_text(const json& a) {
  std::string out =
      fmt::format("{} at seq {}\n", a["absent"] == true ? "absent" : "there", text_of(a["seq"]));
  for (const char* key : {"ids", "fields"})
    if (a.contains(key))
      for (const auto& item : a[key])
        out += fmt::format("{}{}: {}{}\n", text_of(item[item.contains("id") ? "id" : "topic"]),
                           item.contains("name") ? " " + one_line(text_of(item["name"])) : "",
                           item["present"] == true ? "there" : "absent",
                           item.contains("erased") ? "; " + one_line(text_of(item["erased"])) : "");
  if (!a.contains("searched")) return out;
  out += fmt::format("{} memories and {} chunks searched, {} ended",
                     text_of(a["searched"]["memories"]), text_of(a["searched"]["chunks"]),
                     text_of(a["searched"]["ended"]));
  if (a["searched"]["superseded"] != 0)
    out += fmt::format(", {} superseded", text_of(a["searched"]["superseded"]));
  if (a["searched"]["distrusted"] != 0)
    out += fmt::format(", {} trusted less than min_trust", text_of(a["searched"]["distrusted"]));
  out += '\n';
  for (const auto& h : a["nearest"])
    out +=
        fmt::format("{:.2f} {}{} | {}\n", h["match"].get<double>(), text_of(h["id"]), past_of(h),
                    quoted_unless_trusted(h, cut(one_line(text_of(h["content"])), excerpt_bytes)));
  return out;
}

/// " (since A)", " (since A until B)"
std::string held_text(const json& revision) {
  std::string text = " (since " + text_of(revision["valid_from"]);
  if (protocol::is_given(revision, "valid_until"))
    text += " until " + text_of(revision["valid_until"]);
  return text + ")";
}

std::string topics_text(const json& a) {
  std::string out;
  for (const auto& c : a["candidates"]) {
    out += fmt::format("{} ({}){} {}\n", quoted_unless_trusted(c, one_line(text_of(c["title"]))),
                       text_of(c["topic_id"]), past_of(c),
                       quoted_unless_trusted(c, one_line(text_of(c["summary"]))));
    if (!c.contains("fields")) continue;
    for (const auto& f : c["fields"]) {
      if (f["current"].is_null()) continue;
      out += fmt::format("  {}: {}{}\n", one_line(text_of(f["name"])),
                         quoted_unless_trusted(c, one_line(text_of(f["current"]["value"]))),
                         held_text(f["current"]));
      for (const auto& r : f["history"])
        if (r["revision"] != f["current"]["revision"])
          out += fmt::format("    was {}{}\n",
                             quoted_unless_trusted(c, one_line(text_of(r["value"]))), held_text(r));
    }
  }
  return out.empty() ? "no such topic\n" : out;
}

std::string colours_text(const json& a) {
  std::string out;
  for (const auto& r : a["results"])
    out += fmt::format("{:.2f} {}{} | {}\n", r["score"].get<double>(), text_of(r["uri"]),
                       past_of(r), quoted_unless_trusted(r, one_line(text_of(r["label"]))));
  return out.empty() ? "nothing found\n" : out;
}

/// When it was; of what is found the text begins with that.
std::string time_of(const json& item, std::string_view tier) {
  constexpr std::size_t date_bytes = 10;
  if (tier == "found") return {};
  return " " + item["at"].get<std::string>().substr(0, date_bytes);
}

std::string context_text(const json& a) {
  std::string out;
  for (const char* tier : {"pinned", "outcomes", "frame_relevant", "found", "notable"}) {
    const json& items = a["tiers"][tier];
    if (items.empty()) continue;
    out += fmt::format("{}:\n", tier);
    for (const auto& i : items)
      out += fmt::format("  {}{}{}{}{} | {}\n", text_of(i["uri"]), time_of(i, tier), past_of(i),
                         older_of(i), i.contains("stale") ? " stale" : "",
                         one_line(text_of(i["text"])));
  }
  if (a.contains("embedder_problem")) out += "found by words alone: the embedder is away\n";
  if (const auto more = a["more"].get<std::int64_t>(); more > 0)
    out += fmt::format("{} more did not fit: search finds them\n", more);
  if (a.contains("note")) out += one_line(text_of(a["note"])) + "\n";
  return out.empty() ? "nothing that is remembered belongs here\n" : out;
}

std::string memory_text(const json& a) {
  const json& m = a["memory"];
  std::string out = fmt::format("{} | {}\n", text_of(m["uri"]),
                                quoted_unless_trusted(m, lines_of(m["forms"]["medium"])));
  for (const auto& [name, value] : m["version"]["data"].items())
    out += fmt::format("{}: {}\n", name, quoted_unless_trusted(m, lines_of(value)));
  if (m.contains("stale")) out += "stale: what it rests on has changed since it was affirmed\n";
  if (!m["tags"].empty()) out += fmt::format("tags: {}\n", protocol::print(m["tags"]));
  if (!m["tombstone"].is_null())
    out += fmt::format("forgotten: {}\n", one_line(text_of(m["tombstone"]["reason"])));
  if (m.contains("fields"))
    for (const auto& f : m["fields"])
      if (!f["current"].is_null())
        out += fmt::format("{}: {}\n", one_line(text_of(f["name"])),
                           quoted_unless_trusted(m, lines_of(f["current"]["value"])));
  return out;
}

std::string selected_text(const json& a) {
  std::string out;
  const bool is_forget = a.contains("selected");
  for (const auto& m : a[is_forget ? "selected" : "superseded"])
    out += fmt::format("{} | {} {} | {}\n", text_of(m["uri"]), text_of(m["why"]),
                       one_line(text_of(m["because"])),
                       quoted_unless_trusted(m, cut(one_line(text_of(m["text"])), excerpt_bytes)));
  if (a.contains("note")) out += one_line(text_of(a["note"])) + "\n";
  if (a["dry_run"] == true) return out + "nothing was changed\n";
  if (is_forget)
    return out
           + fmt::format("{} forgotten{}\n", text_of(a["forgotten"]),
                         a["selected"].empty() ? "" : "; restore brings one back by its uri");
  if (a["superseded"].empty())
    return out + fmt::format("written as {}, superseding nothing\n", text_of(a["uri"]));
  return out + fmt::format("superseded by {}\n", text_of(a["uri"]));
}

std::string ids_text(std::string_view what, const json& ids) {
  std::string out;
  for (const auto& id : ids) out += (out.empty() ? std::string(what) : ", ") + text_of(id);
  return out.empty() ? out : out + "\n";
}

/// What was written, and whether it was there before.
std::string written_text(const json& a) {
  std::string out = text_of(a["uri"]) + "\n";
  if (!a.contains("similar")) return out;
  return out + ids_text("memories with the same text: ", a["similar"]["same_text"])
         + ids_text("memories much like it: ", a["similar"]["resembles"]);
}

std::string restored_text(const json& a) {
  std::string out =
      fmt::format("{} {}", text_of(a["uri"]), a["changed"] == true ? "is back" : "was not gone");
  if (a.contains("ended")) out += fmt::format("; it ended at {} and stays so", text_of(a["ended"]));
  if (a.contains("still_archived")) out += "; it is archived";
  if (a.contains("superseded_by"))
    out += fmt::format("; {}, which superseded it, stays", text_of(a["superseded_by"]));
  return out + "\n";
}

std::string replayed_text(const json& a) {
  const json& made = a["receipt"];
  if (a["equal"] == true)
    return fmt::format("equal: the {} results of {} at seq {}\n", made["results"].size(),
                       text_of(made["op"]), text_of(a["seq"]));
  std::string out = fmt::format("different at seq {}:\n", text_of(a["seq"]));
  for (const auto& d : a["differences"]) out += one_line(text_of(d)) + "\n";
  return out;
}

std::string text_for(std::string_view op, const json& a) {
  if (op == "find") return found_text(a);
  if (op == "stale_of") return stale_text(a);
  if (op == "search") return hits_text(a);
  if (op == "absent") return absent_text(a);
  if (op == "replay_receipt") return replayed_text(a);
  if (op == "retrieve") return topics_text(a);
  if (op == "chroma") return colours_text(a);
  if (op == "context") return context_text(a);
  if (op == "get" || op == "resolve") return memory_text(a);
  if (op == "forget_matching" || op == "supersede_matching") return selected_text(a);
  if (op == "write" || op == "update") return written_text(a);
  if (op == "restore") return restored_text(a);
  if (op == "promote") return fmt::format("{}\n", text_of(a["uri"]));
  if (op == "root")
    return fmt::format("root {} at seq {}\n", text_of(a["root"]), text_of(a["seq"]));
  if (op == "prove")
    return fmt::format("{} proofs against root {}\n", a["proofs"].size(), text_of(a["root"]));
  if (op == "ingest")
    return fmt::format("topic {}: {}\n", text_of(a["topic_id"]), protocol::print(a["applied"]))
           + ids_text("topics with the same title: ", a["same_title_ids"]);
  return protocol::print(a) + "\n";
}

} // namespace

std::string name_in_list(const json& memory) {
  return quoted_unless_trusted(memory, one_line(text_of(memory["forms"]["short"])));
}

std::string within_budget(std::string text, std::size_t budget_tokens) {
  if (text.ends_with('\n')) text.pop_back();
  const std::size_t most = budget_tokens * bytes_per_token;
  if (text.size() <= most) return text;
  const auto lines = std::ranges::count(text, '\n') + 1;
  // What says so has to fit too.
  constexpr std::string_view left_out = "… {} more lines are in the structured content";
  const std::size_t note_bytes = fmt::format(left_out, lines).size() + 1;
  const auto end = most < 2 * note_bytes ? std::string::npos : text.rfind('\n', most - note_bytes);
  if (end == std::string::npos) return cut(std::move(text), most - ellipsis.size());
  const auto kept = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
  return text.substr(0, end + 1) + fmt::format(left_out, lines - kept - 1);
}

std::string compact_text(std::string_view op, const json& answer, std::size_t budget_tokens) {
  return within_budget(text_for(op, answer), budget_tokens);
}

} // namespace mneme::server
