#include "bench/workloads/requests.hpp"

#include <utility>

namespace mneme::workloads {

namespace {

constexpr std::size_t links_each = 2;

} // namespace

// Some of the random edges say that one memory supersedes another, and none is to be left out by
// that.

find_request near_request(const dataset& d, std::size_t q) {
  find_request f;
  f.include_archived = true;
  f.near_vector = query_values(d, q);
  f.near_k = 10;
  f.limit = 10;
  return f;
}

find_request near_in_tag_request(const dataset& d, std::size_t q, std::uint32_t tag) {
  auto f = near_request(d, q);
  f.where = predicate{has_tag_predicate{tag_name(tag)}};
  return f;
}

find_request salient_request(const query& q) {
  find_request f;
  f.include_archived = true;
  f.types = {q.type};
  f.where = predicate{
      and_predicate{{predicate{has_tag_predicate{tag_name(q.tag_of_find)}},
                     predicate{compare_predicate{comparison::gte, "head.created_at", q.from.ns}},
                     predicate{compare_predicate{comparison::lt, "head.created_at", q.until.ns}}}}};
  f.limit = 20;
  return f;
}

find_request walk_request(const query& q, std::int64_t hops, std::vector<edge_type> types) {
  find_request f;
  f.from = id_of(q.start);
  f.follow =
      follow_spec{.types = std::move(types), .direction = edge_direction::both, .max_hops = hops};
  return f;
}

find_request three_hops_request(const query& q) {
  auto f = walk_request(q, 3, {edge_type{q.edge_types[0]}, edge_type{q.edge_types[1]}});
  f.order = {{order_field::hop}};
  f.limit = 20;
  return f;
}

find_request as_actor(find_request f, std::uint32_t actor) {
  f.actor = actor_name(actor);
  return f;
}

search_request words_request(const query& q) {
  search_request r;
  r.query = q.words[0] + " " + q.words[1] + " " + q.words[2];
  r.limit = 10;
  r.source = search_source::memory;
  r.sort = search_sort::relevance;
  r.include_archived = true;
  r.similarity_floor = 0; // all 10, however far behind the best
  return r;
}

std::string topic_field_name(std::size_t k) {
  return "field" + std::to_string(k);
}
std::string topic_field_text(const dataset& d, std::size_t topic, std::size_t k) {
  return d.texts[topic].substr(40 * k, 40);
}

ingest_request topic_request(const dataset& d, std::size_t t) {
  ingest_request r;
  r.placement = ingest_placement::new_topic;
  r.topic_id = id_of(t);
  r.title = "Topic " + std::to_string(t);
  r.summary = d.texts[t];
  r.vector = std::vector<float>(d.vector_of(t), d.vector_of(t) + dimension);
  for (std::size_t k = 0; k < topic_fields; ++k)
    r.fields.push_back({.name = topic_field_name(k),
                        .value = {topic_field_text(d, t, k)},
                        .type = {},
                        .ref_topic_id = {},
                        .salience = {},
                        .valid_from = {},
                        .valid_until = {},
                        .why_changed = {},
                        .impact_expected = {},
                        .operation = {},
                        .provenance = {}});
  for (std::size_t k = 1; k <= links_each && t > k; ++k)
    r.links.push_back({.topic_id = id_of(t * k / (k + 1)), .kind = "next to"});
  return r;
}

retrieve_request bundles_request(const dataset& d, std::size_t q, std::int64_t count) {
  retrieve_request r;
  r.q = "what is known";
  r.vector = query_values(d, q);
  r.top_k = count;
  r.touch = false;
  return r;
}

} // namespace mneme::workloads
