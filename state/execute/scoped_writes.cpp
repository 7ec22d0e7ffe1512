#include "state/execute/scoped_writes.hpp"

#include <map>

#include <fmt/format.h>

#include "messages/ensure.hpp"
#include "messages/validate/validate.hpp"
#include "state/apply/entry_parts.hpp"

namespace mneme {

namespace {

class scope_guard {
public:
  scope_guard(const asker& who, overlay& records)
      : who_(who), scope_(*who.verified_scope()), records_(records) {}

  result<void> admit(write_request& r) {
    r.actor = scope_.actor;
    if (!r.created_by) r.created_by = who_.name();
    if (r.id && !who_.is_named(*r.id)) return unnamed("id");
    head h;
    h.id = r.id.value_or(memory_id{});
    h.type = r.type;
    h.actor_scope = r.actor;
    h.visibility = r.visibility;
    h.tags = normalise_tags(r.tags);
    h.frames = r.frames;
    if (!who_.may_see(h)) return outside("a memory that the scope does not open", "type");
    if (auto ok = admit_reference(r.type, r.data, r.id); !ok) return ok;
    for (std::size_t i = 0; i < r.supersedes.size(); ++i)
      if (auto old = opened(r.supersedes[i].id, "supersedes[" + std::to_string(i) + "]"); !old)
        return propagate(old);
    if (r.id) written_[*r.id] = std::move(h);
    return {};
  }
  result<void> admit(put_request& r) {
    auto there = records_.keyed(r.key);
    if (!there) return propagate(there);
    if (!there->has_value()) return admit(r.content);
    if (!who_.may_see(**there)) return outside("the scope does not open the key's memory", "key");
    if (auto ok = admit(r.content); !ok) return ok;
    if ((*there)->tombstone) {
      restore_request back{.id = (*there)->id, .actor = {}};
      if (auto ok = admit(back); !ok) return ok;
    }
    head after = std::move(**there);
    after.visibility = r.content.visibility;
    after.tags = normalise_tags(r.content.tags);
    after.frames = r.content.frames;
    if (!who_.may_see(after)) return outside("this would take the memory out of the scope", "key");
    return {};
  }
  result<void> admit(delete_by_request& r) {
    acts(r.actor);
    auto there = records_.keyed(r.key);
    if (!there) return propagate(there);
    if (there->has_value() && !who_.may_see(**there))
      return outside("the scope does not open the key's memory", "key");
    return {};
  }
  result<void> admit(sweep_request&) {
    return fail(errc::unsupported, "a sweep goes through the whole world: no scope does");
  }
  result<void> admit(update_request& r) {
    acts(r.actor);
    if (auto h = opened(r.uri.id, "uri"); !h) return propagate(h);
    return admit_reference(r.uri.type, r.data, r.uri.id);
  }
  result<void> admit(update_head_request& r) {
    acts(r.actor);
    auto h = opened(r.uri.id, "uri");
    if (!h) return propagate(h);
    if (r.tags) h->tags = normalise_tags(*r.tags);
    if (r.frames) h->frames = *r.frames;
    if (r.visibility) h->visibility = *r.visibility;
    if (!who_.may_see(*h)) return outside("this would take the memory out of the scope", "uri");
    if (const auto it = written_.find(h->id); it != written_.end()) it->second = std::move(*h);
    return {};
  }
  result<void> admit(tombstone_request& r) {
    acts(r.actor);
    if (auto h = opened(r.uri.id, "uri"); !h) return propagate(h);
    if (r.superseded_by)
      if (auto h = opened(*r.superseded_by, "superseded_by"); !h) return propagate(h);
    return {};
  }
  result<void> admit(restore_request& r) {
    acts(r.actor);
    auto h = opened(r.id, "id");
    if (!h) return propagate(h);
    auto edge = records_.edge_of_tombstone(*h);
    if (!edge) return propagate(edge);
    if (!*edge) return {};
    if (auto ends = opened((*edge)->src, "id"); !ends) return propagate(ends);
    return {};
  }
  result<void> admit(add_edge_request& r) { return admit_edge(r); }
  result<void> admit(remove_edge_request& r) { return admit_edge(r); }
  result<void> admit(ingest_request& r) {
    r.created_by = who_.name();
    if (r.placement == ingest_placement::new_topic) {
      if (auto ok = admit_new(r); !ok) return ok;
    } else {
      acts(r.actor);
      if (r.topic_id)
        if (auto h = opened(*r.topic_id, "topic_id"); !h) return propagate(h);
    }
    for (const auto& f : r.fields)
      if (f.ref_topic_id)
        if (auto h = opened(*f.ref_topic_id, "fields." + f.name + ".ref_topic_id"); !h)
          return propagate(h);
    for (std::size_t i = 0; i < r.links.size(); ++i)
      if (auto h = opened(r.links[i].topic_id, "links[" + std::to_string(i) + "].topic_id"); !h)
        return propagate(h);
    return {};
  }
  result<void> admit(unarchive_request& r) {
    acts(r.actor);
    if (auto h = opened(r.id, "id"); !h) return propagate(h);
    return {};
  }
  // They look for topics themselves, and find those only that the scope opens.
  result<void> admit(revise_request& r) {
    acts(r.actor);
    return {};
  }
  result<void> admit(forget_request& r) {
    acts(r.actor);
    return {};
  }
  result<void> admit(assign_tag_request&) {
    return fail(errc::unsupported, "hashtags are the world's: none is bound through a scope");
  }
  result<void> admit(set_weights_request&) {
    return fail(errc::unsupported, "what searches weigh by is the world's: no scope changes it");
  }
  template <class Request>
  result<void> admit(Request&) {
    return fail(errc::unsupported, "no record of an export is put back through a scope");
  }

private:
  static std::unexpected<error> outside(std::string message, std::string at) {
    return fail(errc::scope_violation, std::move(message), std::move(at));
  }
  /// A new memory gets a drawn id, or one that the granter named. Whether any other is taken would
  /// tell which memories there are behind the scope.
  static std::unexpected<error> unnamed(std::string at) {
    return outside("through a scope a new memory's id is drawn, or one that the scope includes",
                   std::move(at));
  }
  void acts(std::string& actor) const { actor = who_.name(); }
  /// What a Decision replaces goes out of searches, and a Chunk for what it was promoted to.
  result<void> admit_reference(memory_type type, const memory_data& data,
                               const std::optional<memory_id>& own) {
    const memory_id* reference = reference_in(type, data);
    if (reference == nullptr || own == *reference) return {};
    if (auto h = opened(*reference, "data." + std::string(reference_field(type))); !h)
      return propagate(h);
    return {};
  }
  template <class Request>
  result<void> admit_edge(Request& r) {
    acts(r.actor);
    if (auto h = opened(r.src, "src"); !h) return propagate(h);
    if (auto h = opened(r.dst, "dst"); !h) return propagate(h);
    return {};
  }
  result<void> admit_new(ingest_request& r) {
    r.actor = scope_.actor;
    if (r.topic_id && !who_.is_named(*r.topic_id)) return unnamed("topic_id");
    head h;
    h.id = r.topic_id.value_or(memory_id{});
    h.type = memory_type::topic;
    h.actor_scope = r.actor;
    h.visibility = r.visibility.value_or(visibility::private_);
    if (!who_.may_see(h)) return outside("a topic that the scope does not open", "topic_id");
    if (r.topic_id) written_[*r.topic_id] = std::move(h);
    return {};
  }
  result<head> opened(const memory_id& id, const std::string& key) {
    if (const auto it = written_.find(id); it != written_.end()) return it->second;
    auto h = records_.head(id);
    if (!h) return propagate(h);
    if (!h->has_value() || !who_.may_see(**h))
      return outside("the scope opens no memory " + to_string(id), key);
    return std::move(**h);
  }

  const asker& who_;
  const scope& scope_;
  overlay& records_;
  std::map<memory_id, head> written_; ///< by earlier items of the batch
};

} // namespace

result<std::vector<mutation>> inside_scope(std::span<const mutation> items, bool is_batch,
                                           const asker& who, overlay& records) {
  ensure(who.verified_scope() != nullptr, "who writes inside a scope has one");
  if (!who.verified_scope()->writable)
    return fail(errc::scope_violation, "the scope is for reading only", "scope.writable");
  std::vector<mutation> admitted(items.begin(), items.end());
  scope_guard guard(who, records);
  for (std::size_t i = 0; i < admitted.size(); ++i) {
    auto ok = std::visit([&](auto& r) { return guard.admit(r); }, admitted[i]);
    if (ok) continue;
    error e = std::move(ok.error());
    if (is_batch) e = placed_within(std::move(e), fmt::format("items[{}]", i));
    return std::unexpected(std::move(e));
  }
  return admitted;
}

} // namespace mneme
