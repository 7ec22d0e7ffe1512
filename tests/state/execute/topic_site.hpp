#pragma once
/// A world of topics in a directory of its own, and the requests that tests make of them.

#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "messages/codec/topic_records.hpp"
#include "state/recovery/dump.hpp"
#include "tests/state/site.hpp"
#include "views/topic_reads.hpp"

namespace mneme::testing {

inline json_value text(std::string t) {
  return {std::move(t)};
}

inline field_input field(std::string name, json_value value) {
  field_input f;
  f.name = std::move(name);
  f.value = std::move(value);
  return f;
}

inline ingest_request new_topic(std::uint8_t id, std::string title) {
  ingest_request r;
  r.placement = ingest_placement::new_topic;
  r.topic_id = id_of(id);
  r.title = std::move(title);
  r.actor = "ana";
  return r;
}

inline ingest_request extend(std::uint8_t id, std::vector<field_input> fields) {
  ingest_request r;
  r.placement = ingest_placement::extend_topic;
  r.topic_id = id_of(id);
  r.actor = "bo";
  r.fields = std::move(fields);
  return r;
}

struct topic_site {
  site place;
  std::unique_ptr<world> w = place.open();
  driven d{*w};

  std::unique_ptr<kv_reader> reader() const {
    auto r = w->store->reader();
    REQUIRE(r);
    return std::move(*r);
  }
  memory get(const memory_id& id, std::optional<seq_no> at = {}) const {
    auto m = read_memory(w->views(), *reader(), id, at.value_or(w->published_seq()));
    REQUIRE(m);
    REQUIRE(m->has_value());
    return **m;
  }
  std::vector<topic_field> fields(const memory_id& id, std::optional<seq_no> at = {}) const {
    auto f = read_fields(*reader(), id, at.value_or(w->published_seq()));
    REQUIRE(f);
    return *f;
  }
  topic_field_view view(const memory_id& id, const std::string& name, const field_options& o = {},
                        std::optional<seq_no> at = {}) const {
    auto f = read_field(*reader(), id, name, at.value_or(w->published_seq()));
    REQUIRE(f);
    REQUIRE(f->has_value());
    auto v = read_field_view(*reader(), **f, o);
    REQUIRE(v);
    return *v;
  }
  std::vector<topic_event> events(const memory_id& id) const {
    auto e = read_events(*reader(), id, w->published_seq());
    REQUIRE(e);
    return *e;
  }
  std::string dump() const {
    auto t = canonical_dump(*w);
    REQUIRE(t);
    return *t;
  }
  mutation_result applied(mutation m) {
    auto r = d.apply(std::move(m));
    if (!r) FAIL(r.error().message << " at " << r.error().at);
    return *r;
  }
  /// Runs a request that must fail, and shows that nothing moved: no seq, no root, no draw.
  error refused(mutation m) {
    const std::string before = dump();
    const memory_id drawn = w->last_drawn_id;
    auto r = d.apply(std::move(m));
    REQUIRE_FALSE(r);
    CHECK(dump() == before);
    CHECK(w->last_drawn_id == drawn);
    return r.error();
  }
  bool archived(const memory_id& id) const {
    const auto head = get(id).head;
    return head->lifecycle && head->lifecycle->status == lifecycle_status::archived;
  }
  std::vector<edge_key> live_edges(const memory_id& id) const {
    std::vector<edge_key> keys;
    for (const auto direction : {edge_direction::out, edge_direction::in})
      w->graph.neighbours(
          w->nodes.find(id), direction, w->published_seq(), false, [&](const neighbour& n) {
            const auto& other = w->nodes.id(n.node);
            keys.push_back(direction == edge_direction::out ? edge_key{id, n.type, other}
                                                            : edge_key{other, n.type, id});
            return true;
          });
    return keys;
  }
};

} // namespace mneme::testing
