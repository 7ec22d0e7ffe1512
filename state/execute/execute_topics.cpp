// Ingest, forget, unarchive, and the fields of topics.

#include <cmath>

#include <fmt/format.h>

#include "messages/text/topic_text.hpp"
#include "messages/validate/validate.hpp"
#include "messages/validate/validate_topics.hpp"
#include "state/execute/execution.hpp"
#include "views/standing.hpp"

namespace mneme {

namespace {

/// Below it forget() takes a topic away.
constexpr std::int64_t forget_below_e9 = salience_one_e9 / 20;

std::int64_t to_e9(double salience) {
  return std::llround(salience * static_cast<double>(salience_one_e9));
}

memory_uri uri_of(const head& h) {
  return {h.type, h.id, h.current_version};
}

/// A topic that can be changed.
result<head> existing_topic(execution& x, const memory_id& id, const char* key) {
  auto found = x.state.head(id);
  if (!found) return propagate(found);
  if (!found->has_value()) return fail(errc::not_found, "there is no topic " + to_string(id), key);
  head h = std::move(**found);
  if (h.erased) return fail(errc::erased, "topic " + to_string(id) + " was erased", key);
  if (h.type != memory_type::topic)
    return fail(errc::type_data_mismatch,
                to_string(id) + " is a " + std::string(to_string(h.type)) + ", not a Topic", key);
  if (h.tombstone) return fail(errc::tombstoned, "topic " + to_string(id) + " was tombstoned", key);
  return h;
}

memory_data data_of(const ingest_request& r, memory_data data) {
  if (r.title) data["title"] = *r.title;
  if (r.summary) data["summary"] = *r.summary;
  if (r.topic_kind) data["topic_kind"] = *r.topic_kind;
  return data;
}

/// Who does it; the topic may be another's.
const std::string& acting_in(const ingest_request& r) {
  return r.created_by ? *r.created_by : r.actor;
}

bool tells_trust(const ingest_request& r) {
  return r.trust || r.source_class;
}

/// What the request tells of trust, or the one of its fields that is trusted least.
provenance least_trusted(const ingest_request& r) {
  provenance least;
  least.trust = r.trust;
  least.source_class = r.source_class;
  for (const auto& f : r.fields)
    if (own_distrust_e9(f.provenance) > own_distrust_e9(least)) least = f.provenance;
  return least;
}

/// `p` with what another one tells of trust.
provenance with_trust_of(const provenance& told, provenance p) {
  p.trust = told.trust;
  p.source_class = told.source_class;
  return p;
}

/// What the request adds is part of what the topic says, which is trusted as its least part is.
bool lowers_trust(const provenance& least, const version& present) {
  return own_distrust_e9(least) > own_distrust_e9(present.provenance);
}

/// The update that leaves the topic as it is.
update_request unchanged_topic(const head& h, const version& present, const std::string& actor) {
  update_request u;
  u.uri = uri_of(h);
  u.data = present.data;
  u.actor = actor;
  if (present.short_overridden) u.forms.short_form = present.forms.short_form;
  if (present.medium_overridden) u.forms.medium_form = present.forms.medium_form;
  u.valid_from = present.valid_from;
  u.valid_until = present.valid_until;
  u.expires_at = present.expires_at;
  u.confidence = present.confidence;
  u.provenance = present.provenance;
  return u;
}

result<void> put_topic_version(execution& x, const update_request& u, bool vector_is_later) {
  if (auto ok = validate(u); !ok) return ok;
  auto content = prepare_content(memory_type::topic, u.data, u.forms, u.vector, x.now, x.seams, {},
                                 {.is_known = false});
  if (!content) return propagate(content);
  content->vector_is_later = vector_is_later;
  if (auto ok = run_part(x, u, *content); !ok) return ok;
  x.out.results.pop_back();
  return {};
}

/// The next version of a topic, unless it would say the same: only what the request names changes.
result<bool> update_topic(execution& x, const ingest_request& r, const head& h) {
  const bool changes = r.title || r.summary || r.topic_kind || r.vector;
  const provenance least = least_trusted(r);
  if (!changes && own_distrust_e9(least) == 0) return false;
  auto present = x.state.topic_version(h);
  if (!present) return propagate(present);
  const bool lowers = lowers_trust(least, *present);
  if (!changes && !lowers) return false;
  update_request u = unchanged_topic(h, *present, acting_in(r));
  u.data = data_of(r, std::move(u.data));
  if (lowers) u.provenance = with_trust_of(least, std::move(u.provenance));
  u.vector = r.vector;
  if (auto ok = put_topic_version(x, u, !r.fields.empty()); !ok) return propagate(ok);
  return true;
}

/// Adds the sources of `from` that are not there, as many as there is room for.
bool add_sources(const provenance& from, provenance& to) {
  std::size_t bytes = to.signed_by.size() + to.signature.size();
  for (const auto* list : {&to.derived_from, &to.attestations})
    for (const auto& text : *list) bytes += text.size() + 1;
  bool is_added = false;
  for (const auto& uri : from.derived_from) {
    if (std::ranges::find(to.derived_from, uri) != to.derived_from.end()) continue;
    bytes += uri.size() + 1;
    if (bytes > max_free_text_bytes) break;
    to.derived_from.push_back(uri);
    is_added = true;
  }
  return is_added;
}

/// Writes or finds the topic that the request is about, and brings it to what the request says
/// besides fields and links.
result<head> place_topic(execution& x, const ingest_request& r, const prepared& p,
                         topic_changes& changes) {
  if (r.placement == ingest_placement::new_topic) {
    if (auto ok = run_part(x, topic_write_of(r), p); !ok) {
      if (ok.error().at == "id") ok.error().at = "topic_id";
      return propagate(ok);
    }
    const memory_id id = x.out.results.back().uri->id;
    x.out.results.pop_back();
    changes.applied.push_back("created_topic:" + to_string(id));
    return existing_topic(x, id, "topic_id");
  }
  auto h = existing_topic(x, *r.topic_id, "topic_id");
  if (!h) return h;
  auto updated = update_topic(x, r, *h);
  if (!updated) return propagate(updated);
  if (!*updated) return h;
  changes.applied.push_back("updated_topic:" + to_string(h->id));
  return existing_topic(x, *r.topic_id, "topic_id");
}

void set_salience(execution& x, const memory_id& topic, double salience, const ingest_request& r,
                  topic_changes& changes) {
  topic_salience_payload p{.topic = topic,
                           .from_e9 = x.state.topic_salience_e9(topic),
                           .to_e9 = to_e9(salience),
                           .reason = "set",
                           .nonce = x.draw.draw_nonce()};
  x.state.put_topic_salience(topic, p.to_e9);
  append_entry(x, entry_kind::topic_salience, acting_in(r), {}, std::move(p));
  changes.applied.push_back("salience:" + to_string(topic));
}

result<void> check_reference(execution& x, const field_input& f) {
  if (!f.ref_topic_id) return {};
  const std::string at = "fields." + f.name + ".ref_topic_id";
  auto found = x.state.head(*f.ref_topic_id);
  if (!found) return propagate(found);
  if (!found->has_value() || (*found)->type != memory_type::topic)
    return fail(errc::not_found, "there is no topic " + to_string(*f.ref_topic_id), at);
  return {};
}

/// A field that tells nothing of trust has what the request tells.
provenance provenance_of(const ingest_request& r, const field_input& f) {
  if (!tells_trust(r) || f.provenance.trust || f.provenance.source_class) return f.provenance;
  provenance p = f.provenance;
  p.trust = r.trust;
  p.source_class = r.source_class;
  return p;
}

/// What a topic's subject is also called says who owns it, or the host: nobody else takes these
/// names from him.
result<void> check_naming(const ingest_request& r, const head& topic, const field_input& f) {
  const std::string& by = acting_in(r);
  if (f.name != aliases_field || r.placement == ingest_placement::new_topic || by.empty()
      || by == topic.actor_scope)
    return {};
  return fail(errc::actor_mismatch,
              fmt::format("only \"{}\" says what else this is called", topic.actor_scope),
              "fields." + f.name);
}

/// Appends a revision to a field, which is made if need be.
result<void> put_field(execution& x, const ingest_request& r, const memory_id& topic,
                       const field_input& f, topic_changes& changes) {
  auto existing = x.state.field(topic, f.name);
  if (!existing) return propagate(existing);
  if (!existing->has_value() && r.placement == ingest_placement::version_field) {
    auto is_erased = x.state.is_field_erased(topic, f.name);
    if (!is_erased) return propagate(is_erased);
    if (*is_erased)
      return fail(errc::erased,
                  "field " + f.name + " of " + to_string(topic)
                      + " was erased; extend_topic sets it anew",
                  "fields." + f.name);
    return fail(errc::not_found,
                "topic " + to_string(topic) + " has no field " + f.name + "; extend_topic adds one",
                "fields." + f.name);
  }
  if (auto ok = check_reference(x, f); !ok) return ok;
  const timestamp from = f.valid_from.value_or(x.now);
  if (f.valid_until && *f.valid_until <= from)
    return fail(errc::bad_interval, "valid_until must be later than valid_from",
                "fields." + f.name + ".valid_until");
  topic_field field = existing->value_or(topic_field{});
  if (!existing->has_value()) {
    field.head.topic = topic;
    field.head.name = f.name;
    field.head.type = type_of(f.value);
  }
  if (f.type) field.head.type = *f.type;
  if (f.ref_topic_id) field.head.ref_topic_id = f.ref_topic_id;
  if (f.salience) field.salience_e9 = to_e9(*f.salience);
  field.current = ++field.head.revisions;
  field_revision revision{.topic = topic,
                          .field = f.name,
                          .number = field.current,
                          .value = f.value,
                          .valid_from = from,
                          .valid_until = f.valid_until,
                          .why_changed = f.why_changed,
                          .impact_expected = f.impact_expected,
                          .operation = f.operation,
                          .provenance = provenance_of(r, f),
                          .created_at = x.now,
                          .created_by = acting_in(r),
                          .merged_from = {},
                          .nonce = x.draw.draw_nonce(),
                          .hash = {}};
  revision.hash = hash_of(revision);
  field.head.newest_hash = revision.hash;
  x.state.put(field, {revision});
  x.changed_texts.try_emplace(topic);
  append_entry(x, entry_kind::field, acting_in(r), {leaf_of(field.head)},
               field_payload{field, {std::move(revision)}});
  changes.applied.push_back("field:" + f.name);
  changes.revisions[f.name] = field.current;
  return {};
}

result<void> put_link(execution& x, const ingest_request& r, const memory_id& topic, std::size_t i,
                      topic_changes& changes) {
  const topic_link& link = r.links[i];
  if (link.topic_id == topic)
    return fail(errc::self_edge, "a topic has no link to itself",
                "links[" + std::to_string(i) + "].topic_id");
  add_edge_request edge;
  edge.src = topic;
  edge.type = link.type;
  edge.dst = link.topic_id;
  edge.actor = acting_in(r);
  edge.kind = link.kind;
  if (auto ok = run_part(x, edge); !ok) return ok;
  if (x.out.results.back().changed) changes.applied.push_back("edge:" + to_string(link.topic_id));
  x.out.results.pop_back();
  return {};
}

} // namespace

write_request topic_write_of(const ingest_request& r) {
  write_request w;
  w.type = memory_type::topic;
  w.data = data_of(r, {});
  w.actor = r.actor;
  w.created_by = r.created_by;
  w.id = r.topic_id;
  w.visibility = r.visibility.value_or(visibility::private_);
  w.provenance = with_trust_of(least_trusted(r), {});
  w.vector = r.vector;
  return w;
}

std::vector<topic_value> values_of(const ingest_request& r) {
  std::map<std::string_view, const json_value*> last;
  for (const auto& f : r.fields) last.insert_or_assign(f.name, &f.value);
  std::vector<topic_value> values;
  values.reserve(last.size());
  for (const auto& [name, value] : last) values.push_back({std::string(name), *value});
  return values;
}

result<void> trust_no_further(execution& x, const memory_id& topic, const provenance& added,
                              const std::string& actor) {
  auto h = existing_topic(x, topic, "topic_id");
  if (!h) return propagate(h);
  auto present = x.state.topic_version(*h);
  if (!present) return propagate(present);
  update_request u = unchanged_topic(*h, *present, actor);
  const bool lowers = lowers_trust(added, *present);
  if (lowers) u.provenance = with_trust_of(added, std::move(u.provenance));
  if (!add_sources(added, u.provenance) && !lowers) return {};
  return put_topic_version(x, u, true);
}

bool is_open(const execution& x, const head& h) {
  return x.seams.within == nullptr || x.seams.within->may_see(h);
}

bool is_archived(const head& h) {
  return h.lifecycle && h.lifecycle->status == lifecycle_status::archived;
}

void archive(head& h, timestamp now) {
  if (!h.lifecycle) h.lifecycle.emplace();
  h.lifecycle->status = lifecycle_status::archived;
  h.last_updated_at = now;
}

result<prepared> prepare_ingest(const ingest_request& r, timestamp now,
                                const execution_seams& seams, const prepared_ahead& ahead) {
  prepared p;
  p.now = now;
  if (r.placement != ingest_placement::new_topic) return p;
  const write_request w = topic_write_of(r);
  if (auto ok = validate(w); !ok) return propagate(ok);
  auto content = prepare_content(w.type, w.data, w.forms, w.vector, now, seams, ahead,
                                 {.values = values_of(r)});
  if (content) content->vector_is_later = !r.fields.empty();
  return content;
}

result<void> run(execution& x, const ingest_request& r, const prepared& p) {
  const std::size_t before = x.out.entries.size();
  topic_changes changes;
  auto topic = place_topic(x, r, p, changes);
  if (!topic) return propagate(topic);
  if (r.salience) set_salience(x, topic->id, *r.salience, r, changes);
  for (const auto& f : r.fields) {
    if (auto ok = check_naming(r, *topic, f); !ok) return ok;
    if (auto ok = put_field(x, r, topic->id, f, changes); !ok) return ok;
  }
  for (std::size_t i = 0; i < r.links.size(); ++i)
    if (auto ok = put_link(x, r, topic->id, i, changes); !ok) return ok;
  mutation_result done = changed_memory(x, *topic);
  done.changed = x.out.entries.size() > before;
  done.topics = std::move(changes);
  x.out.results.push_back(std::move(done));
  return {};
}

namespace {

struct faded_topic {
  head of;
  std::int64_t salience_e9 = 0;
};

/// What a sweep archives, in the order of ids.
result<std::vector<faded_topic>> faded_topics(execution& x) {
  std::vector<faded_topic> found;
  for (const auto& id : x.state.topics()) {
    if (x.out.entries.size() + found.size() >= sweep_entries) break;
    if (auto ok = in_time(x); !ok) return propagate(ok);
    auto h = x.state.head(id);
    if (!h) return propagate(h);
    if (!h->has_value()) continue;
    const head& topic = **h;
    if (topic.tombstone || topic.erased || is_archived(topic) || !is_open(x, topic)) continue;
    const std::int64_t salience_e9 = x.state.topic_salience_e9(id);
    if (salience_e9 < forget_below_e9) found.push_back({std::move(**h), salience_e9});
  }
  return found;
}

} // namespace

result<void> run(execution& x, const forget_request& r, const prepared&) {
  auto faded = faded_topics(x);
  if (!faded) return propagate(faded);
  topic_changes changes;
  for (auto& [h, salience_e9] : *faded) {
    archive(h, x.now);
    x.state.put(h);
    x.state.put_topic_salience(h.id, salience_e9 / 2);
    append_entry(
        x, entry_kind::topic_archive, r.actor, {leaf_of(h)},
        topic_archive_payload{.head = h, .from_e9 = salience_e9, .to_e9 = salience_e9 / 2});
    changes.archived.push_back(h.id);
  }
  mutation_result done = unchanged(x);
  done.changed = !changes.archived.empty();
  done.topics = std::move(changes);
  x.out.results.push_back(std::move(done));
  return {};
}

result<void> run(execution& x, const unarchive_request& r, const prepared&) {
  auto h = existing_topic(x, r.id, "id");
  if (!h) return propagate(h);
  if (!is_archived(*h)) {
    x.out.results.push_back(unchanged(x, uri_of(*h)));
    return {};
  }
  h->lifecycle->status = lifecycle_status::open;
  h->last_updated_at = x.now;
  x.state.put(*h);
  append_entry(x, entry_kind::topic_unarchive, r.actor, {leaf_of(*h)}, head_payload{*h});
  x.out.results.push_back(changed_memory(x, *h));
  return {};
}

} // namespace mneme
