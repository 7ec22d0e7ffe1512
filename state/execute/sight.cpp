#include "state/execute/sight.hpp"

#include <fmt/format.h>

#include "state/apply/entry_parts.hpp"

namespace mneme {

namespace {

class sight_check {
public:
  sight_check(const asker& who, overlay& records) : who_(who), records_(records) {}

  result<void> operator()(const write_request& r) {
    for (std::size_t i = 0; i < r.supersedes.size(); ++i) {
      const std::string key = fmt::format("supersedes[{}]", i);
      if (auto ok = own(r.supersedes[i].id, key, key); !ok) return ok;
      if (auto ok = leads(static_cast<std::uint8_t>(edge_type::supersedes), r.actor, key); !ok)
        return ok;
    }
    return refers(r.type, r.data, r.id, r.actor);
  }
  result<void> operator()(const assign_tag_request&) { return {}; }
  result<void> operator()(const put_request& r) {
    auto there = records_.keyed(r.key);
    if (!there) return propagate(there);
    if (!there->has_value()) return (*this)(r.content);
    const head& h = **there;
    // Like an id that is taken: there is no other answer that would not lose somebody's memory.
    if (!who_.may_see(h)) return fail(errc::already_exists, "the key is taken", "key");
    if (auto ok = refers(r.content.type, r.content.data, h.id, h.actor_scope); !ok) return ok;
    return h.tombstone ? (*this)(restore_request{.id = h.id, .actor = r.content.actor})
                       : result<void>();
  }
  result<void> operator()(const delete_by_request& r) {
    auto there = records_.keyed(r.key);
    if (!there) return propagate(there);
    if (!there->has_value() || who_.may_see(**there)) return {};
    return fail(errc::not_found, "no such memory", "key");
  }
  result<void> operator()(const update_request& r) {
    auto h = seen_head(r.uri.id, "uri");
    if (!h) return propagate(h);
    return refers(r.uri.type, r.data, r.uri.id, h->actor_scope);
  }
  result<void> operator()(const update_head_request& r) { return seen(r.uri.id, "uri"); }
  result<void> operator()(const tombstone_request& r) {
    if (r.superseded_by)
      if (auto ok = seen(*r.superseded_by, "superseded_by"); !ok) return ok;
    const bool says_superseded = r.superseded_by || r.cause == tombstone_cause::superseded;
    return says_superseded ? own(r.uri.id, "uri", r.superseded_by ? "superseded_by" : "cause")
                           : seen(r.uri.id, "uri");
  }
  result<void> operator()(const restore_request& r) {
    auto h = seen_head(r.id, "id");
    if (!h) return propagate(h);
    if (!h->tombstone) return {};
    const tombstone& by = *h->tombstone;
    if (by.superseded_by || by.cause == tombstone_cause::superseded)
      if (auto ok = own(r.id, "id", "id"); !ok) return ok;
    return by.superseded_by ? takes_back(*h) : result<void>();
  }
  result<void> operator()(const add_edge_request& r) {
    auto src = seen_head(r.src, "src");
    if (!src) return propagate(src);
    if (auto ok = seen(r.dst, "dst"); !ok) return ok;
    return leads(r.type, src->actor_scope, "src");
  }
  result<void> operator()(const remove_edge_request& r) {
    auto src = seen_head(r.src, "src");
    if (!src) return propagate(src);
    if (auto ok = seen(r.dst, "dst"); !ok) return ok;
    return leads(r.type, src->actor_scope, "src");
  }
  result<void> operator()(const ingest_request& r) {
    std::string owner = r.actor;
    if (r.placement != ingest_placement::new_topic && r.topic_id) {
      auto topic = seen_head(*r.topic_id, "topic_id");
      if (!topic) return propagate(topic);
      owner = std::move(topic->actor_scope);
    }
    for (std::size_t i = 0; i < r.links.size(); ++i) {
      const std::string link = fmt::format("links[{}].", i);
      if (r.links[i].topic_id != r.topic_id) // no link to itself is made anyway
        if (auto ok = seen(r.links[i].topic_id, link + "topic_id"); !ok) return ok;
      if (auto ok = leads(r.links[i].type, owner, link + "type"); !ok) return ok;
    }
    for (const auto& f : r.fields)
      if (f.ref_topic_id && f.ref_topic_id != r.topic_id)
        if (auto ok = seen(*f.ref_topic_id, "fields." + f.name + ".ref_topic_id"); !ok) return ok;
    return {};
  }
  result<void> operator()(const unarchive_request& r) { return seen(r.id, "id"); }
  /// They name memories without end, or as they were elsewhere.
  template <class Request>
  result<void> operator()(const Request&) {
    return fail(errc::unsupported, "this is no write in the sight of an actor");
  }

  result<void> seen(const memory_id& id, std::string key) {
    auto h = seen_head(id, std::move(key));
    if (!h) return propagate(h);
    return {};
  }

private:
  result<head> seen_head(const memory_id& id, std::string key) {
    auto h = records_.head(id);
    if (!h) return propagate(h);
    if (!h->has_value() || !who_.may_see(**h))
      return fail(errc::not_found, "no such memory", std::move(key));
    return std::move(**h);
  }
  /// What a Decision of `owner` replaces, and what a Chunk was promoted to.
  result<void> refers(memory_type type, const memory_data& data,
                      const std::optional<memory_id>& own, const std::string& owner) {
    const memory_id* reference = reference_in(type, data);
    if (reference == nullptr || own == *reference) return {};
    const std::string key = "data." + std::string(reference_field(type));
    if (auto ok = seen(*reference, key); !ok) return ok;
    return type == memory_type::decision
               ? leads(static_cast<std::uint8_t>(edge_type::supersedes), owner, key)
               : result<void>();
  }
  /// What takes a memory out of the answers as superseded is said of one's own alone, as an edge
  /// hides one's own alone. `key` names the memory, `said` what says it.
  result<void> own(const memory_id& id, std::string key, std::string said) {
    auto h = seen_head(id, std::move(key));
    if (!h) return propagate(h);
    if (h->actor_scope == who_.owner()) return {};
    return fail(errc::actor_mismatch,
                fmt::format("only a memory of \"{}\" is superseded here", who_.owner()),
                std::move(said));
  }
  /// What came with the tombstone is an edge of what took the place, and goes with it.
  result<void> takes_back(const head& old) {
    auto edge = records_.edge_of_tombstone(old);
    if (!edge) return propagate(edge);
    if (!*edge) return {};
    const memory_id& newer = (*edge)->src;
    auto h = records_.head(newer);
    if (!h) return propagate(h);
    return h->has_value()
               ? leads(static_cast<std::uint8_t>(edge_type::supersedes), (*h)->actor_scope, "id")
               : result<void>();
  }
  /// Nobody says what a memory supersedes but whose it is.
  result<void> leads(std::uint8_t type, const std::string& owner, std::string key) const {
    if (type != static_cast<std::uint8_t>(edge_type::supersedes) || owner == who_.owner())
      return {};
    return fail(errc::actor_mismatch,
                fmt::format("only a memory of \"{}\" supersedes another here", who_.owner()),
                std::move(key));
  }

  const asker& who_;
  overlay& records_;
};

} // namespace

result<void> check_sight(const mutation& m, const asker& who, overlay& records) {
  if (who.sees_all()) return {};
  return std::visit(sight_check(who, records), m);
}

result<void> check_sight(const promote_request& r, const asker& who, overlay& records) {
  if (who.sees_all()) return {};
  sight_check check(who, records);
  if (auto ok = check.seen(r.chunk, "chunk"); !ok) return ok;
  return check.seen(r.memory, "memory");
}

result<void> check_sight(std::span<const tick_write> writes, const asker& who, overlay& records) {
  for (std::size_t i = 0; i < writes.size(); ++i) {
    const auto* m = std::get_if<scoped_mutation>(&writes[i]);
    if (m == nullptr) continue; // they skip what cannot be seen
    auto ok = check_sight(m->request, who, records);
    if (ok) continue;
    error e = std::move(ok.error());
    e.at = e.at.empty() ? fmt::format("writes[{}]", i) : fmt::format("writes[{}].{}", i, e.at);
    return std::unexpected(std::move(e));
  }
  return {};
}

} // namespace mneme
