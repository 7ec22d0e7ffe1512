#include "sim/model_scope.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "messages/ensure.hpp"
#include "messages/hash.hpp"
#include "messages/validate/validate.hpp"

namespace mneme::sim {

namespace {

constexpr std::array<std::string_view, 4> agents_with_keys = {"", "ana", "bo", "cy"};

template <class List, class Item>
bool has(const List& list, const Item& item) {
  return std::ranges::find(list, item) != list.end();
}

bool selects(const scope_selector& s, const head& h) {
  if (has(s.types, h.type) || has(s.ids, h.id)) return true;
  for (const auto& tag : h.tags)
    if (has(s.tags, tag)) return true;
  for (const auto& f : h.frames)
    if (s.frame && f.action == s.frame->action
        && (s.frame->refs.empty() || has(s.frame->refs, f.ref)))
      return true;
  return false;
}

bool opens(const scope& s, const head& h) {
  return h.actor_scope == s.actor && h.visibility != visibility::private_ && selects(s.include, h)
         && !selects(s.exclude, h);
}

/// Lets mutations through one after the other.
class gate {
public:
  gate(const model& state, const scope& within) : state_(state), within_(within) {}

  bool operator()(write_request& r) {
    r.actor = within_.actor;
    if (!r.created_by) r.created_by = within_.granted_to;
    head h = fresh(r.type, r.visibility);
    h.id = r.id.value_or(memory_id{});
    h.tags = normalise_tags(r.tags);
    h.frames = r.frames;
    return refers_inside(r.type, r.data, r.id)
           && std::ranges::all_of(r.supersedes,
                                  [&](const memory_uri& old) { return is_open(old.id); })
           && makes(r.id, h);
  }
  bool operator()(put_request& r) {
    const auto there = state_.keyed_at(r.key, state_.last());
    if (!there) return (*this)(r.content);
    if (!opens(within_, *there) || !(*this)(r.content)) return false;
    restore_request back{.id = there->id, .actor = {}};
    if (there->tombstone && !(*this)(back)) return false;
    head after = *there;
    after.visibility = r.content.visibility;
    after.tags = normalise_tags(r.content.tags);
    after.frames = r.content.frames;
    return opens(within_, after);
  }
  bool operator()(delete_by_request& r) {
    r.actor = within_.granted_to;
    const auto there = state_.keyed_at(r.key, state_.last());
    return !there || opens(within_, *there);
  }
  bool operator()(ingest_request& r) {
    r.created_by = within_.granted_to;
    if (r.placement == ingest_placement::new_topic) {
      r.actor = within_.actor;
      head h = fresh(memory_type::topic, r.visibility.value_or(visibility::private_));
      h.id = r.topic_id.value_or(memory_id{});
      if (!makes(r.topic_id, h)) return false;
    } else {
      r.actor = within_.granted_to;
      if (!is_open(*r.topic_id)) return false;
    }
    return std::ranges::all_of(
               r.fields,
               [&](const field_input& f) { return !f.ref_topic_id || is_open(*f.ref_topic_id); })
           && std::ranges::all_of(r.links,
                                  [&](const topic_link& l) { return is_open(l.topic_id); });
  }
  bool operator()(update_head_request& r) {
    r.actor = within_.granted_to;
    auto h = opened(r.uri.id);
    if (!h) return false;
    if (r.tags) h->tags = normalise_tags(*r.tags);
    if (r.frames) h->frames = *r.frames;
    if (r.visibility) h->visibility = *r.visibility;
    if (!opens(within_, *h)) return false;
    if (const auto made = made_.find(h->id); made != made_.end()) made->second = *h;
    return true;
  }
  bool operator()(restore_request& r) {
    r.actor = within_.granted_to;
    const auto h = opened(r.id);
    if (!h || !h->tombstone || !h->tombstone->superseded_by) return h.has_value();
    const memory_id& newer = *h->tombstone->superseded_by;
    return !made_with_tombstone(state_, {newer, edge_type::supersedes, r.id}) || is_open(newer);
  }
  template <class Request>
  bool operator()(Request& r) {
    if constexpr (requires { r.actor = within_.granted_to; }) r.actor = within_.granted_to;
    if constexpr (requires { r.superseded_by; })
      if (r.superseded_by && !is_open(*r.superseded_by)) return false;
    if constexpr (std::is_same_v<Request, update_request>)
      if (!refers_inside(r.uri.type, r.data, r.uri.id)) return false;
    if constexpr (requires { r.uri.id; }) return is_open(r.uri.id);
    if constexpr (requires { r.src; }) return is_open(r.src) && is_open(r.dst);
    if constexpr (std::is_same_v<Request, unarchive_request>) return is_open(r.id);
    return true;
  }

private:
  [[nodiscard]] head fresh(memory_type type, visibility seen_by) const {
    head h;
    h.type = type;
    h.actor_scope = within_.actor;
    h.visibility = seen_by;
    return h;
  }
  /// What a Decision replaces and what a Chunk was promoted to is open.
  [[nodiscard]] bool refers_inside(memory_type type, const memory_data& data,
                                   const std::optional<memory_id>& own) const {
    const auto found = data.find(type == memory_type::decision ? "replaces" : "promoted_to");
    if ((type != memory_type::decision && type != memory_type::chunk) || found == data.end())
      return true;
    const auto* id = std::get_if<memory_id>(&found->second);
    return id == nullptr || own == *id || is_open(*id);
  }
  /// An id is drawn, or the scope names it.
  bool makes(const std::optional<memory_id>& id, const head& h) {
    if ((id && !has(within_.include.ids, *id)) || !opens(within_, h)) return false;
    if (id) made_[*id] = h;
    return true;
  }
  [[nodiscard]] std::optional<head> opened(const memory_id& id) const {
    if (const auto made = made_.find(id); made != made_.end()) return made->second;
    auto h = state_.head_at(id, state_.last());
    return h && opens(within_, *h) ? h : std::nullopt;
  }
  [[nodiscard]] bool is_open(const memory_id& id) const { return opened(id).has_value(); }

  const model& state_;
  const scope& within_;
  std::map<memory_id, head> made_; ///< by earlier items
};

} // namespace

bool viewer::may_touch() const {
  return within == nullptr || within->writable;
}

bool sees(const viewer& who, const head& h) {
  return who.within != nullptr ? opens(*who.within, h) : sees(who.actor, h);
}

ed25519_key private_key_of(const std::string& agent) {
  return sha256_of("the private key of " + agent).bytes;
}

std::shared_ptr<const key_resolver> keys_of_agents() {
  std::map<std::string, ed25519_key, std::less<>> keys;
  for (const auto agent : agents_with_keys) {
    const auto key = public_key_of(private_key_of(std::string(agent)));
    ensure(key.has_value(), "every 32 bytes are a private key");
    keys.emplace(agent, *key);
  }
  return make_key_resolver(std::move(keys));
}

std::optional<errc> refusal_of(const model& state, const viewer& who, timestamp now) {
  if (who.within == nullptr) return std::nullopt;
  const scope& s = *who.within;
  if (who.actor && *who.actor != s.granted_to) return errc::actor_mismatch;
  if (!s.granted_by.empty() && s.granted_by != s.actor) return errc::actor_mismatch;
  if (s.schema != 1) return errc::bad_schema;
  if (s.include.types.empty() && s.include.tags.empty() && s.include.ids.empty()
      && !s.include.frame)
    return errc::empty_include;
  if (now >= s.expires_at) return errc::scope_expired;
  if (!has(agents_with_keys, s.granted_by)) return errc::unknown_agent;
  scope signed_again = s;
  const auto ok = sign_scope(signed_again, private_key_of(s.granted_by));
  ensure(ok.has_value(), "a scope can be signed");
  if (signed_again.signature != s.signature) return errc::bad_signature;
  if (!state.has_snapshot(s.snapshot_root)) return errc::snapshot_unknown;
  if (s.proofs && s.proofs != proofs_of(state, s.snapshot_root, s.include.ids))
    return errc::proof_mismatch;
  return std::nullopt;
}

std::expected<std::vector<mutation>, errc>
admitted(const model& state, const std::vector<mutation>& items, const scope& within) {
  if (!within.writable) return std::unexpected(errc::scope_violation);
  std::vector<mutation> let_through = items;
  gate pass(state, within);
  for (auto& m : let_through) {
    if (std::holds_alternative<assign_tag_request>(m)
        || std::holds_alternative<set_weights_request>(m)
        || std::holds_alternative<sweep_request>(m))
      return std::unexpected(errc::unsupported);
    if (!std::visit(pass, m)) return std::unexpected(errc::scope_violation);
  }
  return let_through;
}

} // namespace mneme::sim
