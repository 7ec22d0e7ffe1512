#include "sim/model_write.hpp"

#include <algorithm>
#include <set>

#include "index/colour/semantic_stack.hpp"
#include "messages/codec/leaf_of.hpp"
#include "messages/codec/records.hpp"
#include "messages/codec/topic_records.hpp"
#include "messages/text/composed.hpp"
#include "messages/text/forms.hpp"
#include "messages/validate/validate.hpp"
#include "sim/model_physics.hpp"
#include "sim/searched_state.hpp"

namespace mneme::sim {

namespace {

write_outcome refused(errc code) {
  write_outcome out;
  out.refused = code;
  return out;
}

write_outcome changes_nothing(std::optional<memory_uri> uri) {
  write_outcome out;
  out.uri = uri;
  return out;
}

class rules {
public:
  rules(const model& state, timestamp now, entry_sink& entries, const scope* within,
        held_vector* held = nullptr)
      : state_(state), now_(now), entries_(entries), within_(within), held_(held) {}

  write_outcome operator()(const write_request& r) const { return written(r, {}); }

  write_outcome operator()(const put_request& r) const {
    const auto there = state_.keyed_at(r.key, state_.last());
    if (!is_version(there, r.expect_version)) return refused(errc::version_conflict);
    write_outcome out = there ? put_again(*there, r.content) : written(r.content, r.key);
    if (!out.refused)
      out.put = !there             ? put_outcome::created
                : there->tombstone ? put_outcome::revived
                                   : put_outcome::updated;
    return out;
  }

  write_outcome operator()(const delete_by_request& r) const {
    const auto there = state_.keyed_at(r.key, state_.last());
    if (!there) return changes_nothing({});
    const memory_uri uri{there->type, there->id, there->current_version};
    if (there->tombstone) return changes_nothing(uri);
    if (!is_version(there, r.expect_version)) return refused(errc::version_conflict);
    return (*this)(tombstone_request{.uri = uri,
                                     .actor = r.actor,
                                     .reason = r.reason,
                                     .by = r.by,
                                     .superseded_by = {},
                                     .expect_version = {}});
  }

  write_outcome operator()(const sweep_request& r) const {
    std::vector<std::pair<timestamp, memory_id>> expired;
    for (const memory_id& id : state_.ids_at(state_.last())) {
      const auto m = state_.memory_at(id, state_.last());
      const auto& end = m->version->expires_at;
      if (!m->head->tombstone && end && *end <= now_) expired.emplace_back(*end, id);
    }
    std::ranges::sort(expired);
    write_outcome out;
    for (const auto& [end, id] : expired) {
      if (out.swept.size() == static_cast<std::size_t>(r.limit.value_or(max_swept))) {
        out.more = true;
        break;
      }
      const head h = *state_.head_at(id, state_.last());
      (*this)(tombstone_request{.uri = {h.type, id, h.current_version},
                                .actor = r.actor,
                                .reason = r.reason.value_or("expired"),
                                .by = r.by,
                                .cause = tombstone_cause::expired,
                                .superseded_by = {},
                                .expect_version = {}});
      out.swept.push_back(id);
    }
    out.changed = !out.swept.empty();
    return out;
  }

  write_outcome written(const write_request& r, const std::optional<memory_key>& key) const {
    const timestamp created = r.created_at.value_or(now_);
    if (r.valid_until && *r.valid_until <= r.valid_from.value_or(created))
      return refused(errc::bad_interval);
    const memory_data data = with_defaults(r.type, r.data, created);
    auto vector = placed_vector(r.type, data, r.vector);
    if (vector && wrong_dim(*vector)) return refused(errc::dim_mismatch);
    if (held_ != nullptr) {
      *held_ = r.vector;
      vector.reset();
    }
    if (r.id && state_.head_at(*r.id, state_.last())) return refused(errc::already_exists);
    const auto colour = colour_of(r);
    if (!colour) return refused(colour.error());
    if (const auto why = unsupersedable(r.supersedes)) return refused(*why);
    const drawn_values drawn = entries_.next_drawn();
    version v = new_version(r, r.id.value_or(drawn.id), r.type, 1, data, created, drawn);
    head h;
    h.id = v.id;
    h.type = r.type;
    h.current_version = 1;
    h.actor_scope = r.actor;
    h.visibility = r.visibility;
    h.declared_importance = static_cast<std::uint8_t>(r.importance);
    h.tags = normalise_tags(r.tags);
    h.frames = r.frames;
    h.metadata = r.metadata;
    h.lifecycle = r.lifecycle;
    h.colour = *colour;
    if (vector) h.embedding = embedding_ref{static_cast<std::uint32_t>(vector->values.size()), 1};
    h.created_at = h.last_updated_at = created;
    h.version_hash = v.hash;
    h.nonce = drawn.head_nonce;
    h.key = key;
    const std::string by = v.created_by;
    write_outcome out = changes_head(entry_kind::write, by, h,
                                     write_payload{h, std::move(v), vector, !r.id.has_value()});
    for (const auto& old : r.supersedes) supersede(old, h.id, by);
    return out;
  }

  write_outcome operator()(const update_request& asked) const {
    const auto whole = with_span(asked);
    if (!whole) return refused(whole.error());
    const update_request& r = *whole;
    const timestamp created = r.created_at.value_or(now_);
    if (r.valid_until && *r.valid_until <= r.valid_from.value_or(created))
      return refused(errc::bad_interval);
    auto found = live_head(r.uri, r.expect_version);
    if (!found) return refused(found.error());
    head h = std::move(*found);
    const std::uint32_t number = h.current_version + 1;
    const memory_data data = with_defaults(h.type, r.data, created);
    auto vector = placed_vector(h.type, data, r.vector);
    if (vector) {
      if (wrong_dim(*vector)) return refused(errc::dim_mismatch);
      h.embedding = embedding_ref{static_cast<std::uint32_t>(vector->values.size()), number};
    } else if (state_.seams().embeds != nullptr) {
      h.embedding.reset();
    } else if (h.embedding) {
      // A caller's vector stays until another one is given.
      vector = spaced_vector{state_.space_at(state_.last()), state_.vector_at(h.id, state_.last())};
    }
    held_vector own_text;
    const bool has_fields = !state_.fields_at(h.id, state_.last()).empty();
    if (held_vector* held = held_ != nullptr ? held_ : has_fields ? &own_text : nullptr) {
      if (r.vector || state_.seams().embeds == nullptr)
        *held = vector ? held_vector(vector->values) : held_vector();
      vector.reset();
      h.embedding.reset();
    }
    version v = new_version(r, h.id, h.type, number, data, created, entries_.next_drawn());
    h.current_version = number;
    h.last_updated_at = created;
    h.version_hash = v.hash;
    const std::string by = v.created_by;
    auto out = changes_head(entry_kind::update, by, h, update_payload{h, std::move(v), vector});
    if (held_ == nullptr && has_fields) take_topic_text(state_, h.id, own_text, entries_);
    return out;
  }

  write_outcome operator()(const update_head_request& r) const {
    auto found = live_head(r.uri, r.expect_version);
    if (!found) return refused(found.error());
    head h = std::move(*found);
    if (r.lifecycle) {
      if (auto ok = validate_transition(h.lifecycle, *r.lifecycle); !ok)
        return refused(ok.error().code);
      h.lifecycle = r.lifecycle;
    }
    if (r.tags) h.tags = normalise_tags(*r.tags);
    if (r.frames) h.frames = *r.frames;
    if (r.importance) h.declared_importance = static_cast<std::uint8_t>(*r.importance);
    if (r.visibility) h.visibility = *r.visibility;
    if (r.metadata) h.metadata = *r.metadata;
    h.last_updated_at = now_;
    return changes_head(entry_kind::update_head, r.by.value_or(r.actor), h,
                        head_payload{h, r.affirm});
  }

  write_outcome operator()(const tombstone_request& r) const {
    auto found = existing_head(r.uri, r.expect_version);
    if (!found) return refused(found.error());
    head h = std::move(*found);
    if (h.tombstone) return changes_nothing(memory_uri{h.type, h.id, h.current_version});
    const std::string by = r.by.value_or(r.actor);
    h.tombstone = tombstone{r.reason, r.cause, r.superseded_by, now_, by};
    h.last_updated_at = now_;
    return changes_head(entry_kind::tombstone, by, h, head_payload{h});
  }

  write_outcome operator()(const restore_request& r) const {
    const auto found = state_.head_at(r.id, state_.last());
    if (!found) return refused(errc::not_found);
    if (found->erased) return refused(errc::erased);
    head h = *found;
    if (r.expect_version && *r.expect_version != h.current_version)
      return refused(errc::version_conflict);
    const std::string by = r.by.value_or(r.actor);
    const bool is_tombstoned = h.tombstone.has_value();
    const bool is_closed = h.type == memory_type::topic && is_archived(h);
    if (!is_tombstoned && !is_closed)
      return changes_nothing(memory_uri{h.type, h.id, h.current_version});
    restored_memory back;
    const auto v = state_.version_at(h.id, h.current_version, state_.last());
    for (const auto& end : {v->valid_until, v->expires_at})
      if (end && *end <= now_ && (!back.ended || *end < *back.ended)) back.ended = end;
    h.last_updated_at = now_;
    write_outcome out;
    if (is_tombstoned) {
      const tombstone gone = *h.tombstone;
      back.newer = gone.superseded_by;
      const bool has_edge =
          gone.superseded_by && *gone.superseded_by != h.id
          && made_with_tombstone(state_, {*gone.superseded_by, edge_type::supersedes, h.id});
      h.tombstone.reset();
      out = changes_head(entry_kind::restore, by, h, head_payload{h});
      if (has_edge) take_back(gone, h.id, by);
      if (h.type == memory_type::topic) {
        const held_vector kept =
            h.embedding ? state_.vector_at(h.id, state_.last()) : std::vector<float>{};
        take_topic_text(state_, h.id, kept, entries_);
      }
    } else {
      h.lifecycle->status = lifecycle_status::open;
      out = changes_head(entry_kind::topic_unarchive, by, h, head_payload{h});
    }
    if (!back.newer) back.newer = hidden_by(h, r.actor);
    back.archived = is_archived(h);
    out.restored = back;
    return out;
  }

  write_outcome operator()(const add_edge_request& r) const {
    if (state_.is_erased(r.src) || state_.is_erased(r.dst)) return refused(errc::erased);
    const edge_key key{r.src, static_cast<edge_type>(r.type), r.dst};
    const auto before = state_.edge_at(key, state_.last());
    if (before && !before->tombstoned) return changes_nothing({});
    edge_record e;
    e.key = key;
    e.created_at = r.created_at.value_or(now_);
    e.created_by = r.by.value_or(r.actor);
    e.weight = r.weight;
    e.data = r.data;
    e.kind = r.kind;
    e.nonce = entries_.next_drawn().edge_nonce;
    return changes_edge(entry_kind::add_edge, e.created_by, e);
  }

  write_outcome operator()(const remove_edge_request& r) const {
    const edge_key key{r.src, static_cast<edge_type>(r.type), r.dst};
    auto e = state_.edge_at(key, state_.last());
    if (!e || e->tombstoned) return changes_nothing({});
    e->tombstoned = true;
    e->tombstoned_at = now_;
    e->tombstoned_reason = r.reason;
    e->tombstoned_by = r.by.value_or(r.actor);
    return changes_edge(entry_kind::remove_edge, e->tombstoned_by, *e);
  }

  write_outcome operator()(const assign_tag_request& r) const {
    const auto tags = state_.tags_at(state_.last());
    const auto is_taken = [&](std::uint32_t anchor) {
      return std::ranges::find(tags, anchor, &tag_assignment::anchor) != tags.end();
    };
    write_outcome out;
    if (const auto bound = state_.tag_at(r.tag, state_.last())) {
      const bool is_same = r.anchor ? *r.anchor == bound->anchor : *r.zone == bound->zone;
      if (!is_same) return refused(errc::tag_assigned);
      out.tag = bound;
      return out;
    }
    std::uint32_t anchor = 0;
    if (r.anchor) {
      anchor = static_cast<std::uint32_t>(*r.anchor);
      if (is_taken(anchor)) return refused(errc::anchor_taken);
    } else {
      const auto range = anchors_of(*r.zone);
      for (anchor = range.first; anchor <= range.last && is_taken(anchor);) ++anchor;
      if (anchor > range.last) return refused(errc::zone_full);
    }
    out.tag = tag_assignment{r.tag, anchor, zone_of(anchor)};
    out.changed = true;
    entries_.take({entry_kind::assign_tag,
                   r.actor,
                   {},
                   assign_tag_payload{r.tag, anchor, r.actor, entries_.next_drawn().nonce}});
    return out;
  }

  write_outcome operator()(const set_weights_request& r) const {
    const std::string before = r.reset ? std::string() : state_.search_text_at(state_.last());
    search_weights held = state_.seams().search;
    if (!before.empty()) held = *change_search_weights(held, before);
    if (r.weights) {
      const auto wanted = change_search_weights(held, *r.weights);
      if (!wanted) return refused(wanted.error().code);
      held = *wanted;
    }
    write_outcome out;
    out.weights = to_string(held);
    const std::string after = r.weights ? out.weights : std::string();
    if (after == state_.search_text_at(state_.last())) return out;
    out.changed = true;
    entries_.take({entry_kind::search_weights,
                   r.actor,
                   {},
                   search_weights_payload{after, r.actor, entries_.next_drawn().nonce}});
    return out;
  }

  // Importers' requests carry no token, so the workload has none of them.
  write_outcome operator()(const put_record_request&) const { return refused(errc::unsupported); }
  write_outcome operator()(const put_edge_record_request&) const {
    return refused(errc::unsupported);
  }
  write_outcome operator()(const put_field_record_request&) const {
    return refused(errc::unsupported);
  }
  template <class Request>
  write_outcome operator()(const Request& r) const {
    if constexpr (std::is_same_v<Request, revise_request>
                  || std::is_same_v<Request, forget_request>)
      return topic_outcome_of(state_, r, now_, entries_, within_);
    else
      return topic_outcome_of(state_, r, now_, entries_);
  }

private:
  /// 0 is that of what is not there, or tombstoned.
  static bool is_version(const std::optional<head>& there,
                         const std::optional<std::uint32_t>& expected) {
    return !expected || *expected == (there && !there->tombstone ? there->current_version : 0);
  }
  /// All anew but the memory itself.
  [[nodiscard]] write_outcome put_again(head h, const write_request& r) const {
    if (h.type != r.type) return refused(errc::type_data_mismatch);
    if (r.valid_until && *r.valid_until <= r.valid_from.value_or(now_))
      return refused(errc::bad_interval);
    const memory_data data = with_defaults(h.type, r.data, now_);
    const auto vector = placed_vector(h.type, data, r.vector);
    if (vector && wrong_dim(*vector)) return refused(errc::dim_mismatch);
    if (h.tombstone) {
      (*this)(restore_request{.id = h.id, .actor = r.actor, .by = r.created_by});
      h = *state_.head_at(h.id, state_.last());
    }
    h.visibility = r.visibility;
    h.declared_importance = static_cast<std::uint8_t>(r.importance);
    h.tags = normalise_tags(r.tags);
    h.frames = r.frames;
    h.metadata = r.metadata;
    h.lifecycle = r.lifecycle;
    ++h.current_version;
    h.embedding.reset();
    if (vector)
      h.embedding =
          embedding_ref{static_cast<std::uint32_t>(vector->values.size()), h.current_version};
    version v = new_version(r, h.id, h.type, h.current_version, data, now_, entries_.next_drawn());
    h.last_updated_at = now_;
    h.version_hash = v.hash;
    const std::string by = v.created_by;
    return changes_head(entry_kind::update, by, h, update_payload{h, std::move(v), vector});
  }

  write_outcome changes_head(entry_kind kind, const std::string& by, const head& h,
                             entry_payload payload) const {
    const memory_uri uri{h.type, h.id, h.current_version};
    entries_.take({kind, by, {leaf_of(h)}, std::move(payload)});
    write_outcome out;
    out.changed = true;
    out.uri = uri;
    return out;
  }
  write_outcome changes_edge(entry_kind kind, const std::string& by, const edge_record& e) const {
    entries_.take({kind, by, {leaf_of(e)}, edge_payload{e}});
    write_outcome out;
    out.changed = true;
    return out;
  }

  /// What takes it out of the answers, of what the actor sees.
  [[nodiscard]] std::optional<memory_id> hidden_by(const head& h, const std::string& actor) const {
    const seq_no at = state_.last();
    for (const auto& id : state_.ids_at(at)) {
      const auto m = state_.memory_at(id, at);
      const head& by = m->head;
      if (id == h.id || by.tombstone) continue;
      if (by.actor_scope != h.actor_scope && !by.actor_scope.empty()) continue;
      if (!actor.empty() && !sees(actor, by)) continue;
      const auto e = state_.edge_at({id, edge_type::supersedes, h.id}, at);
      const bool replaces = by.type == memory_type::decision && reference_in(m->version) == h.id;
      if (replaces || (e && !e->tombstoned)) return id;
    }
    return std::nullopt;
  }
  /// The edge that was made with the tombstone.
  void take_back(const tombstone& gone, const memory_id& old, const std::string& by) const {
    const edge_key key{*gone.superseded_by, edge_type::supersedes, old};
    auto e = state_.edge_at(key, state_.last());
    e->tombstoned = true;
    e->tombstoned_at = now_;
    e->tombstoned_reason = "restored";
    e->tombstoned_by = by;
    changes_edge(entry_kind::remove_edge, by, *e);
  }

  /// Why one of them cannot be superseded, if so.
  [[nodiscard]] std::optional<errc> unsupersedable(const std::vector<memory_uri>& all) const {
    for (const auto& old : all)
      if (const auto found = live_head(old, old.version); !found) return found.error();
    return std::nullopt;
  }
  /// Once, however often it is named.
  void supersede(const memory_uri& old, const memory_id& newer, const std::string& by) const {
    const auto found = live_head(old, old.version);
    if (!found) return;
    head h = *found;
    h.tombstone = tombstone{"", tombstone_cause::superseded, newer, now_, by};
    h.last_updated_at = now_;
    changes_head(entry_kind::tombstone, by, h, head_payload{h});
    (*this)(add_edge_request{.src = newer,
                             .type = static_cast<std::uint8_t>(edge_type::supersedes),
                             .dst = old.id,
                             .actor = {},
                             .kind = {},
                             .data = {},
                             .by = by,
                             .created_at = {}});
  }

  /// An update of a span as one of all data.
  [[nodiscard]] std::expected<update_request, errc> with_span(const update_request& r) const {
    if (!r.replace) return r;
    auto found = live_head(r.uri, r.expect_version);
    if (!found) return std::unexpected(found.error());
    const auto v = state_.version_at(r.uri.id, found->current_version, state_.last());
    const auto& [from, to, field] = *r.replace;
    update_request whole = r;
    whole.replace.reset();
    whole.data = v->data;
    if (!field.empty() && !whole.data.contains(field)) return std::unexpected(errc::not_found);
    /// Puts the new span for one; how many there were.
    const auto put = [&](std::string& text) {
      int there = 0;
      std::string put_in = text;
      for (const auto& old : std::set<std::string>{from, composed(from), decomposed(from)})
        for (std::size_t at = text.size() + 1; at-- > 0;)
          if (text.compare(at, old.size(), old) == 0 && ++there == 1)
            put_in.replace(at, old.size(), to);
      text = std::move(put_in);
      return there;
    };
    int times = 0;
    for (auto& [name, value] : whole.data)
      if (auto* text = std::get_if<std::string>(&value); text && (field.empty() || name == field))
        times += put(*text);
    if (times == 0) return std::unexpected(errc::not_found);
    if (times > 1) return std::unexpected(errc::bad_value);
    const auto own = [&](std::optional<std::string>& form, bool overridden, std::string text) {
      if (!form && overridden && put(text) <= 1) form = std::move(text);
    };
    own(whole.forms.short_form, v->short_overridden, v->forms.short_form);
    own(whole.forms.medium_form, v->medium_overridden, v->forms.medium_form);
    if (!whole.valid_from) whole.valid_from = v->valid_from;
    if (!whole.valid_until) whole.valid_until = v->valid_until;
    if (!whole.expires_at) whole.expires_at = v->expires_at;
    if (whole.payload.empty()) whole.payload = v->payload;
    whole.confidence = v->confidence;
    whole.provenance = v->provenance;
    if (!validate_data(whole.uri.type, whole.data))
      return std::unexpected(validate_data(whole.uri.type, whole.data).error().code);
    return whole;
  }

  /// Where the hashtags of a write lie; they are normal already.
  [[nodiscard]] std::expected<std::optional<colour>, errc> colour_of(const write_request& r) const {
    if (r.hashtags.empty()) return std::optional<colour>{};
    const auto mix = mixed_hashtags(state_, r.hashtags, state_.last());
    if (!mix) return std::unexpected(mix.error());
    const lab p = point_of_anchors(mix->anchors);
    return colour{mix->tags, p.L, p.a, p.b,
                  std::string(to_string(r.mode.value_or(memory_mode::adaptive)))};
  }

  template <class Request>
  version new_version(const Request& r, const memory_id& id, memory_type type, std::uint32_t number,
                      const memory_data& data, timestamp created, const drawn_values& drawn) const {
    version v;
    v.id = id;
    v.number = number;
    v.type = type;
    v.data = data;
    v.created_at = created;
    v.created_by = r.created_by.value_or(r.actor);
    v.expires_at = r.expires_at;
    v.confidence = r.confidence == 0 ? 1.0 : r.confidence;
    v.provenance = r.provenance;
    v.payload = r.payload;
    if (auto rendered = render_forms(type, data, r.forms, *state_.seams().tokens))
      v.forms = std::move(*rendered);
    v.short_overridden = r.forms.short_form.has_value();
    v.medium_overridden = r.forms.medium_form.has_value();
    v.valid_from = r.valid_from.value_or(created);
    v.valid_until = r.valid_until;
    v.nonce = drawn.version_nonce;
    v.hash = hash_of(v);
    return v;
  }

  [[nodiscard]] std::optional<spaced_vector>
  placed_vector(memory_type type, const memory_data& data,
                const std::optional<std::vector<float>>& given) const {
    const auto& embeds = state_.seams().embeds;
    std::vector<float> values;
    if (given) {
      values = *given;
    } else if (embeds != nullptr && !state_.seams().is_late) {
      if (auto v = embeds->embed(embedding_text(type, data))) values = std::move(*v);
    }
    if (values.empty()) return std::nullopt;
    vector_space space = state_.space_at(state_.last());
    if (space.dim == 0) space = {"external", static_cast<std::uint32_t>(values.size())};
    return spaced_vector{std::move(space), std::move(values)};
  }
  static bool wrong_dim(const spaced_vector& v) { return v.space.dim != v.values.size(); }

  [[nodiscard]] std::expected<head, errc>
  existing_head(const memory_uri& uri, const std::optional<std::uint32_t>& expected) const {
    auto h = state_.head_at(uri.id, state_.last());
    if (!h) return std::unexpected(errc::not_found);
    if (h->erased) return std::unexpected(errc::erased);
    if (h->type != uri.type) return std::unexpected(errc::type_data_mismatch);
    if (expected && *expected != h->current_version) return std::unexpected(errc::version_conflict);
    return std::move(*h);
  }
  [[nodiscard]] std::expected<head, errc>
  live_head(const memory_uri& uri, const std::optional<std::uint32_t>& expected) const {
    auto h = existing_head(uri, expected);
    if (h && h->tombstone) return std::unexpected(errc::tombstoned);
    return h;
  }

  const model& state_;
  timestamp now_;
  entry_sink& entries_;
  const scope* within_; ///< null = none
  held_vector* held_;   ///< null = the content is all of the request
};

} // namespace

write_outcome content_outcome_of(const model& state, const write_request& r, timestamp now,
                                 entry_sink& entries, held_vector& held) {
  return rules(state, now, entries, nullptr, &held)(r);
}
write_outcome content_outcome_of(const model& state, const update_request& r, timestamp now,
                                 entry_sink& entries, held_vector& held) {
  return rules(state, now, entries, nullptr, &held)(r);
}

std::expected<hashtag_mix, errc>
mixed_hashtags(const model& state, const std::vector<std::string>& hashtags, seq_no at) {
  hashtag_mix mix;
  std::size_t core = 0;
  std::size_t mid = 0;
  const std::set<std::string> sorted(hashtags.begin(), hashtags.end());
  for (const auto& tag : sorted) {
    const auto bound = state.tag_at(tag, at);
    if (!bound) return std::unexpected(errc::bad_hashtags);
    mix.tags.push_back(tag);
    mix.anchors.push_back(bound->anchor);
    if (bound->zone == colour_zone::core) ++core;
    if (bound->zone == colour_zone::mid) ++mid;
  }
  const std::size_t all = mix.tags.size();
  if (core == 0 || core + mid == all || all < 8 || mid * 100 < all * 65)
    return std::unexpected(errc::bad_hashtags);
  return mix;
}

expected_entry violation_entry(const scope& within, const drawn_values& drawn) {
  return {entry_kind::scope_violation,
          within.granted_to,
          {},
          scope_violation_payload{within.granted_to, within.granted_by, within.actor, drawn.target,
                                  drawn.nonce}};
}

drawn_values drawn_in(const entry_payload& payload) {
  drawn_values d;
  if (const auto* w = std::get_if<write_payload>(&payload)) {
    d.id = w->head.id;
    d.head_nonce = w->head.nonce;
    d.version_nonce = w->version.nonce;
  } else if (const auto* u = std::get_if<update_payload>(&payload)) {
    d.version_nonce = u->version.nonce;
  } else if (const auto* e = std::get_if<edge_payload>(&payload)) {
    d.edge_nonce = e->edge.nonce;
  } else if (const auto* f = std::get_if<field_payload>(&payload)) {
    for (const auto& r : f->revisions) d.revision_nonces.push_back(r.nonce);
  } else if (const auto* v = std::get_if<scope_violation_payload>(&payload)) {
    d.target = v->target;
  }
  std::visit(
      [&](const auto& p) {
        if constexpr (requires { d.nonce = p.nonce; }) d.nonce = p.nonce;
      },
      payload);
  return d;
}

drawn_values imagined_entries::next_drawn() {
  drawn_values d;
  d.id.bytes.fill(0xFF);
  d.id.bytes[15] = static_cast<std::uint8_t>(taken_);
  d.id.bytes[14] = static_cast<std::uint8_t>(taken_ >> 8U);
  return d;
}

void imagined_entries::take(expected_entry e) {
  ++taken_;
  state_.commit(state_.last().next(), e.kind, e.payload, now_);
}

write_outcome outcome_of(const model& state, const mutation& m, timestamp now, entry_sink& entries,
                         const scope* within) {
  return std::visit(rules(state, now, entries, within), m);
}

} // namespace mneme::sim
