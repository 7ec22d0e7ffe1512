#include "messages/validate/validate_topics.hpp"

#include <cmath>

#include <fmt/format.h>

#include "messages/codec/topic_records.hpp"
#include "messages/validate/request_checker.hpp"
#include "messages/validate/validate.hpp"

namespace mneme {

namespace {

void check_field_name(request_checker& check, const key_path& at, const std::string& name) {
  check.text(at, name, max_field_name_bytes);
  if (is_blank(name)) check.refuse(errc::missing_field, "a field has a name", at);
  if (name.find('\0') != std::string::npos)
    check.refuse(errc::bad_value, "a field's name holds no NUL", at);
}

void check_value(request_checker& check, const key_path& at, const json_value& v,
                 std::size_t depth) {
  if (check.is_full()) return;
  if (depth > max_json_depth)
    return check.refuse(errc::limit_exceeded,
                        fmt::format("a value is nested at most {} deep", max_json_depth), at);
  if (const auto* text = std::get_if<std::string>(&v.node)) {
    check.text(at, *text, max_data_bytes);
  } else if (const auto* number = std::get_if<double>(&v.node)) {
    check.finite(at, *number);
  } else if (const auto* list = std::get_if<std::vector<json_value>>(&v.node)) {
    for (const auto& item : *list) check_value(check, at, item, depth + 1);
  } else if (const auto* object = std::get_if<std::vector<json_member>>(&v.node)) {
    for (std::size_t i = 0; i < object->size() && !check.is_full(); ++i) {
      check.text(at, (*object)[i].name, max_data_bytes);
      if (i > 0 && (*object)[i].name <= (*object)[i - 1].name)
        check.refuse(errc::bad_value, "the members of an object are sorted and distinct", at);
      check_value(check, at, (*object)[i].value, depth + 1);
    }
  }
}

void check_whole_value(request_checker& check, const key_path& at, const json_value& v) {
  const std::size_t before = check.faults();
  check_value(check, at, v, 0);
  if (check.faults() == before && encode(v).size() > max_data_bytes)
    check.refuse(errc::limit_exceeded, fmt::format("over the limit of {} bytes", max_data_bytes),
                 at);
}

/// Of a revision that is to be written, or restored.
template <class Revision>
void check_revision(request_checker& check, const std::string& at, const Revision& r) {
  check_whole_value(check, {at + ".value"}, r.value);
  check.time({at + ".valid_from"}, r.valid_from);
  check.time({at + ".valid_until"}, r.valid_until);
  check.text({at + ".why_changed"}, r.why_changed, max_free_text_bytes);
  check.text({at + ".impact_expected"}, r.impact_expected, max_free_text_bytes);
  check.text({at + ".operation"}, r.operation, max_free_text_bytes);
  check.known({at + ".provenance.source"}, r.provenance.source);
  if (r.provenance.trust) check.unit_interval({at + ".provenance.trust"}, *r.provenance.trust);
  if (r.provenance.source_class)
    check.known({at + ".provenance.source_class"}, *r.provenance.source_class);
  std::size_t total = r.provenance.signed_by.size() + r.provenance.signature.size();
  for (const auto* list : {&r.provenance.derived_from, &r.provenance.attestations})
    for (const auto& text : *list) {
      check.text({at + ".provenance"}, text, max_free_text_bytes);
      total += text.size();
    }
  check.text({at + ".provenance"}, r.provenance.signed_by, max_free_text_bytes);
  check.text({at + ".provenance"}, r.provenance.signature, max_free_text_bytes);
  check.time({at + ".provenance.signed_at"}, r.provenance.signed_at);
  if (total > max_free_text_bytes)
    check.refuse(errc::limit_exceeded, "the provenance is too long", {at + ".provenance"});
}

void check_field(request_checker& check, const field_input& f) {
  const std::string at = "fields." + f.name;
  check_field_name(check, {at}, f.name);
  check_revision(check, at, f);
  if (f.type) check.known({at + ".field_type"}, *f.type);
  if (f.salience) {
    check.finite({at + ".salience"}, *f.salience);
    if (*f.salience < 0 || *f.salience > 10)
      check.refuse(errc::out_of_range, "a field's salience is from 0 to 10", {at + ".salience"});
  }
}

/// Keys that only some placements have.
void check_placement(request_checker& check, const ingest_request& r) {
  const bool is_new = r.placement == ingest_placement::new_topic;
  const bool is_version = r.placement == ingest_placement::version_field;
  if (is_new && !r.title) check.refuse(errc::missing_key, "a new topic has a title", {"title"});
  if (!is_new && !r.topic_id)
    check.refuse(errc::missing_key, "which topic? topic_id is missing", {"topic_id"});
  if (!is_new && r.visibility)
    check.refuse(errc::bad_value, "only a new topic takes a visibility (see update_head)",
                 {"visibility"});
  if (!is_version) return;
  const auto refuse_if = [&](bool given, const char* key) {
    if (given)
      check.refuse(errc::bad_value, "version_field changes one field and nothing else", {key});
  };
  refuse_if(r.title.has_value(), "title");
  refuse_if(r.summary.has_value(), "summary");
  refuse_if(r.topic_kind.has_value(), "topic_kind");
  refuse_if(r.salience.has_value(), "salience");
  refuse_if(r.vector.has_value(), "vector");
  refuse_if(!r.links.empty(), "links");
  if (r.fields.size() != 1)
    check.refuse(errc::bad_value, "version_field takes exactly one field", {"fields"});
}

} // namespace

fault_list faults_of(const ingest_request& r) {
  request_checker check;
  if (r.placement > ingest_placement::version_field)
    check.refuse(errc::bad_value, "not a placement", {"placement"});
  check_placement(check, r);
  check.name({"actor"}, r.actor, max_actor_bytes);
  check.optional_name({"created_by"}, r.created_by, max_actor_bytes);
  check.optional_text({"title"}, r.title, max_data_bytes);
  if (r.title && is_blank(*r.title))
    check.refuse(errc::missing_field, "a topic's title is not blank", {"title"});
  check.optional_text({"summary"}, r.summary, max_data_bytes);
  check.optional_text({"topic_kind"}, r.topic_kind, max_data_bytes);
  if (r.topic_id && r.topic_id->is_zero())
    check.refuse(errc::zero_id, "the zero id is no topic's", {"topic_id"});
  if (r.visibility) check.known({"visibility"}, *r.visibility);
  if (r.salience) {
    check.finite({"salience"}, *r.salience);
    if (!(*r.salience >= 0 && *r.salience <= max_topic_salience))
      check.refuse(errc::out_of_range, "a topic's salience is from 0 to 1000000000", {"salience"});
  }
  if (r.trust) check.unit_interval({"trust"}, *r.trust);
  if (r.source_class) check.known({"source_class"}, *r.source_class);
  if (r.vector) check.require(validate_vector(*r.vector));
  if (r.fields.size() > max_fields_per_request || r.links.size() > max_links_per_request)
    check.refuse(errc::limit_exceeded, "a request has at most 1024 fields and 1024 links",
                 {r.fields.size() > max_fields_per_request ? "fields" : "links"});
  for (const auto& f : r.fields) {
    if (check.is_full()) break;
    check_field(check, f);
    check.name({"fields." + f.name}, f.name, max_field_name_bytes);
  }
  for (std::size_t i = 0; i < r.links.size() && !check.is_full(); ++i) {
    const topic_link& link = r.links[i];
    if (link.type == 0 || link.type > edge_type_count)
      check.refuse(errc::invalid_edge_type, "not an edge type", {"links", i, ".type"});
    if (r.topic_id && link.topic_id == *r.topic_id)
      check.refuse(errc::self_edge, "a topic has no link to itself", {"links", i, ".topic_id"});
    if (link.topic_id.is_zero())
      check.refuse(errc::zero_id, "the zero id is no topic's", {"links", i, ".topic_id"});
    check.text({"links", i, ".kind"}, link.kind, max_free_text_bytes);
  }
  return std::move(check).all();
}

result<void> validate(const ingest_request& r) {
  if (const auto faults = faults_of(r)) return faults.refusal();
  return {};
}

result<void> validate(const revise_request& r) {
  return validate_acting(r.actor);
}

result<void> validate(const forget_request& r) {
  return validate_acting(r.actor);
}

result<void> validate(const unarchive_request& r) {
  return validate_acting(r.actor);
}

result<void> validate(const put_field_record_request& r) {
  request_checker check;
  const field_head& head = r.field.head;
  check_field_name(check, {"field.name"}, head.name);
  check.known({"field.type"}, head.type);
  if (head.revisions == 0 || head.revisions != r.revisions.size() || r.field.current == 0
      || r.field.current > head.revisions)
    check.refuse(errc::bad_value, "the field does not have the revisions that it says", {"field"});
  check.range({"field.salience"}, r.field.salience_e9, 0, 10 * salience_one_e9);
  for (std::size_t i = 0; i < r.revisions.size() && check.ok(); ++i) {
    const field_revision& revision = r.revisions[i];
    const std::string at = key_path{"revisions", i}.text();
    check_revision(check, at, revision);
    check.time({at + ".created_at"}, revision.created_at);
    check.text({at + ".created_by"}, revision.created_by, max_actor_bytes);
    if (revision.topic != head.topic || revision.field != head.name || revision.number != i + 1)
      check.refuse(errc::bad_value, "a revision of another field, or out of order", {at});
    if (check.ok() && hash_of(revision) != revision.hash)
      check.refuse(errc::bad_value, "the revision does not have its hash", {at});
  }
  if (check.ok() && r.revisions[r.field.current - 1].hash != head.newest_hash)
    check.refuse(errc::bad_value, "the current revision has another hash", {"field"});
  return check.done();
}

topic_field_type type_of(const json_value& v) noexcept {
  if (std::holds_alternative<bool>(v.node)) return topic_field_type::bool_;
  if (std::holds_alternative<std::int64_t>(v.node)) return topic_field_type::int_;
  if (std::holds_alternative<double>(v.node)) return topic_field_type::float_;
  if (std::holds_alternative<std::vector<json_value>>(v.node)) return topic_field_type::list;
  if (std::holds_alternative<std::vector<json_member>>(v.node)) return topic_field_type::json;
  return topic_field_type::string;
}

} // namespace mneme
