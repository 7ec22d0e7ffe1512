#include "tools/protocol/memory_json.hpp"

#include <algorithm>
#include <array>
#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "messages/validate/schema.hpp"
#include "tools/protocol/data_json.hpp"
#include "tools/protocol/near_name.hpp"
#include "tools/protocol/part_json.hpp"
#include "tools/protocol/text_writer.hpp"

namespace mneme::protocol {

namespace {

json colour_json(const std::optional<colour>& c) {
  if (!c) return nullptr;
  return {{"hashtags", c->hashtags},
          {"L", c->L},
          {"a", c->a},
          {"b", c->b},
          {"node_id", node_id_of(c->L, c->a, c->b)},
          {"mode", c->mode}};
}

json activation_json(const memory& m) {
  json object{{"last_used", to_string(m.activation.last_used)},
              {"access_count", m.activation.access_count},
              {"citations", m.activation.citations}};
  if (m.head->type == memory_type::topic)
    object["topic_salience"] = salience_of(m.activation.topic_salience_e9);
  if (m.signals) {
    object["strength_raw"] = strength_json(m.signals->strength_e9);
    object["last_accessed"] = to_string(m.signals->last_accessed);
    object["ascended"] = m.signals->ascended;
    object["rotten"] = m.signals->rotten;
  }
  return object;
}

json tombstone_json(const std::optional<tombstone>& t) {
  if (!t) return nullptr;
  json object{{"reason", t->reason},
              {"cause", to_string(t->cause)},
              {"at", to_string(t->at)},
              {"by", t->by}};
  if (t->superseded_by) object["superseded_by"] = to_string(*t->superseded_by);
  return object;
}

json embedding_json(const std::optional<embedding_ref>& e) {
  if (!e) return nullptr;
  return {{"dim", e->dim}, {"version", e->version}};
}

void write_data(text_writer& to, const version& v) {
  const bool is_text_alone = std::ranges::all_of(v.data, [](const auto& field) {
    return std::holds_alternative<std::string>(field.second) && !field.first.contains('.');
  });
  if (!is_text_alone) return to.value(data_json(v.type, v.data));
  to.begin_object();
  for (const field_schema& f : fields_of(v.type))
    if (const auto found = v.data.find(f.name); found != v.data.end())
      to.member(f.name, std::string_view(std::get<std::string>(found->second)));
  to.end_object();
}

void write_provenance(text_writer& to, const provenance& p) {
  if (p.trust || p.source_class) return to.value(provenance_json(p));
  to.begin_object();
  to.member("source", to_string(p.source));
  to.member("derived_from", p.derived_from);
  to.member("attestations", p.attestations);
  to.member("signed_by", std::string_view(p.signed_by));
  to.member("signed_at", p.signed_at);
  to.member("sig", std::string_view(p.signature));
  to.end_object();
}

/// As version_json() has it.
void write_version(text_writer& to, const version& v) {
  to.begin_object();
  to.member("version", std::int64_t{v.number});
  to.key("data");
  write_data(to, v);
  to.member("created_at", v.created_at);
  to.member("created_by", std::string_view(v.created_by));
  to.member("expires_at", v.expires_at);
  to.member("confidence", v.confidence);
  to.key("provenance");
  write_provenance(to, v.provenance);
  to.member("valid_from", v.valid_from);
  to.member("valid_until", v.valid_until);
  to.key("forms_override");
  to.begin_object();
  to.member("short", v.short_overridden);
  to.member("medium", v.medium_overridden);
  to.end_object();
  to.member("hash", std::string_view(to_hex(v.hash)));
  if (!v.payload.empty()) to.member("payload", std::string_view(v.payload));
  to.end_object();
}

json forms_json(const memory& m) {
  return {{"short", m.version->forms.short_form}, {"medium", m.version->forms.medium_form}};
}
void write_forms(text_writer& to, const memory& m) {
  to.begin_object();
  to.member("short", std::string_view(m.version->forms.short_form));
  to.member("medium", std::string_view(m.version->forms.medium_form));
  to.end_object();
}

void write_activation(text_writer& to, const memory& m) {
  if (m.head->type == memory_type::topic || m.signals) return to.value(activation_json(m));
  to.begin_object();
  to.member("last_used", m.activation.last_used);
  to.member("access_count", m.activation.access_count);
  to.member("citations", m.activation.citations);
  to.end_object();
}

void write_embedding(text_writer& to, const std::optional<embedding_ref>& e) {
  if (!e) return to.value(json(nullptr));
  to.begin_object();
  to.member("dim", std::int64_t{e->dim});
  to.member("version", std::int64_t{e->version});
  to.end_object();
}

std::string uri_of(const memory& m) {
  return to_string(memory_uri{m.head->type, m.head->id, m.version->number});
}

struct member {
  std::string_view name;
  json (*of)(const memory& m);
  /// The same as text; null: it is printed.
  void (*write)(text_writer& to, const memory& m) = nullptr;
};

/// In the order in which an answer has them.
constexpr std::array members = {
    member{"id", [](const memory& m) -> json { return to_string(m.head->id); },
           [](text_writer& to, const memory& m) {
             to.value(std::string_view(to_string(m.head->id)));
           }},
    member{"uri", [](const memory& m) -> json { return uri_of(m); },
           [](text_writer& to, const memory& m) { to.value(std::string_view(uri_of(m))); }},
    member{"type", [](const memory& m) -> json { return to_string(m.head->type); },
           [](text_writer& to, const memory& m) { to.value(to_string(m.head->type)); }},
    member{"current_version", [](const memory& m) -> json { return m.head->current_version; },
           [](text_writer& to, const memory& m) {
             to.value(std::int64_t{m.head->current_version});
           }},
    member{"actor_scope", [](const memory& m) -> json { return m.head->actor_scope; },
           [](text_writer& to, const memory& m) {
             to.value(std::string_view(m.head->actor_scope));
           }},
    member{"visibility", [](const memory& m) -> json { return to_string(m.head->visibility); },
           [](text_writer& to, const memory& m) { to.value(to_string(m.head->visibility)); }},
    member{"declared_importance",
           [](const memory& m) -> json { return m.head->declared_importance; },
           [](text_writer& to, const memory& m) {
             to.value(std::int64_t{m.head->declared_importance});
           }},
    member{"tags", [](const memory& m) -> json { return m.head->tags; },
           [](text_writer& to, const memory& m) { to.value(m.head->tags); }},
    member{"frames", [](const memory& m) { return frames_json(m.head->frames); },
           [](text_writer& to, const memory& m) {
             to.made_unless(m.head->frames.empty(), "[]", [&] { return frames_json(m.head->frames); });
           }},
    member{"metadata", [](const memory& m) { return metadata_json(m.head->metadata); },
           [](text_writer& to, const memory& m) {
             to.made_unless(m.head->metadata.empty(), "{}",
                            [&] { return metadata_json(m.head->metadata); });
           }},
    member{"lifecycle", [](const memory& m) { return lifecycle_json(m.head->lifecycle); },
           [](text_writer& to, const memory& m) {
             to.made_unless(!m.head->lifecycle, "null",
                            [&] { return lifecycle_json(m.head->lifecycle); });
           }},
    member{"colour", [](const memory& m) { return colour_json(m.head->colour); },
           [](text_writer& to, const memory& m) {
             to.made_unless(!m.head->colour, "null", [&] { return colour_json(m.head->colour); });
           }},
    member{"tombstone", [](const memory& m) { return tombstone_json(m.head->tombstone); },
           [](text_writer& to, const memory& m) {
             to.made_unless(!m.head->tombstone, "null",
                            [&] { return tombstone_json(m.head->tombstone); });
           }},
    member{"created_at", [](const memory& m) -> json { return to_string(m.head->created_at); },
           [](text_writer& to, const memory& m) { to.value(m.head->created_at); }},
    member{"last_updated_at",
           [](const memory& m) -> json { return to_string(m.head->last_updated_at); },
           [](text_writer& to, const memory& m) { to.value(m.head->last_updated_at); }},
    member{"embedding", [](const memory& m) { return embedding_json(m.head->embedding); },
           [](text_writer& to, const memory& m) { write_embedding(to, m.head->embedding); }},
    member{"forms", forms_json, write_forms},
    member{"activation", activation_json, write_activation},
    member{"version", [](const memory& m) { return version_json(m.version); },
           [](text_writer& to, const memory& m) { write_version(to, *m.version); }},
    member{"namespace",
           [](const memory& m) -> json {
             return m.head->key ? json(m.head->key->name_space) : json(json::value_t::discarded);
           }},
    member{"key", [](const memory& m) -> json {
             return m.head->key ? json(m.head->key->name) : json(json::value_t::discarded);
           }}};
static_assert(members.size() <= member_selection::most);

constexpr auto names = [] {
  std::array<std::string_view, members.size()> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = members[i].name;
  return all;
}();

} // namespace

std::span<const std::string_view> memory_member_names() noexcept {
  return names;
}

member_selection read_select(value_reader& in) {
  member_selection selected;
  in.items("select", [&](const json& item, const json_path& at) {
    const auto& name = item.get_ref<const std::string&>();
    const auto* const found = std::ranges::find(names, name);
    if (found == names.end())
      in.fail_at(at, errc::bad_value,
                 fmt::format("a memory has no \"{}\"{}", name, suggestion(name, names)));
    else
      selected.add(static_cast<std::size_t>(found - names.begin()));
  });
  return selected;
}

member_selection selection_of(const json& request) {
  fault_list faults;
  const json_path document;
  value_reader in(request, document, faults);
  return read_select(in);
}

json version_json(const version& v) {
  json whole{{"version", v.number},
             {"data", data_json(v.type, v.data)},
             {"created_at", to_string(v.created_at)},
             {"created_by", v.created_by},
             {"expires_at", time_json(v.expires_at)},
             {"confidence", v.confidence},
             {"provenance", provenance_json(v.provenance)},
             {"valid_from", to_string(v.valid_from)},
             {"valid_until", time_json(v.valid_until)},
             {"forms_override", {{"short", v.short_overridden}, {"medium", v.medium_overridden}}},
             {"hash", to_hex(v.hash)}};
  if (!v.payload.empty()) whole["payload"] = v.payload;
  return whole;
}

void put_key(json& into, const head& h) {
  if (!h.key) return;
  into["namespace"] = h.key->name_space;
  into["key"] = h.key->name;
}

json tombstone_of(const head& h) {
  return tombstone_json(h.tombstone);
}

json memory_json(const memory& m, const member_selection& selected) {
  json whole = json::object();
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!selected.has(i)) continue;
    if (json value = members[i].of(m); !value.is_discarded())
      whole.push_back({std::string(members[i].name), std::move(value)});
  }
  const provenance& from = m.version->provenance;
  put_standing(whole, m.standing, from.trust || from.source_class, from.source_class);
  return whole;
}

std::string memory_text(const memory& m, const member_selection& selected,
                        const found_marks& marks) {
  constexpr std::size_t usual_bytes = 1'400;
  std::string text;
  text.reserve(usual_bytes);
  text_writer to(text);
  to.begin_object();
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!selected.has(i)) continue;
    if (members[i].write != nullptr) {
      to.key(members[i].name);
      members[i].write(to, m);
    } else if (const json value = members[i].of(m); !value.is_discarded()) {
      to.member(members[i].name, value);
    }
  }
  json rest = json::object();
  const provenance& from = m.version->provenance;
  put_standing(rest, m.standing, from.trust || from.source_class, from.source_class);
  put_past(rest, marks.past);
  if (!marks.told.empty()) rest["told"] = marks.told;
  for (const auto& [name, value] : rest.get_ref<const json::object_t&>()) to.member(name, value);
  to.end_object();
  return text;
}

json strength_json(std::int64_t strength_e9) {
  return static_cast<double>(strength_e9) / 1e9;
}

void mark_past(json& memories, const std::vector<past_marks>& past) {
  for (std::size_t i = 0; i < past.size(); ++i) put_past(memories[i], past[i]);
}

} // namespace mneme::protocol
