#include "tools/import/agent_topics.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "messages/validate/validate.hpp"
#include "messages/validate/validate_topics.hpp"
#include "tools/import/derived_id.hpp"
#include "tools/import/source_file.hpp"
#include "tools/import/text_words.hpp"
#include "tools/protocol/json_text.hpp"
#include "tools/protocol/topic_json.hpp"

namespace mneme::importing {

namespace {

using protocol::json;

/// What a persona's memories come to.
struct persona {
  std::int64_t events = 0;
  std::int64_t thoughts = 0;
  std::int64_t chats = 0;
  std::optional<timestamp> first;
  std::optional<timestamp> last;
  json scratch = json::object(); ///< its line of personas.jsonl

  void count(const agent_memory& m) {
    ++(m.kind == agent_memory_kind::event     ? events
       : m.kind == agent_memory_kind::thought ? thoughts
                                              : chats);
    if (!first || m.created < *first) first = m.created;
    if (!last || *last < m.created) last = m.created;
  }
};
using personas = std::map<std::string, persona>;

result<void> read_scratches(const std::string& path, personas& all) {
  const auto visit = [&](const source_line& line) -> result<void> {
    auto parsed = protocol::parse_json(line.text);
    if (!parsed) return std::unexpected(located(std::move(parsed.error()), line.where));
    const auto scope = parsed->is_object() ? parsed->find("scope") : parsed->end();
    if (scope == parsed->end() || !scope->is_string() || is_blank(scope->get<std::string>()))
      return fail(errc::missing_key, line.where + ": a persona with a \"scope\" is expected",
                  "scope");
    const auto name = scope->get<std::string>();
    parsed->erase("scope");
    all[name].scratch = std::move(*parsed);
    return {};
  };
  return for_each_line(path, visit);
}

/// Values that stand for themselves: no null, no empty text, and lists of scalars only.
bool is_plain(const json& value) {
  if (value.is_string()) return !value.get_ref<const std::string&>().empty();
  if (value.is_array())
    return !value.empty()
           && std::ranges::none_of(value, [](const json& v) { return v.is_structured(); });
  return value.is_primitive() && !value.is_null();
}

std::string scratch_text(const persona& p, const char* key) {
  const auto value = p.scratch.find(key);
  return value != p.scratch.end() && value->is_string() ? value->get<std::string>() : "";
}

std::string summary_of(const persona& p) {
  std::string summary;
  for (const char* key : {"innate", "learned", "currently", "lifestyle"}) {
    const std::string text = scratch_text(p, key);
    if (is_blank(text)) continue;
    if (!summary.empty()) summary += '\n';
    summary += text;
  }
  return summary;
}

void add_scratch(topic_source& t, const persona& p, import_report& report) {
  for (const auto& [name, value] : p.scratch.items()) {
    if (name.empty() || name.size() > max_field_name_bytes || !is_plain(value))
      ++report.left_out["members of personas that are empty or nested"];
    else
      add_field(t, name, protocol::read_json_value(value), {}, p.last);
  }
}

topic_source topic_of(const std::string& name, const persona& p, const std::string& simulation,
                      import_report& report) {
  topic_source t{.id = derived_id("generative-agents topic", simulation, name),
                 .actor = name,
                 .title = name,
                 .summary = summary_of(p),
                 .kind = "persona",
                 .fields = {}};
  add_scratch(t, p, report);
  const auto add = [&](const char* key, json_value value,
                       std::optional<topic_field_type> type = {}) {
    if (!p.scratch.contains(key)) add_field(t, key, std::move(value), type, p.last);
  };
  if (!simulation.empty()) add("simulation", {simulation});
  add("events", {p.events});
  add("thoughts", {p.thoughts});
  add("chats", {p.chats});
  if (p.first) {
    add("first_memory", {to_string(*p.first)}, topic_field_type::datetime);
    add("last_memory", {to_string(*p.last)}, topic_field_type::datetime);
  }
  return t;
}

} // namespace

result<std::vector<topic_source>> persona_topics(const std::string& folder,
                                                 const std::string& simulation,
                                                 const std::vector<const agent_memory*>& memories,
                                                 import_report& report) {
  personas all;
  const std::string path = (std::filesystem::path(folder) / "personas.jsonl").string();
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored))
    if (auto ok = read_scratches(path, all); !ok) return propagate(ok);
  for (const auto* m : memories)
    if (!is_blank(m->scope)) all[m->scope].count(*m);
  std::vector<topic_source> topics;
  topics.reserve(all.size());
  for (const auto& [name, p] : all) topics.push_back(topic_of(name, p, simulation, report));
  return topics;
}

colour_source colour_of(const agent_memory& m) {
  colour_source colour{.whose = m.scope, .names = m.keywords, .text = m.text, .when = m.created};
  for (const auto& [speaker, said] : m.dialogue) colour.text += "\n" + said;
  for (auto& place : innermost_first(m.subject, ':')) colour.names.push_back(std::move(place));
  colour.names.push_back(m.predicate);
  colour.names.push_back(m.object);
  return colour;
}

} // namespace mneme::importing
