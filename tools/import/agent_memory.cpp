#include "tools/import/agent_memory.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "messages/validate/validate.hpp"
#include "tools/import/derived_id.hpp"
#include "tools/import/known_members.hpp"
#include "tools/import/local_time.hpp"
#include "tools/import/text_chunks.hpp"
#include "tools/protocol/value_reader.hpp"

namespace mneme::importing {

namespace {

using protocol::json;
using protocol::key_shape;
namespace shapes = protocol::shapes;

constexpr protocol::shape dialogue_shape{
    .kind = protocol::shape_kind::list, .name = "[[speaker, text]…]", .item = &shapes::texts};

constexpr std::array agent_memory_keys = {
    key_shape{"scope", &shapes::text, true}, key_shape{"id", &shapes::text, true},
    key_shape{"type", &shapes::text, true},  key_shape{"created", &shapes::time, true},
    key_shape{"text", &shapes::text, true},  key_shape{"expiration", &shapes::time},
    key_shape{"subject", &shapes::text},     key_shape{"predicate", &shapes::text},
    key_shape{"object", &shapes::text},      key_shape{"poignancy", &shapes::integer},
    key_shape{"keywords", &shapes::texts},   key_shape{"evidence", &shapes::texts},
    key_shape{"dialogue", &dialogue_shape},  key_shape{"embedding_key", &shapes::text},
};

constexpr std::array<std::string_view, 3> kind_names = {"event", "thought", "chat"};
constexpr std::int64_t max_poignancy = 10;

/// Their times have no offset; they are those of the simulated place and taken as UTC.
std::optional<timestamp> read_time(const json& line, const char* key, protocol::value_reader& in) {
  const json* value = in.find(key);
  if (value == nullptr) return std::nullopt;
  auto t = value->is_string() ? parse_local_time(value->get_ref<const std::string&>())
                              : protocol::read_time(line[key]);
  if (t) return *t;
  in.fail_key(key, t.error().code, t.error().message);
  return std::nullopt;
}

void read_dialogue(protocol::value_reader& in, agent_memory& m) {
  in.items("dialogue", [&](const json& turn, const protocol::json_path& at) {
    if (turn.size() != 2)
      return in.fail_at(at, errc::bad_value, "a turn of a dialogue is [speaker, text]");
    m.dialogue.emplace_back(turn[0].get<std::string>(), turn[1].get<std::string>());
  });
}

std::string transcript(const agent_memory& m) {
  std::string text = m.text;
  for (const auto& [speaker, said] : m.dialogue) text += fmt::format("\n{}: {}", speaker, said);
  return text;
}

memory_data data_of(const agent_memory& m, const std::vector<std::string>& evidence) {
  switch (m.kind) {
  case agent_memory_kind::thought: {
    memory_data data = {{"statement", m.text}, {"stance", std::string("believe")}};
    if (!m.subject.empty()) data.emplace("subject", m.subject);
    if (!evidence.empty()) data.emplace("evidence_for", evidence);
    return data;
  }
  case agent_memory_kind::chat: {
    memory_data data = {{"statement", transcript(m)}};
    const std::string label = m.predicate + (m.object.empty() ? "" : " " + m.object);
    if (!is_blank(label)) data.emplace("label", label);
    return data;
  }
  case agent_memory_kind::event:
    break;
  }
  // What a persona perceives, unless it is itself in a conversation.
  const bool talks = m.predicate == "chat with" && m.subject == m.scope && !is_blank(m.object);
  memory_data data = {{"kind", std::string(talks ? "interaction" : "observation")},
                      {"outcome", std::string("success")},
                      {"summary", m.text}};
  if (talks) data.emplace("counterparty", m.object);
  return data;
}

std::vector<std::string> tags_of(const agent_memory& m, import_report& report) {
  std::vector<std::string> tags;
  for (const auto& keyword : m.keywords) {
    if (keyword.empty())
      ++report.left_out["empty keywords"];
    else if (keyword.size() > max_tag_bytes)
      ++report.left_out[fmt::format("keywords of over {} bytes", max_tag_bytes)];
    else if (std::ranges::find(tags, keyword) != tags.end())
      continue;
    else if (tags.size() == max_tags)
      ++report.left_out[fmt::format("keywords beyond {} of a memory", max_tags)];
    else
      tags.push_back(keyword);
  }
  return tags;
}

} // namespace

result<agent_memory> read_agent_memory(std::string_view line) {
  auto parsed = protocol::parse_json(line);
  if (!parsed) return propagate(parsed);
  const protocol::json_path document;
  if (!parsed->is_object()) return protocol::wrong_type("a memory object", *parsed, document);
  agent_memory m;
  auto known = known_members(*parsed, agent_memory_keys, m.other);
  if (!known) return propagate(known);
  fault_list faults;
  protocol::value_reader in(*known, document, faults);
  m.scope = in.text_or("scope", "");
  m.id = in.text_or("id", "");
  m.kind = in.name_among<agent_memory_kind>("type", kind_names).value_or(agent_memory_kind{});
  m.created = read_time(*known, "created", in).value_or(timestamp{});
  m.expiration = read_time(*known, "expiration", in);
  m.subject = in.text_or("subject", "");
  m.predicate = in.text_or("predicate", "");
  m.object = in.text_or("object", "");
  m.text = in.text_or("text", "");
  m.poignancy = in.integer("poignancy").value_or(m.poignancy);
  m.keywords = in.texts("keywords").value_or(std::vector<std::string>{});
  m.evidence = in.texts("evidence").value_or(std::vector<std::string>{});
  m.embedding_key = in.text_or("embedding_key", m.text);
  read_dialogue(in, m);
  if (is_blank(m.text)) in.fail_key("text", errc::missing_field, "the text is blank");
  if (m.poignancy < 0 || m.poignancy > max_poignancy)
    in.fail_key("poignancy", errc::out_of_range, "poignancy is 0 to 10");
  return protocol::finish(faults, std::move(m));
}

memory_type agent_memory_type(agent_memory_kind kind) {
  switch (kind) {
  case agent_memory_kind::thought:
    return memory_type::belief;
  case agent_memory_kind::chat:
    return memory_type::note;
  case agent_memory_kind::event:
    break;
  }
  return memory_type::event;
}

memory_id agent_memory_id(std::string_view simulation, const agent_memory& m) {
  // The length in front: no two splits of persona and id are the same key.
  const std::string key = fmt::format("{}:{}{}", m.scope.size(), m.scope, m.id);
  return derived_id("generative-agents", simulation, key, m.created);
}

write_request to_request(const agent_memory& m, std::string_view simulation,
                         const std::vector<std::string>& evidence, import_report& report) {
  write_request r;
  r.type = agent_memory_type(m.kind);
  r.data = data_of(m, evidence);
  if (r.type == memory_type::event) r.forms = told_forms("", m.text);
  r.actor = m.scope;
  r.id = agent_memory_id(simulation, m);
  r.importance = m.poignancy;
  r.tags = tags_of(m, report);
  r.metadata = m.other;
  r.metadata["source_id"] = m.id;
  const auto add = [&](const char* key, std::string_view value) {
    if (!value.empty()) r.metadata[key] = std::string(value);
  };
  add("simulation", simulation);
  add("subject", m.subject);
  add("predicate", m.predicate);
  add("object", m.object);
  if (m.embedding_key != m.text) add("embedding_key", m.embedding_key);
  r.created_at = m.created;
  r.expires_at = m.expiration;
  r.provenance.source = provenance_source::imported;
  return r;
}

} // namespace mneme::importing
