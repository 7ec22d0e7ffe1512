#include "tests/query/find/small_world.hpp"

#include <algorithm>

#include "messages/codec/records.hpp"
#include "messages/ensure.hpp"
#include "messages/validate/validate.hpp"
#include "query/find/find.hpp"
#include "storage/key_layout.hpp"
#include "views/lineage_edges.hpp"

namespace mneme::testing {

result<std::vector<float>> word_embedder::embed(std::string_view text) const {
  if (text == "north") return std::vector<float>{0, 1, 0};
  if (text == "east") return std::vector<float>{1, 0, 0};
  if (text == "up") return std::vector<float>{0, 0, 1};
  return std::vector<float>{};
}

memory_id numbered_id(std::uint64_t number) {
  memory_id id;
  id.bytes[0] = 1;
  for (std::size_t i = 0; i < 8; ++i)
    id.bytes[15 - i] = static_cast<std::uint8_t>(number >> (8 * i));
  return id;
}

small_world::small_world(bool background_segments)
    : nodes_(std::make_unique<node_table>()),
      rows_(std::make_unique<attributes>()),
      graph_(std::make_unique<graph>(*nodes_)),
      lineage_(std::make_unique<graph>(*nodes_)),
      vectors_(std::make_unique<mneme::vectors>(
          vector_index_options{.background_segments = background_segments})),
      store_(make_memory_store(make_memory_disk())),
      embedder_(std::make_shared<word_embedder>()),
      tokens_(make_default_token_counter()) {
}

read_views small_world::views() const {
  read_views v;
  v.nodes = nodes_.get();
  v.attributes = rows_.get();
  v.graph = graph_.get();
  v.lineage = lineage_.get();
  v.vectors = vectors_.get();
  v.store = store_.get();
  if (has_embedder) v.embedder = embedder_;
  v.tokens = tokens_;
  return v;
}

namespace {

memory_data required_data(memory_type type, const std::string& statement) {
  memory_data d;
  switch (type) {
  case memory_type::identity:
    d["name"] = statement;
    break;
  case memory_type::preference:
    d["topic"] = statement;
    d["polarity"] = std::string("prefer");
    break;
  case memory_type::belief:
    d["stance"] = std::string("believe");
    break;
  case memory_type::event:
    d["kind"] = std::string("payment");
    d["outcome"] = std::string("success");
    break;
  case memory_type::goal:
    d["status"] = std::string("active");
    break;
  case memory_type::constraint:
    d["strength"] = std::string("hard");
    d["source"] = std::string("learned");
    break;
  case memory_type::capability:
    d["subject"] = statement;
    d["capability"] = std::string("swim");
    break;
  case memory_type::fact:
    d["subject"] = std::string("ana");
    d["predicate"] = std::string("likes");
    break;
  case memory_type::topic:
    d["title"] = statement;
    break;
  case memory_type::chunk:
    d["content"] = statement;
    d["path"] = std::string("a.md");
    break;
  default:
    break;
  }
  using enum memory_type;
  for (const auto with_statement :
       {fact, belief, goal, constraint, pattern, decision, commitment, blocker, note}) {
    if (type == with_statement) d["statement"] = statement;
  }
  return d;
}

} // namespace

memory_state small_world::draft(std::uint64_t id_number, memory_type type, std::string statement) {
  memory_state s;
  s.head.id = numbered_id(id_number);
  s.head.type = type;
  s.head.current_version = 1;
  s.head.created_at = timestamp{1'000'000'000};
  s.head.last_updated_at = s.head.created_at;
  s.version.id = s.head.id;
  s.version.type = type;
  s.version.number = 1;
  s.version.data = required_data(type, statement);
  s.version.created_at = s.head.created_at;
  s.version.valid_from = s.head.created_at;
  s.version.forms = {statement, statement + " and more"};
  return s;
}

void small_world::put(memory_state state, const activation& used) {
  seq_ = seq_.next();
  state.seq = seq_;
  const memory_id id = state.head.id;
  auto& history = memories[id];
  const bool new_content = history.empty() || history.back().version.number != state.version.number;
  if (new_content) {
    state.head.embedding.reset();
    if (!state.vector.empty())
      state.head.embedding =
          embedding_ref{static_cast<std::uint32_t>(state.vector.size()), state.version.number};
  }
  const node_no node = nodes_->intern(id);
  slot_no slot;
  if (new_content) {
    slot = slot_no{next_slot_++};
    if (!state.vector.empty()) {
      if (vectors_->space().dim == 0) vectors_->set_space(embedder_->space());
      vectors_->append(slot, state.vector);
    }
  } else {
    slot = rows_->slot(rows_->row_of(node, seq_no{seq_.value - 1}));
  }
  const head& h = state.head;
  const version& v = state.version;
  std::int64_t until = INT64_MAX;
  if (v.valid_until) until = std::min(until, v.valid_until->ns);
  if (v.expires_at) until = std::min(until, v.expires_at->ns);
  const auto tags = normalise_tags(h.tags);
  row_values row{.node = node,
                 .slot = slot,
                 .type = h.type,
                 .visibility = h.visibility,
                 .importance = h.declared_importance,
                 .tombstoned = h.tombstone.has_value(),
                 .past =
                     !h.erased && h.tombstone && h.tombstone->cause == tombstone_cause::superseded,
                 .erased = h.erased,
                 .has_vector = h.embedding.has_value(),
                 .archived = h.lifecycle && h.lifecycle->status == lifecycle_status::archived,
                 .version = h.current_version,
                 .actor_scope = h.actor_scope,
                 .created_at = h.created_at,
                 .last_updated_at = h.last_updated_at,
                 .version_created_at = v.created_at,
                 .valid_from = v.valid_from,
                 .valid_until_ns = until,
                 .confidence = v.confidence,
                 .tags = tags,
                 .frames = h.frames};
  if (const auto replaced = v.data.find("replaces"); replaced != v.data.end())
    row.facets.reference = nodes_->intern(std::get<memory_id>(replaced->second));
  rows_->put(row, seq_);
  rows_->set_activation(node, seq_, used);
  std::vector<kv_write> writes;
  writes.push_back({kv_table::heads, keys::head(id, seq_), encode(h)});
  if (new_content) writes.push_back({kv_table::versions, keys::version(id, v.number), encode(v)});
  ensure(store_->apply(writes, seq_).has_value(), "the memory store takes writes");
  activations[id].push_back({seq_, used});
  history.push_back(std::move(state));
}

void small_world::put_edge(const memory_id& src, edge_type type, const memory_id& dst,
                           bool tombstoned) {
  seq_ = seq_.next();
  const node_no from = nodes_->intern(src);
  const node_no to = nodes_->intern(dst);
  graph_->put(from, type, to, tombstoned, seq_);
  if (type == edge_type::supersedes)
    lineage_->put(from, in_lineage(lineage_kind::supersedes), to, tombstoned, seq_);
  edges[edge_key{src, type, dst}].push_back({seq_, tombstoned});
}

void small_world::touch(const memory_id& id, const activation& used) {
  seq_ = seq_.next();
  rows_->set_activation(nodes_->find(id), seq_, used);
  activations[id].push_back({seq_, used});
}

result<find_result> find_inline(const small_world& world, const find_request& request,
                                timestamp now, std::optional<seq_no> at) {
  const read_views views = world.views();
  auto run = find_run::compile(request, {at.value_or(world.seq()), now, {}}, views);
  if (!run) return propagate(run);
  if (auto done = run_inline(**run, views); !done) return propagate(done);
  return (*run)->take();
}

std::vector<memory_id> ids_of(const find_result& answer) {
  std::vector<memory_id> ids;
  for (const auto& m : answer.memories) ids.push_back(m.head->id);
  return ids;
}

predicate compare(comparison op, std::string field, literal value) {
  return {compare_predicate{op, std::move(field), std::move(value)}};
}
predicate in(std::string field, std::vector<literal> values) {
  return {in_predicate{std::move(field), std::move(values)}};
}
predicate has_tag(std::string tag) {
  return {has_tag_predicate{std::move(tag)}};
}
predicate matches(std::string field, std::string pattern) {
  return {matches_predicate{std::move(field), std::move(pattern)}};
}
predicate all_of(std::vector<predicate> items) {
  return {and_predicate{std::move(items)}};
}
predicate any_of(std::vector<predicate> items) {
  return {or_predicate{std::move(items)}};
}
predicate negate(predicate item) {
  return {not_predicate{std::make_shared<const predicate>(std::move(item))}};
}

} // namespace mneme::testing
