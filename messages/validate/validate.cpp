#include "messages/validate/validate.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "messages/codec/entry.hpp"
#include "messages/codec/records.hpp"
#include "messages/text/composed.hpp"
#include "messages/validate/request_checker.hpp"

namespace mneme {

namespace {

void check_tags(request_checker& check, const std::vector<std::string>& tags) {
  const std::size_t before = check.faults();
  for (std::size_t i = 0; i < tags.size() && !check.is_full(); ++i) {
    check.text({"tags", i}, tags[i], max_tag_bytes);
    if (tags[i].empty()) check.refuse(errc::limit_exceeded, "a tag is not empty", {"tags", i});
  }
  if (check.faults() == before && tags.size() > max_tags && normalise_tags(tags).size() > max_tags)
    check.refuse(errc::limit_exceeded, fmt::format("over the limit of {} tags", max_tags),
                 {"tags"});
}

/// Tags and references as a request gives them. A journal may hold names that no request may give
/// any more, and what was exported of it comes back whole.
void check_names(request_checker& check, const std::vector<std::string>& tags,
                 const std::vector<intent_frame>& frames) {
  for (std::size_t i = 0; i < tags.size() && !check.is_full(); ++i)
    if (is_utf8(tags[i])) check.name({"tags", i}, composed(tags[i]), max_tag_bytes);
  for (std::size_t i = 0; i < frames.size() && !check.is_full(); ++i)
    check.name({"frames", i, ".ref"}, frames[i].ref, max_ref_bytes);
}

void check_frames(request_checker& check, const std::vector<intent_frame>& frames) {
  for (std::size_t i = 0; i < frames.size() && !check.is_full(); ++i) {
    check.known({"frames", i, ".verb"}, frames[i].action);
    check.known({"frames", i, ".kind"}, frames[i].kind);
    check.text({"frames", i, ".ref"}, frames[i].ref, max_ref_bytes);
    if (frames[i].ref.empty())
      check.refuse(errc::limit_exceeded, "a reference is not empty", {"frames", i, ".ref"});
  }
  if (frames.size() > max_frames)
    check.refuse(errc::limit_exceeded, fmt::format("over the limit of {} frames", max_frames),
                 {"frames"});
}

template <class Variant>
void check_scalar(request_checker& check, const key_path& at, const Variant& v) {
  if (const auto* text = std::get_if<std::string>(&v))
    check.text(at, *text, max_metadata_bytes);
  else if (const auto* number = std::get_if<double>(&v))
    check.finite(at, *number);
}

void check_metadata(request_checker& check, const metadata_map& metadata) {
  const std::size_t before = check.faults();
  for (const auto& [key, value] : metadata) {
    if (check.is_full()) return;
    check.text({"metadata"}, key, max_metadata_key_bytes);
    const std::string at = "metadata." + key;
    if (const auto* list = std::get_if<std::vector<scalar>>(&value)) {
      for (std::size_t i = 0; i < list->size(); ++i) check_scalar(check, {at, i}, (*list)[i]);
    } else {
      check_scalar(check, {at}, value);
    }
  }
  if (check.faults() != before) return;
  if (metadata.size() > max_metadata_keys)
    check.refuse(errc::limit_exceeded,
                 fmt::format("over the limit of {} metadata keys", max_metadata_keys),
                 {"metadata"});
  else if (!metadata.empty() && encode_metadata(metadata).size() > max_metadata_bytes)
    check.refuse(errc::limit_exceeded,
                 fmt::format("over the limit of {} bytes of metadata", max_metadata_bytes),
                 {"metadata"});
}

void check_lifecycle(request_checker& check, const lifecycle& l) {
  if (l.status) check.known({"lifecycle.status"}, *l.status);
  check.time({"lifecycle.due_date"}, l.due_date);
  check.text({"lifecycle.project"}, l.project, max_free_text_bytes);
  if (l.origin) check.known({"lifecycle.origin"}, *l.origin);
  if (l.audience) check.known({"lifecycle.audience"}, *l.audience);
}

void check_provenance(request_checker& check, const provenance& p) {
  check.known({"provenance.source"}, p.source);
  if (p.trust) check.unit_interval({"trust"}, *p.trust);
  if (p.source_class) check.known({"source_class"}, *p.source_class);
  std::size_t total = p.signed_by.size() + p.signature.size();
  for (std::size_t i = 0; i < p.derived_from.size(); ++i) {
    if (check.text({"provenance.derived_from", i}, p.derived_from[i], max_free_text_bytes))
      if (auto uri = parse_memory_uri(p.derived_from[i]); !uri)
        check.refuse(uri.error().code, uri.error().message, {"provenance.derived_from", i});
    total += p.derived_from[i].size() + 1;
  }
  for (std::size_t i = 0; i < p.attestations.size(); ++i) {
    check.text({"provenance.attestations", i}, p.attestations[i], max_free_text_bytes);
    total += p.attestations[i].size() + 1;
  }
  check.text({"provenance.signed_by"}, p.signed_by, max_free_text_bytes);
  check.time({"provenance.signed_at"}, p.signed_at);
  check.text({"provenance.signature"}, p.signature, max_free_text_bytes);
  if (total > max_free_text_bytes)
    check.refuse(errc::limit_exceeded,
                 fmt::format("over the limit of {} bytes of provenance", max_free_text_bytes),
                 {"provenance"});
}

/// An amount of nothing, or nothing of an asset, is no cost. Asked of requests only: journals may
/// hold such events.
void check_cost(request_checker& check, const memory_data& data) {
  const bool has_asset = data.contains("cost.asset");
  if (has_asset == data.contains("cost.amount")) return;
  check.refuse(errc::missing_field, "a cost has an asset and an amount",
               {has_asset ? "data.cost.amount" : "data.cost.asset"});
}

/// Likewise: no field reference can name an empty key.
void check_metadata_names(request_checker& check, const metadata_map& metadata) {
  if (metadata.contains(""))
    check.refuse(errc::limit_exceeded, "a metadata key is not empty", {"metadata"});
}

void check_data(request_checker& check, memory_type type, const memory_data& data) {
  check.require(faults_of(type, data));
  check_cost(check, data);
}

void check_key(request_checker& check, const memory_key& key) {
  for (const auto& [at, name] :
       {std::pair<const char*, const std::string&>("namespace", key.name_space),
        std::pair<const char*, const std::string&>("key", key.name)}) {
    if (name.empty()) check.refuse(errc::missing_field, "it must not be empty", {at});
    check.name({at}, name, max_key_bytes);
  }
}

/// What an update by a span leaves as it is cannot be given beside it.
void check_replacement(request_checker& check, const update_request& r) {
  if (!r.data.empty()) check.refuse(errc::bad_value, "give data or replace, not both", {"replace"});
  if (r.confidence != 1.0)
    check.refuse(errc::bad_value, "replace keeps the confidence", {"confidence"});
  if (!(r.provenance == provenance{}))
    check.refuse(errc::bad_value, "replace keeps the provenance", {"provenance"});
  if (r.replace->from.empty())
    check.refuse(errc::missing_field, "replace names the old text", {"replace.old"});
  check.text({"replace.old"}, r.replace->from, max_data_bytes);
  check.text({"replace.new"}, r.replace->to, max_data_bytes);
  check.text({"replace.field"}, r.replace->field, max_metadata_key_bytes);
}

/// What write and update share besides data: the content of a version.
template <class Request>
void check_content(request_checker& check, const Request& r) {
  check.optional_text({"forms.short"}, r.forms.short_form, max_data_bytes);
  check.optional_text({"forms.medium"}, r.forms.medium_form, max_data_bytes);
  const std::size_t before = check.faults();
  check.time({"valid_from"}, r.valid_from);
  check.time({"valid_until"}, r.valid_until);
  check.time({"expires_at"}, r.expires_at);
  check.time({"created_at"}, r.created_at);
  const auto from = r.valid_from ? r.valid_from : r.created_at;
  if (check.faults() == before && from && r.valid_until && *r.valid_until <= *from)
    check.refuse(errc::bad_interval, "valid_until must be later than valid_from", {"valid_until"});
  check.unit_interval({"confidence"}, r.confidence);
  check_provenance(check, r.provenance);
  if (r.vector) check.require(validate_vector(*r.vector));
  check.name({"actor"}, r.actor, max_actor_bytes);
  check.optional_name({"created_by"}, r.created_by, max_actor_bytes);
  check.text({"payload"}, r.payload, max_payload_bytes);
}

void check_uri(request_checker& check, const memory_uri& uri) {
  if (to_string(uri.type).empty() || uri.version == 0)
    check.refuse(errc::bad_uri, "a uri has a known type and a version of at least 1", {"uri"});
}

void check_edge_key(request_checker& check, const memory_id& src, std::uint8_t type,
                    const memory_id& dst) {
  if (type == 0 || type > edge_type_count)
    check.refuse(errc::invalid_edge_type, fmt::format("there is no edge type {}", type), {"type"});
  if (src == dst) check.refuse(errc::self_edge, "an edge joins two different memories", {"dst"});
  if (src.is_zero()) check.refuse(errc::zero_id, "the source is no id", {"src"});
  if (dst.is_zero()) check.refuse(errc::zero_id, "the destination is no id", {"dst"});
}

void check_edge(request_checker& check, const add_edge_request& r) {
  check_edge_key(check, r.src, r.type, r.dst);
  check.finite({"weight"}, static_cast<double>(r.weight));
  check.text({"kind"}, r.kind, max_free_text_bytes);
  if (r.data.size() > max_edge_data_bytes)
    check.refuse(errc::limit_exceeded,
                 fmt::format("over the limit of {} bytes", max_edge_data_bytes), {"data"});
  check.time({"created_at"}, r.created_at);
  check.text({"actor"}, r.actor, max_actor_bytes);
  check.optional_text({"by"}, r.by, max_actor_bytes);
}

void check_restored(request_checker& check, const version& v) {
  check.text({"version.payload"}, v.payload, max_payload_bytes);
  check.require(validate_data(v.type, v.data));
  check.text({"version.forms.short"}, v.forms.short_form, max_data_bytes);
  check.text({"version.forms.medium"}, v.forms.medium_form, max_data_bytes);
  check.unit_interval({"version.confidence"}, v.confidence);
  check_provenance(check, v.provenance);
  check.text({"version.created_by"}, v.created_by, max_actor_bytes);
  if (check.ok() && v.valid_until && *v.valid_until <= v.valid_from)
    check.refuse(errc::bad_interval, "valid_until must be later than valid_from",
                 {"version.valid_until"});
}

void check_restored(request_checker& check, const head& h) {
  if (h.id.is_zero()) check.refuse(errc::bad_id, "the zero id names no memory", {"head.id"});
  check_tags(check, h.tags);
  check_frames(check, h.frames);
  check_metadata(check, h.metadata);
  if (h.lifecycle) check_lifecycle(check, *h.lifecycle);
  if (h.colour) {
    for (const std::string& hashtag : h.colour->hashtags)
      check.text({"head.colour.hashtags"}, hashtag, max_free_text_bytes);
    for (const double x : {h.colour->L, h.colour->a, h.colour->b}) check.finite({"head.colour"}, x);
    if (!parse_enum<memory_mode>(h.colour->mode))
      check.refuse(errc::bad_value, "there is no such mode", {"head.colour.mode"});
  }
  if (h.tombstone) {
    check.text({"head.tombstone.reason"}, h.tombstone->reason, max_free_text_bytes);
    check.text({"head.tombstone.by"}, h.tombstone->by, max_actor_bytes);
  }
  check.text({"head.actor_scope"}, h.actor_scope, max_actor_bytes);
  if (h.key) check_key(check, *h.key);
}

result<void> refused_for(const fault_list& faults) {
  if (faults) return faults.refusal();
  return {};
}

} // namespace

fault_list faults_of(const write_request& r) {
  request_checker check;
  if (r.id && r.id->is_zero()) check.refuse(errc::bad_id, "the zero id names no memory", {"id"});
  check_data(check, r.type, r.data);
  check_content(check, r);
  check.known({"visibility"}, r.visibility);
  check.range({"importance"}, r.importance, 0, 10);
  check_tags(check, r.tags);
  check_frames(check, r.frames);
  check_names(check, r.tags, r.frames);
  check_metadata_names(check, r.metadata);
  check_metadata(check, r.metadata);
  if (r.lifecycle) check_lifecycle(check, *r.lifecycle);
  if (r.mode) check.known({"mode"}, *r.mode);
  if (r.supersedes.size() > max_superseded)
    check.refuse(errc::limit_exceeded, fmt::format("at most {} memories", max_superseded),
                 {"supersedes"});
  for (std::size_t i = 0; !check.is_full() && i < r.supersedes.size(); ++i) {
    const memory_uri& old = r.supersedes[i];
    if (to_string(old.type).empty() || old.version == 0)
      check.refuse(errc::bad_uri, "a uri has a known type and a version of at least 1",
                   {"supersedes", i});
    if (r.id == old.id)
      check.refuse(errc::self_edge, "no memory supersedes itself", {"supersedes", i});
  }
  return std::move(check).all();
}

result<void> validate_key(const memory_key& key) {
  request_checker check;
  check_key(check, key);
  return check.done();
}

fault_list faults_of(const put_request& r) {
  request_checker check;
  check_key(check, r.key);
  const write_request& w = r.content;
  if (w.type == memory_type::topic)
    check.refuse(errc::bad_value, "a Topic is not put: ingest writes it", {"type"});
  if (!w.supersedes.empty())
    check.refuse(errc::bad_value, "what is put supersedes itself alone", {"supersedes"});
  if (w.similar)
    check.refuse(errc::bad_value, "only a write asks for what is similar", {"similar"});
  check.require(faults_of(w));
  return std::move(check).all();
}

result<void> validate(const delete_by_request& r) {
  request_checker check;
  check_key(check, r.key);
  check.text({"reason"}, r.reason, max_free_text_bytes);
  check.name({"actor"}, r.actor, max_actor_bytes);
  check.optional_name({"by"}, r.by, max_actor_bytes);
  return check.done();
}

result<void> validate(const sweep_request& r) {
  request_checker check;
  if (r.limit) check.range({"limit"}, *r.limit, 1, max_swept);
  check.optional_text({"reason"}, r.reason, max_free_text_bytes);
  check.name({"actor"}, r.actor, max_actor_bytes);
  check.optional_name({"by"}, r.by, max_actor_bytes);
  return check.done();
}

fault_list faults_of(const update_request& r) {
  request_checker check;
  check_uri(check, r.uri);
  if (r.type) check.known({"type"}, *r.type);
  if (r.type && *r.type != r.uri.type)
    check.refuse(errc::type_data_mismatch, "the type is not that of the uri", {"type"});
  if (r.replace)
    check_replacement(check, r);
  else
    check_data(check, r.uri.type, r.data);
  check_content(check, r);
  return std::move(check).all();
}

result<void> validate(const write_request& r) {
  return refused_for(faults_of(r));
}

result<void> validate(const put_request& r) {
  return refused_for(faults_of(r));
}

result<void> validate(const update_request& r) {
  return refused_for(faults_of(r));
}

result<void> validate(const update_head_request& r) {
  request_checker check;
  check_uri(check, r.uri);
  if (r.tags) check_tags(check, *r.tags);
  if (r.frames) check_frames(check, *r.frames);
  check_names(check, r.tags.value_or(std::vector<std::string>()),
              r.frames.value_or(std::vector<intent_frame>()));
  if (r.importance) check.range({"importance"}, *r.importance, 0, 10);
  if (r.visibility) check.known({"visibility"}, *r.visibility);
  if (r.lifecycle) check_lifecycle(check, *r.lifecycle);
  if (r.metadata) check_metadata_names(check, *r.metadata);
  if (r.metadata) check_metadata(check, *r.metadata);
  check.name({"actor"}, r.actor, max_actor_bytes);
  check.optional_name({"by"}, r.by, max_actor_bytes);
  if (!r.tags && !r.frames && !r.importance && !r.visibility && !r.lifecycle && !r.metadata
      && !r.affirm)
    check.refuse(errc::no_op, "the patch changes nothing", {""});
  return check.done();
}

result<void> validate(const tombstone_request& r) {
  request_checker check;
  check_uri(check, r.uri);
  check.text({"reason"}, r.reason, max_free_text_bytes);
  check.known({"cause"}, r.cause);
  if (r.cause == tombstone_cause::erased)
    check.refuse(errc::bad_value, "a memory is erased by erase", {"cause"});
  if (r.superseded_by && r.superseded_by->is_zero())
    check.refuse(errc::bad_id, "the zero id names no memory", {"superseded_by"});
  check.name({"actor"}, r.actor, max_actor_bytes);
  check.optional_name({"by"}, r.by, max_actor_bytes);
  return check.done();
}

result<void> validate(const restore_request& r) {
  request_checker check;
  if (r.id.is_zero()) check.refuse(errc::bad_id, "the zero id names no memory", {"id"});
  check.name({"actor"}, r.actor, max_actor_bytes);
  check.optional_name({"by"}, r.by, max_actor_bytes);
  return check.done();
}

result<void> validate(const add_edge_request& r) {
  request_checker check;
  check_edge(check, r);
  check.name({"actor"}, r.actor, max_actor_bytes);
  check.optional_name({"by"}, r.by, max_actor_bytes);
  return check.done();
}

result<void> validate(const remove_edge_request& r) {
  request_checker check;
  check_edge_key(check, r.src, r.type, r.dst);
  check.text({"reason"}, r.reason, max_free_text_bytes);
  check.name({"actor"}, r.actor, max_actor_bytes);
  check.optional_name({"by"}, r.by, max_actor_bytes);
  return check.done();
}

result<void> validate(const put_record_request& r) {
  request_checker check;
  check_restored(check, r.version);
  check_restored(check, r.head);
  if (r.vector) {
    check.require(validate_vector(*r.vector));
    if (!r.head.embedding || r.head.embedding->dim != r.vector->size())
      check.refuse(errc::bad_value, "the head does not name this vector", {"head.embedding"});
  }
  const bool belong_together = r.head.id == r.version.id && r.head.type == r.version.type
                               && r.head.current_version == r.version.number
                               && r.head.version_hash == r.version.hash;
  if (!belong_together)
    check.refuse(errc::bad_value, "head and version do not belong together", {"head"});
  if (r.head.erased)
    check.refuse(errc::bad_value, "an erased memory has nothing to restore", {"head.erased"});
  // The checks above make encoding safe; decoding finds whatever no engine would have written.
  if (check.ok() && !decode_head(encode(r.head)))
    check.refuse(errc::bad_value, "no head that was written has these values", {"head"});
  if (check.ok() && !decode_version(encode(r.version)))
    check.refuse(errc::bad_value, "no version that was written has these values", {"version"});
  if (check.ok() && hash_of(r.version) != r.version.hash)
    check.refuse(errc::bad_value, "the hash is not that of the content", {"version.hash"});
  return check.done();
}

result<void> validate_actor(std::string_view actor) {
  request_checker check;
  check.text({"actor"}, actor, max_actor_bytes);
  return check.done();
}

result<void> validate_acting(std::string_view actor) {
  request_checker check;
  check.name({"actor"}, actor, max_actor_bytes);
  return check.done();
}

result<void> validate_world_name(std::string_view name) {
  request_checker check;
  check.name({"world_name"}, name, max_actor_bytes);
  return check.done();
}

namespace {

void check_scope_names(request_checker& check, std::string_view kind, std::size_t count) {
  if (count > max_scope_names)
    check.refuse(errc::limit_exceeded,
                 fmt::format("a scope names at most {} of a kind", max_scope_names), {kind});
}

} // namespace

result<void> validate(const scope& s) {
  request_checker check;
  check.text({"scope.actor"}, s.actor, max_actor_bytes);
  check.text({"scope.granted_by"}, s.granted_by, max_actor_bytes);
  check.text({"scope.granted_to"}, s.granted_to, max_actor_bytes);
  for (const auto* selector : {&s.include, &s.exclude}) {
    check_scope_names(check, "scope.types", selector->types.size());
    check_scope_names(check, "scope.tags", selector->tags.size());
    check_scope_names(check, "scope.ids", selector->ids.size());
    if (selector->frame) check_scope_names(check, "scope.frame", selector->frame->refs.size());
    if (!check.ok()) break;
    for (const auto& tag : selector->tags) check.text({"scope.tags"}, tag, max_free_text_bytes);
    if (!selector->frame) continue;
    for (const auto& ref : selector->frame->refs)
      check.text({"scope.frame"}, ref, max_free_text_bytes);
  }
  return check.done();
}

result<void> validate_snapshot(std::string_view reason, std::string_view actor) {
  request_checker check;
  check.text({"reason"}, reason, max_free_text_bytes);
  check.name({"actor"}, actor, max_actor_bytes);
  return check.done();
}

result<void> validate(const head& h) {
  request_checker check;
  check_restored(check, h);
  return check.done();
}

result<void> validate(const put_edge_record_request& r) {
  const edge_record& e = r.edge;
  request_checker check;
  check_edge(check, {.src = e.key.src,
                     .type = static_cast<std::uint8_t>(e.key.type),
                     .dst = e.key.dst,
                     .actor = e.created_by,
                     .weight = e.weight,
                     .kind = e.kind,
                     .data = e.data,
                     .by = e.tombstoned_by,
                     .created_at = e.created_at});
  check.text({"tombstoned_reason"}, e.tombstoned_reason, max_free_text_bytes);
  check.time({"tombstoned_at"}, e.tombstoned_at);
  const bool has_end = e.tombstoned_at || !e.tombstoned_reason.empty() || !e.tombstoned_by.empty();
  if (e.tombstoned != e.tombstoned_at.has_value() || (has_end && !e.tombstoned))
    check.refuse(errc::bad_value, "an edge has a tombstone's fields if it is tombstoned",
                 {"tombstoned"});
  return check.done();
}

result<void> validate(const assign_tag_request& r) {
  request_checker check;
  if (!r.anchor && !r.zone)
    check.refuse(errc::missing_key, "an anchor or a zone is needed", {"anchor"});
  if (r.anchor && r.zone)
    check.refuse(errc::bad_value, "anchor and zone exclude each other", {"zone"});
  if (r.anchor) check.range({"anchor"}, *r.anchor, 1, anchor_count);
  if (r.zone) check.known({"zone"}, *r.zone);
  check.name({"actor"}, r.actor, max_actor_bytes);
  return check.done();
}

result<void> validate(const set_weights_request& r) {
  request_checker check;
  if (!r.weights && !r.reset)
    check.refuse(errc::missing_key, "weights are needed, or reset", {"weights"});
  if (r.weights && r.weights->empty())
    check.refuse(errc::bad_value, "no weight is named", {"weights"});
  check.text({"weights"}, r.weights.value_or(""), max_weights_bytes);
  check.name({"actor"}, r.actor, max_actor_bytes);
  return check.done();
}

result<void> validate_vector(const std::vector<float>& v) {
  const auto refuse = [](std::string message) {
    return fail(errc::bad_vector, std::move(message), "vector");
  };
  if (v.empty()) return refuse("a vector is not empty");
  if (v.size() > max_vector_dim)
    return refuse(fmt::format("a vector has at most {} numbers", max_vector_dim));
  if (!std::ranges::all_of(v, [](float x) { return std::isfinite(x); }))
    return refuse("the numbers of a vector are finite");
  if (std::ranges::all_of(v, [](float x) { return x == 0; }))
    return refuse("the zero vector has no direction");
  return {};
}

std::vector<std::string> normalise_tags(std::vector<std::string> tags) {
  for (auto& tag : tags) tag = composed(std::move(tag));
  std::ranges::sort(tags);
  const auto repeated = std::ranges::unique(tags);
  tags.erase(repeated.begin(), repeated.end());
  return tags;
}

result<void> validate_transition(const std::optional<lifecycle>& from, const lifecycle& to) {
  using enum lifecycle_status;
  if (!from || !from->status || !to.status || *from->status == *to.status) return {};
  const lifecycle_status old_status = *from->status;
  const lifecycle_status new_status = *to.status;
  bool allowed = old_status == archived || new_status == archived || new_status == open;
  if (old_status == open) allowed = true;
  if (old_status == waiting || old_status == scheduled)
    allowed = allowed || new_status == resolved || new_status == expired;
  if (allowed) return {};
  return fail(errc::bad_transition,
              fmt::format("{} does not become {}", to_string(old_status), to_string(new_status)),
              "lifecycle.status");
}

} // namespace mneme
