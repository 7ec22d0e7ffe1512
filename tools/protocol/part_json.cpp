#include "tools/protocol/part_json.hpp"

#include <nlohmann/json.hpp>

namespace mneme::protocol {

std::optional<std::vector<intent_frame>> read_frames(value_reader& in) {
  if (in.find("frames") == nullptr) return std::nullopt;
  std::vector<intent_frame> frames;
  in.items("frames", [&](const json& item, const json_path& at) {
    value_reader frame(item, at, in.faults());
    frames.push_back({.action = frame.name<verb>("verb").value_or(verb::find),
                      .kind = frame.name<object_kind>("kind").value_or(object_kind::service),
                      .ref = frame.text_or("ref", "")});
  });
  return frames;
}

std::optional<lifecycle> read_lifecycle(value_reader& in) {
  std::optional<lifecycle> read;
  in.object("lifecycle", [&](value_reader& l) {
    read = lifecycle{.status = l.name<lifecycle_status>("status"),
                     .due_date = l.time("due_date"),
                     .project = l.text_or("project", ""),
                     .origin = l.name<lifecycle_origin>("origin"),
                     .atomic = l.flag("atomic"),
                     .audience = l.name<lifecycle_audience>("audience")};
  });
  return read;
}

forms_override read_forms(value_reader& in) {
  forms_override own;
  in.object("forms", [&](value_reader& forms) {
    own.short_form = forms.text("short");
    own.medium_form = forms.text("medium");
  });
  return own;
}

mneme::provenance read_provenance(value_reader& in) {
  mneme::provenance p;
  in.object("provenance", [&](value_reader& from) {
    p.source = from.name<provenance_source>("source").value_or(provenance_source::user_input);
    p.derived_from = from.texts("derived_from").value_or(std::vector<std::string>{});
    p.attestations = from.texts("attestations").value_or(std::vector<std::string>{});
    p.signed_by = from.text_or("signed_by", "");
    p.signed_at = from.time("signed_at");
    p.signature = from.text_or("sig", "");
    p.trust = from.number("trust");
    p.source_class = from.name<source_class>("source_class");
  });
  return p;
}

void read_trust(value_reader& in, mneme::provenance& into) {
  const auto trust = in.number("trust");
  const auto of = in.name<source_class>("source_class");
  if (trust && into.trust)
    in.fail_key("trust", errc::bad_value, "the provenance has a trust already");
  if (of && into.source_class)
    in.fail_key("source_class", errc::bad_value, "the provenance has a source_class already");
  if (trust) into.trust = trust;
  if (of) into.source_class = of;
}

json time_json(const std::optional<timestamp>& t) {
  return t ? json(to_string(*t)) : json(nullptr);
}

json frames_json(const std::vector<intent_frame>& frames) {
  json list = json::array();
  for (const auto& f : frames)
    list.push_back({{"verb", to_string(f.action)}, {"kind", to_string(f.kind)}, {"ref", f.ref}});
  return list;
}

json lifecycle_json(const std::optional<lifecycle>& l) {
  if (!l) return nullptr;
  const auto name = [](const auto& v) { return v ? json(to_string(*v)) : json(nullptr); };
  return {{"status", name(l->status)}, {"due_date", time_json(l->due_date)},
          {"project", l->project},     {"origin", name(l->origin)},
          {"atomic", l->atomic},       {"audience", name(l->audience)}};
}

json provenance_json(const mneme::provenance& p) {
  json told{{"source", to_string(p.source)},       {"derived_from", p.derived_from},
            {"attestations", p.attestations},      {"signed_by", p.signed_by},
            {"signed_at", time_json(p.signed_at)}, {"sig", p.signature}};
  if (p.trust) told["trust"] = *p.trust;
  if (p.source_class) told["source_class"] = to_string(*p.source_class);
  return told;
}

void put_standing(json& into, const memory_standing& standing, bool is_told,
                  const std::optional<source_class>& of) {
  if (standing.trust < 1 || is_told) into["trust"] = standing.trust;
  if (of) into["source_class"] = to_string(*of);
  if (standing.stale) into["stale"] = true;
  if (standing.truncated) into["lineage_truncated"] = true;
}

void put_past(json& into, const past_marks& past) {
  if (past.ended) into["ended"] = true;
  if (past.superseded) into["superseded"] = true;
}

} // namespace mneme::protocol
