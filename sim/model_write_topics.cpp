/// Ingest, revise, forget and unarchive, over the model.

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "index/lexical/text_terms.hpp"
#include "index/vectors/vectors.hpp"
#include "messages/codec/leaf_of.hpp"
#include "messages/codec/topic_records.hpp"
#include "messages/text/folded_text.hpp"
#include "messages/text/forms.hpp"
#include "messages/text/topic_text.hpp"
#include "messages/validate/validate_topics.hpp"
#include "sim/model_doors.hpp"
#include "sim/model_lineage.hpp"
#include "sim/model_write.hpp"

namespace mneme::sim {

namespace {

void set_archived(head& h, timestamp now) {
  lifecycle l = h.lifecycle.value_or(lifecycle{});
  l.status = lifecycle_status::archived;
  h.lifecycle = l;
  h.last_updated_at = now;
}

std::int64_t fixed(double salience) {
  return std::llround(salience * 1e9);
}

write_outcome refused_with(errc code) {
  write_outcome out;
  out.refused = code;
  return out;
}

std::expected<head, errc> live_topic(const model& state, const memory_id& id) {
  auto h = state.head_at(id, state.last());
  if (!h) return std::unexpected(errc::not_found);
  if (h->erased) return std::unexpected(errc::erased);
  if (h->type != memory_type::topic) return std::unexpected(errc::type_data_mismatch);
  if (h->tombstone) return std::unexpected(errc::tombstoned);
  return std::move(*h);
}

class ingestion {
public:
  ingestion(const model& state, const ingest_request& r, timestamp now, entry_sink& entries)
      : state_(state),
        r_(r),
        acting_(r.created_by.value_or(r.actor)),
        now_(now),
        entries_(entries) {}

  write_outcome run() {
    if (auto code = place()) return refused_with(*code);
    if (r_.salience) set_salience();
    for (const auto& f : r_.fields)
      if (auto code = put_field(f)) return refused_with(*code);
    for (const auto& link : r_.links)
      if (auto code = put_link(link)) return refused_with(*code);
    if (has_new_text_) take_topic_text(state_, topic_, held_, entries_);
    const head h = *state_.head_at(topic_, state_.last());
    write_outcome out;
    out.changed = changed_;
    out.uri = memory_uri{h.type, h.id, h.current_version};
    out.topics = changes_;
    return out;
  }

private:
  template <class Request>
  std::optional<errc> part(const Request& r, write_outcome& out) {
    out = outcome_of(state_, mutation(r), now_, entries_);
    changed_ |= out.changed;
    return out.refused;
  }

  /// Of a topic that has fields, or gets some, the content is not the whole text.
  template <class Request>
  std::optional<errc> content_part(const Request& r, write_outcome& out) {
    has_new_text_ = !r_.fields.empty()
                    || (r_.topic_id && !state_.fields_at(*r_.topic_id, state_.last()).empty());
    if (!has_new_text_) return part(r, out);
    out = content_outcome_of(state_, r, now_, entries_, held_);
    changed_ |= out.changed;
    return out.refused;
  }

  [[nodiscard]] bool tells_trust() const { return r_.trust || r_.source_class; }
  [[nodiscard]] provenance told(provenance p) const {
    p.trust = r_.trust;
    p.source_class = r_.source_class;
    return p;
  }
  /// As the least of what is told, of the whole or of one field.
  [[nodiscard]] provenance least_told(provenance p) const {
    provenance least = told({});
    for (const auto& f : r_.fields)
      if (own_trust(f.provenance) < own_trust(least)) least = f.provenance;
    p.trust = least.trust;
    p.source_class = least.source_class;
    return p;
  }
  /// A topic that is there is trusted less by what is added, never more.
  [[nodiscard]] bool lowers(const version& v) const {
    return own_trust(least_told({})) < own_trust(v.provenance);
  }

  void name_texts(memory_data& data) const {
    if (r_.title) data["title"] = *r_.title;
    if (r_.summary) data["summary"] = *r_.summary;
    if (r_.topic_kind) data["topic_kind"] = *r_.topic_kind;
  }

  std::optional<errc> place() {
    write_outcome out;
    if (r_.placement == ingest_placement::new_topic) {
      write_request w;
      w.type = memory_type::topic;
      name_texts(w.data);
      w.actor = r_.actor;
      w.created_by = r_.created_by;
      w.id = r_.topic_id;
      w.visibility = r_.visibility.value_or(visibility::private_);
      w.vector = r_.vector;
      w.provenance = least_told({});
      if (auto code = content_part(w, out)) return code;
      topic_ = out.uri->id;
      changes_.applied.push_back("created_topic:" + to_string(topic_));
      return std::nullopt;
    }
    topic_ = *r_.topic_id;
    const auto h = live_topic(state_, topic_);
    if (!h) return h.error();
    const version v = *state_.version_at(topic_, h->current_version, state_.last());
    if (!r_.title && !r_.summary && !r_.topic_kind && !r_.vector && !lowers(v)) return std::nullopt;
    update_request u;
    u.uri = {h->type, h->id, h->current_version};
    u.data = v.data;
    name_texts(u.data);
    u.actor = acting_;
    if (v.short_overridden) u.forms.short_form = v.forms.short_form;
    if (v.medium_overridden) u.forms.medium_form = v.forms.medium_form;
    u.valid_from = v.valid_from;
    u.valid_until = v.valid_until;
    u.expires_at = v.expires_at;
    u.confidence = v.confidence;
    u.provenance = lowers(v) ? least_told(v.provenance) : v.provenance;
    u.vector = r_.vector;
    if (auto code = content_part(u, out)) return code;
    changes_.applied.push_back("updated_topic:" + to_string(topic_));
    return std::nullopt;
  }

  void set_salience() {
    const std::int64_t before =
        state_.memory_at(topic_, state_.last())->activation.topic_salience_e9;
    take(entry_kind::topic_salience, {},
         topic_salience_payload{topic_, before, fixed(*r_.salience), "set",
                                entries_.next_drawn().nonce});
    changes_.applied.push_back("salience:" + to_string(topic_));
  }

  std::optional<errc> put_field(const field_input& f) {
    if (f.name == "aliases" && r_.placement != ingest_placement::new_topic && !acting_.empty()
        && acting_ != state_.head_at(topic_, state_.last())->actor_scope)
      return errc::actor_mismatch;
    const auto known = state_.field_at(topic_, f.name, state_.last());
    if (!known && r_.placement == ingest_placement::version_field) {
      const auto erased = state_.erased_fields_at(topic_, state_.last());
      const bool is_erased = std::ranges::any_of(
          erased, [&](const topic_field& gone) { return gone.head.name == f.name; });
      return is_erased ? errc::erased : errc::not_found;
    }
    if (f.ref_topic_id) {
      const auto ref = state_.head_at(*f.ref_topic_id, state_.last());
      if (!ref || ref->type != memory_type::topic) return errc::not_found;
    }
    const timestamp from = f.valid_from.value_or(now_);
    if (f.valid_until && *f.valid_until <= from) return errc::bad_interval;
    topic_field field = known.value_or(topic_field{});
    field.head.topic = topic_;
    field.head.name = f.name;
    field.head.type = f.type.value_or(known ? known->head.type : type_of(f.value));
    if (f.ref_topic_id) field.head.ref_topic_id = f.ref_topic_id;
    if (f.salience) field.salience_e9 = fixed(*f.salience);
    has_new_text_ = true;
    const auto nonces = entries_.next_drawn().revision_nonces;
    field_revision r;
    r.topic = topic_;
    r.field = f.name;
    r.number = field.head.revisions + 1;
    r.value = f.value;
    r.valid_from = from;
    r.valid_until = f.valid_until;
    r.why_changed = f.why_changed;
    r.impact_expected = f.impact_expected;
    r.operation = f.operation;
    r.provenance = f.provenance;
    if (tells_trust() && !f.provenance.trust && !f.provenance.source_class)
      r.provenance = told(f.provenance);
    r.created_at = now_;
    r.created_by = acting_;
    if (!nonces.empty()) r.nonce = nonces.front();
    r.hash = hash_of(r);
    field.current = field.head.revisions = r.number;
    field.head.newest_hash = r.hash;
    take(entry_kind::field, {leaf_of(field.head)}, field_payload{field, {r}});
    changes_.applied.push_back("field:" + f.name);
    changes_.revisions[f.name] = r.number;
    return std::nullopt;
  }

  std::optional<errc> put_link(const topic_link& link) {
    if (link.topic_id == topic_) return errc::self_edge;
    add_edge_request e;
    e.src = topic_;
    e.type = link.type;
    e.dst = link.topic_id;
    e.actor = acting_;
    e.kind = link.kind;
    write_outcome out;
    if (auto code = part(e, out)) return code;
    if (out.changed) changes_.applied.push_back("edge:" + to_string(link.topic_id));
    return std::nullopt;
  }

  void take(entry_kind kind, std::vector<state_leaf> leaves, entry_payload payload) {
    changed_ = true;
    entries_.take({kind, acting_, std::move(leaves), std::move(payload)});
  }

  const model& state_;
  const ingest_request& r_;
  std::string acting_;
  timestamp now_;
  entry_sink& entries_;
  memory_id topic_;
  topic_changes changes_;
  held_vector held_;
  bool has_new_text_ = false;
  bool changed_ = false;
};

class merging {
public:
  merging(const model& state, const std::string& actor, timestamp now, entry_sink& entries)
      : state_(state), actor_(actor), now_(now), entries_(entries) {}

  /// `held`: the vector of the keeper, where it gets a version here.
  void merge(const memory_id& keeper, const memory_id& loser, held_vector& held) {
    move_edges(keeper, loser);
    const auto fields = state_.fields_at(loser, state_.last());
    for (const auto& f : fields) move_field(keeper, loser, f);
    if (!fields.empty())
      trust_less(keeper, state_.memory_at(loser, state_.last())->version->provenance, held);
    head h = *state_.head_at(loser, state_.last());
    set_archived(h, now_);
    entries_.take({entry_kind::topic_merge, actor_, {leaf_of(h)}, topic_merge_payload{keeper, h}});
    add_edge_request e;
    e.src = keeper;
    e.type = static_cast<std::uint8_t>(edge_type::supersedes);
    e.dst = loser;
    e.actor = actor_;
    outcome_of(state_, e, now_, entries_);
  }

private:
  /// Text of a topic with `added` is in the keeper: it rests on the same, and is trusted no more.
  void trust_less(const memory_id& keeper, const provenance& added, held_vector& held) {
    const auto m = state_.memory_at(keeper, state_.last());
    const version& v = *m->version;
    provenance p = v.provenance;
    if (own_trust(added) < own_trust(p)) {
      p.trust = added.trust;
      p.source_class = added.source_class;
    }
    for (const auto& uri : added.derived_from)
      if (std::ranges::count(p.derived_from, uri) == 0) p.derived_from.push_back(uri);
    if (p == v.provenance) return;
    update_request u;
    u.uri = {m->head->type, keeper, v.number};
    u.data = v.data;
    u.actor = actor_;
    if (v.short_overridden) u.forms.short_form = v.forms.short_form;
    if (v.medium_overridden) u.forms.medium_form = v.forms.medium_form;
    u.valid_from = v.valid_from;
    u.valid_until = v.valid_until;
    u.expires_at = v.expires_at;
    u.confidence = v.confidence;
    u.provenance = p;
    held_vector now_held;
    content_outcome_of(state_, u, now_, entries_, now_held);
    if (now_held) held = now_held;
  }

  /// In key order.
  void move_edges(const memory_id& keeper, const memory_id& loser) {
    for (const auto& e : state_.edges_at(state_.last())) {
      if (e.tombstoned || (e.key.src != loser && e.key.dst != loser)) continue;
      add_edge_request moved;
      moved.src = e.key.src == loser ? keeper : e.key.src;
      moved.dst = e.key.dst == loser ? keeper : e.key.dst;
      moved.type = static_cast<std::uint8_t>(e.key.type);
      moved.actor = actor_;
      moved.weight = e.weight;
      moved.kind = e.kind;
      moved.data = e.data;
      if (moved.src != moved.dst) outcome_of(state_, moved, now_, entries_);
      remove_edge_request old;
      old.src = e.key.src;
      old.type = moved.type;
      old.dst = e.key.dst;
      old.actor = actor_;
      old.reason = "merged";
      outcome_of(state_, old, now_, entries_);
    }
  }

  void move_field(const memory_id& keeper, const memory_id& loser, const topic_field& f) {
    auto revisions = state_.revisions_of(f);
    const auto own = state_.field_at(keeper, f.head.name, state_.last());
    topic_field field = own.value_or(f);
    field.head.topic = keeper;
    if (own) std::ranges::stable_sort(revisions, {}, &field_revision::valid_from);
    const auto nonces = entries_.next_drawn().revision_nonces;
    for (std::size_t i = 0; i < revisions.size(); ++i) {
      auto& r = revisions[i];
      r.topic = keeper;
      if (own) {
        r.number = ++field.head.revisions;
        if (!r.merged_from) r.merged_from = loser;
      }
      r.nonce = i < nonces.size() ? nonces[i] : nonce{};
      r.hash = hash_of(r);
    }
    if (!own) field.head.newest_hash = revisions.at(field.current - 1).hash;
    entries_.take({entry_kind::field,
                   actor_,
                   {leaf_of(field.head)},
                   field_payload{field, std::move(revisions)}});
  }

  const model& state_;
  const std::string& actor_;
  timestamp now_;
  entry_sink& entries_;
};

/// Live topics that are not archived and that a scope, if there is one, opens, in id order.
std::vector<head> open_topics(const model& state, const scope* within) {
  std::vector<head> found;
  for (const auto& id : state.ids_at(state.last())) {
    auto h = state.head_at(id, state.last());
    if (h->type == memory_type::topic && !h->tombstone && !is_archived(*h)
        && sees(viewer{{}, within}, *h))
      found.push_back(std::move(*h));
  }
  return found;
}

/// Whether all that a topic is linked to is open to the scope: what is merged keeps its links.
bool has_open_links(const model& state, const memory_id& topic, const scope* within) {
  const auto is_open = [&](const edge_record& e) {
    const auto h = state.head_at(e.key.src == topic ? e.key.dst : e.key.src, state.last());
    return e.tombstoned || (h && sees(viewer{{}, within}, *h));
  };
  return within == nullptr
         || (std::ranges::all_of(state.edges_out(topic, state.last()), is_open)
             && std::ranges::all_of(state.edges_in(topic, state.last()), is_open));
}

} // namespace

void take_topic_text(const model& state, const memory_id& topic, const held_vector& held,
                     entry_sink& entries) {
  const auto m = state.memory_at(topic, state.last());
  const auto values = state.values_at(topic, state.last());
  if (m->head->tombstone || values.empty()) return;
  const memory_data& data = m->version->data;
  const auto& embeds = state.seams().embeds;
  std::vector<float> vector;
  if (held)
    vector = *held;
  else if (embeds != nullptr && !state.seams().is_late)
    vector = embeds->embed(embedding_text(memory_type::topic, data) + field_lines(values))
                 .value_or(std::vector<float>{});
  else if (embeds == nullptr)
    vector = state.vector_at(topic, state.last());
  embed_payload p{m->head, {}, searched_text(memory_type::topic, data) + field_lines(values)};
  p.head.embedding.reset();
  if (!vector.empty()) {
    const auto dim = static_cast<std::uint32_t>(vector.size());
    vector_space space = state.space_at(state.last());
    if (space.dim == 0) space = {"external", dim};
    p.head.embedding = embedding_ref{dim, p.head.current_version};
    p.vector = spaced_vector{std::move(space), std::move(vector)};
  }
  const state_leaf leaf = leaf_of(p.head);
  entries.take({entry_kind::embed, "", {leaf}, std::move(p)});
}

write_outcome topic_outcome_of(const model& state, const ingest_request& r, timestamp now,
                               entry_sink& entries) {
  return ingestion(state, r, now, entries).run();
}

write_outcome topic_outcome_of(const model& state, const revise_request& r, timestamp now,
                               entry_sink& entries, const scope* within) {
  std::map<std::tuple<std::string, std::string, visibility>, std::vector<memory_id>> equal;
  for (const auto& h : open_topics(state, within)) {
    if (!has_open_links(state, h.id, within)) continue;
    const auto m = *state.memory_at(h.id, state.last());
    const auto title = m.version->data.find("title");
    if (title == m.version->data.end()) continue;
    const auto& text = std::get<std::string>(title->second);
    if (!text.empty()) equal[{text, h.actor_scope, h.visibility}].push_back(h.id);
  }
  std::map<memory_id, std::vector<memory_id>> losers; // by keeper
  for (const auto& [what, ids] : equal)
    for (std::size_t i = 1; i < ids.size(); ++i) losers[ids[0]].push_back(ids[i]);
  write_outcome out;
  out.topics.emplace();
  std::map<memory_id, held_vector> texts; // that changed
  for (const auto& [keeper, ids] : losers)
    for (const auto& loser : ids) {
      const bool has_fields = !state.fields_at(loser, state.last()).empty();
      held_vector held;
      merging(state, r.actor, now, entries).merge(keeper, loser, held);
      if (has_fields) texts.try_emplace(keeper);
      if (held) texts[keeper] = held;
      out.topics->merged.push_back({keeper, loser});
      out.changed = true;
    }
  for (const auto& [keeper, held] : texts) take_topic_text(state, keeper, held, entries);
  return out;
}

write_outcome topic_outcome_of(const model& state, const forget_request& r, timestamp now,
                               entry_sink& entries, const scope* within) {
  write_outcome out;
  out.topics.emplace();
  for (head h : open_topics(state, within)) {
    const auto salience = state.memory_at(h.id, state.last())->activation.topic_salience_e9;
    if (salience >= 50'000'000) continue;
    set_archived(h, now);
    entries.take({entry_kind::topic_archive,
                  r.actor,
                  {leaf_of(h)},
                  topic_archive_payload{h, salience, salience / 2}});
    out.topics->archived.push_back(h.id);
    out.changed = true;
  }
  return out;
}

write_outcome topic_outcome_of(const model& state, const unarchive_request& r, timestamp now,
                               entry_sink& entries) {
  auto h = live_topic(state, r.id);
  if (!h) return refused_with(h.error());
  write_outcome out;
  out.uri = memory_uri{h->type, h->id, h->current_version};
  if (!is_archived(*h)) return out;
  h->lifecycle->status = lifecycle_status::open;
  h->last_updated_at = now;
  entries.take({entry_kind::topic_unarchive, r.actor, {leaf_of(*h)}, head_payload{*h}});
  out.changed = true;
  return out;
}

namespace {

/// Live memories that the writer sees and that are compared with it: topics with topics, chunks
/// with chunks.
std::vector<memory_id> compared_with(const model& state, const memory_id& written,
                                     const viewer& who, seq_no at) {
  const auto kind = [](const head& h) {
    return h.type == memory_type::topic ? 1 : h.type == memory_type::chunk ? 2 : 3;
  };
  const head own = *state.head_at(written, at);
  std::vector<memory_id> ids;
  for (const auto& id : state.ids_at(at)) {
    const head h = *state.head_at(id, at);
    const bool is_out = h.tombstone || (h.type == memory_type::topic && is_archived(h));
    if (id != written && kind(h) == kind(own) && !is_out && sees(who, h)) ids.push_back(id);
  }
  return ids;
}

/// Its title and its aliases.
std::vector<std::string> called(const model& state, const memory_id& topic, seq_no at) {
  std::vector<std::string> names{text_in(state.memory_at(topic, at)->version, "title")};
  for (auto& alias : aliases_of(state.values_at(topic, at))) names.push_back(std::move(alias));
  return names;
}

/// Those of whose texts one is the first of its own, at most so many. A text without words is like
/// none.
template <class Texts>
std::vector<memory_id> with_same(const std::vector<memory_id>& ids, const memory_id& written,
                                 std::size_t most, Texts texts) {
  std::vector<memory_id> found;
  const std::string own = texts(written).front();
  const auto is_same = [&](const std::string& text) {
    return folded_text(text) == folded_text(own);
  };
  for (const auto& id : ids)
    if (found.size() < most && !text_terms(own).empty() && std::ranges::any_of(texts(id), is_same))
      found.push_back(id);
  return found;
}

} // namespace

resemblance resemblance_of(const model& state, const memory_id& written, const viewer& who,
                           seq_no at) {
  const auto ids = compared_with(state, written, who, at);
  resemblance r;
  const auto texts = [&](const memory_id& id) {
    if (state.head_at(id, at)->type == memory_type::topic) return called(state, id, at);
    return std::vector<std::string>{state.text_at(id, at)};
  };
  r.same_text = with_same(ids, written, 3, texts);
  const auto own = state.memory_at(written, at);
  if (own && own->version->provenance.source == provenance_source::imported) return r;
  const auto vector = state.vector_at(written, at);
  std::vector<std::pair<double, memory_id>> near;
  for (const auto& id : ids) {
    const auto other = state.vector_at(id, at);
    if (vector.empty() || other.empty() || std::ranges::count(r.same_text, id) > 0) continue;
    const double distance = cosine_distance(vector, other);
    if (1 - distance >= resembles_from) near.emplace_back(distance, id);
  }
  std::ranges::sort(near);
  for (std::size_t i = 0; i < near.size() && i < 3; ++i) r.resembles.push_back(near[i].second);
  return r;
}

std::vector<memory_id> same_titles(const model& state, const memory_id& topic, const viewer& who,
                                   seq_no at) {
  return with_same(compared_with(state, topic, who, at), topic, 8,
                   [&](const memory_id& id) { return called(state, id, at); });
}

std::vector<memory_id> similar_topics(const model& state, const memory_id& topic,
                                      const std::vector<float>& vector, const viewer& who,
                                      seq_no at) {
  std::vector<std::pair<double, memory_id>> near;
  if (vector.empty()) return {};
  for (const auto& id : state.ids_at(at)) {
    const auto h = state.head_at(id, at);
    const auto other = state.vector_at(id, at);
    if (id == topic || h->type != memory_type::topic || h->tombstone || is_archived(*h)
        || other.empty() || !sees(who, *h))
      continue;
    near.emplace_back(cosine_distance(vector, other), id);
  }
  std::ranges::sort(near);
  std::vector<memory_id> ids;
  for (std::size_t i = 0; i < near.size() && i < 8; ++i) ids.push_back(near[i].second);
  return ids;
}

} // namespace mneme::sim
