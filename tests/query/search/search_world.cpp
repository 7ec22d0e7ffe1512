#include "tests/query/search/search_world.hpp"

#include <algorithm>

namespace mneme::testing {

namespace {

engine opened(const std::string& weights, const std::string& embedder,
              std::optional<lifecycle_audience> audience,
              const std::shared_ptr<manual_clock>& clock) {
  engine_options o;
  o.seed = 1;
  o.clock = clock;
  o.exact_near = true;
  o.embedder_spec = embedder;
  if (!weights.empty()) o.search_spec = weights;
  o.audience = audience;
  auto e = open_in_memory(std::move(o));
  if (!e) FAIL(e.error().message);
  return std::move(*e);
}

} // namespace

search_world::search_world(std::string weights, std::string embedder,
                           std::optional<lifecycle_audience> audience)
    : search_world(std::make_shared<manual_clock>(test_start), weights, embedder, audience) {
}

search_world::search_world(std::shared_ptr<manual_clock> c, const std::string& weights,
                           const std::string& embedder, std::optional<lifecycle_audience> audience)
    : target(opened(weights, embedder, audience, c)), clock(std::move(c)) {
}

memory_id search_world::put(write_request r) {
  auto done = target.apply(std::move(r), durability::relaxed);
  if (!done) FAIL(done.error().message << " at " << done.error().at);
  return done->uri->id;
}

memory_id search_world::note(std::string statement, const lifecycle& l) {
  write_request r;
  r.type = memory_type::note;
  r.data["statement"] = std::move(statement);
  if (l != lifecycle{}) r.lifecycle = l;
  return put(std::move(r));
}

memory_id search_world::decision(std::string statement, std::optional<memory_id> replaces) {
  write_request r;
  r.type = memory_type::decision;
  r.data["statement"] = std::move(statement);
  if (replaces) r.data["replaces"] = *replaces;
  return put(std::move(r));
}

memory_id search_world::chunk(std::string path, std::string content, std::int64_t index) {
  write_request r;
  r.type = memory_type::chunk;
  r.data["content"] = std::move(content);
  r.data["path"] = std::move(path);
  r.data["chunk_index"] = index;
  return put(std::move(r));
}

memory_uri search_world::uri(const memory_id& id) {
  auto m = target.get(id);
  if (!m) FAIL(m.error().message);
  return {m->head->type, id, m->head->current_version};
}

void search_world::tombstone(const memory_id& id, tombstone_cause cause) {
  tombstone_request r{};
  r.uri = uri(id);
  r.reason = "over";
  r.cause = cause;
  auto done = target.apply(std::move(r));
  if (!done) FAIL(done.error().message);
}

void search_world::set_lifecycle(const memory_id& id, const lifecycle& l) {
  update_head_request r{};
  r.uri = uri(id);
  r.lifecycle = l;
  auto done = target.apply(std::move(r));
  if (!done) FAIL(done.error().message);
}

void search_world::edge(const memory_id& src, edge_type type, const memory_id& dst,
                        std::string kind) {
  add_edge_request r{};
  r.src = src;
  r.type = static_cast<std::uint8_t>(type);
  r.dst = dst;
  r.kind = std::move(kind);
  auto done = target.apply(std::move(r));
  if (!done) FAIL(done.error().message);
}

search_result search_world::search(search_request r) {
  auto found = target.search(std::move(r));
  if (!found) FAIL(found.error().message << " at " << found.error().at);
  check_sums(*found);
  return std::move(*found);
}

search_result search_world::search(std::string query) {
  search_request r;
  r.query = std::move(query);
  r.similarity_floor = 0;
  return search(std::move(r));
}

errc search_world::refusal(search_request r) {
  auto found = target.search(std::move(r));
  if (found) FAIL("the search was not refused");
  return found.error().code;
}

std::vector<memory_id> ids_of(const search_result& answer) {
  std::vector<memory_id> ids;
  for (const auto& hit : answer.results) ids.push_back(hit.uri.id);
  return ids;
}

bool same_ids(const search_result& answer, std::vector<memory_id> ids) {
  auto found = ids_of(answer);
  std::ranges::sort(found);
  std::ranges::sort(ids);
  return found == ids;
}

void check_sums(const search_result& answer) {
  std::int64_t memories = 0;
  std::int64_t chunks = 0;
  for (const auto& hit : answer.results) ++(hit.uri.type == memory_type::chunk ? chunks : memories);
  const auto& c = answer.coverage;
  CHECK(c.memory.returned == memories);
  CHECK(c.content.returned == chunks);
  for (const auto* leg : {&c.memory, &c.content}) {
    CHECK(leg->candidates == leg->below_floor + leg->cut + leg->returned);
    CHECK(leg->candidates <= leg->searched);
  }
}

} // namespace mneme::testing
