#include "journal/frame.hpp"
#include "journal/hash_rules.hpp"
#include "journal/roots.hpp"
#include "journal/state_tree.hpp"
#include "state/checkpoint/checkpoint.hpp"
#include "state/checkpoint/world_file.hpp"
#include "storage/key_layout.hpp"
#include "tests/docs/format_samples.hpp"

namespace mneme::testing {

namespace {

entry sample_entry(seq_no seq) {
  const edge_record edge = sample_edge();
  entry_header header;
  header.seq = seq;
  header.kind = entry_kind::remove_edge;
  header.created_at = later;
  header.created_by = "bob";
  header.leaves = {{state_namespace::edges, state_path(state_namespace::edges, key_bytes(edge.key)),
                    sha256_of(encode(edge))}};
  return seal_entry(std::move(header), edge_payload{edge});
}
json values_of_header(const entry& e) {
  const state_leaf& leaf = e.header.leaves.front();
  return {{"schema", 1},
          {"seq", e.header.seq.value},
          {"kind", "remove_edge"},
          {"created_at", later.ns},
          {"created_by", "bob"},
          {"leaves",
           {{{"namespace", "edges"},
             {"path", hex_of(leaf.path.raw())},
             {"value_hash", hex_of(leaf.value_hash.raw())}}}},
          {"payload_hash", hex_of(e.header.payload_hash.raw())}};
}

void add_keys(format_samples& s) {
  const edge_key edge{id_from(0x01), edge_type::references, id_from(0x21)};
  s.add("key_heads", keys::head(id_from(0x01), {9}));
  s.add("key_versions", keys::version(id_from(0x01), 2));
  s.add("key_edges", keys::edge(edge, {9}));
  s.add("key_fields_field", keys::field(id_from(0x01), "depth", {9}));
  s.add("key_fields_revision", keys::field_revision(id_from(0x01), "depth", 2));
  s.add("key_fields_event", keys::topic_event(id_from(0x01), {9}, 1));
  s.add("key_manifests", keys::manifest({9}));
  s.add("key_weights", keys::weights("ana", {9}));
  s.add("key_compacts", keys::compact("trip", "1", {9}));
}

} // namespace

void add_journal(format_samples& s) {
  const world_id world{counting<decltype(world_id::bytes)>(0xC0)};
  const entry first = sample_entry({8});
  s.add("header", first.header_bytes, values_of_header(first));

  const std::vector<entry> entries = {first, sample_entry({9})};
  const auto frame = encode_frame(entries, {8}, false, digest_from(0x10), digest_from(0x50), {5});
  s.add("frame", frame.bytes,
        {{"magic", "MNFR"},
         {"format", journal_format},
         {"flags", 0},
         {"first_seq", 8},
         {"count", 2},
         {"header_bytes", 2 * (4 + first.header_bytes.size())},
         {"payload_bytes", 2 * (9 + first.payload_bytes.size())},
         {"previous_frame", hex_of(digest_from(0x10).raw())},
         {"previous_root", hex_of(digest_from(0x50).raw())},
         {"durable_through", 5},
         {"headers", {hex_of(first.header_bytes), hex_of(entries[1].header_bytes)}},
         {"payloads", {hex_of(first.payload_bytes), hex_of(entries[1].payload_bytes)}},
         {"frame_hash", hex_of(frame.hash.raw())}});
  // The same frame when a trim has dropped its second payload.
  std::vector<entry> left = entries;
  left[1].payload = trimmed_payload{
      .bytes = static_cast<std::uint32_t>(entries[1].payload_bytes.size()), .by = {30}};
  left[1].payload_bytes.clear();
  const auto trimmed = encode_frame(left, {8}, false, digest_from(0x10), digest_from(0x50), {5});
  s.add("trimmed_frame", trimmed.bytes,
        {{"stored_bytes", 2 * 9 + first.payload_bytes.size()},
         {"trimmed_by", 30},
         {"was", entries[1].payload_bytes.size()}});
  const auto seal = encode_frame({}, {10}, true, frame.hash, digest_from(0x70), {9});
  s.add("seal", seal.bytes,
        {{"magic", "MNFR"},
         {"format", journal_format},
         {"flags", 1},
         {"first_seq", 10},
         {"count", 0},
         {"header_bytes", 0},
         {"payload_bytes", 0},
         {"previous_frame", hex_of(frame.hash.raw())},
         {"previous_root", hex_of(digest_from(0x70).raw())},
         {"durable_through", 9},
         {"headers", json::array()},
         {"payloads", json::array()},
         {"frame_hash", hex_of(seal.hash.raw())}});
  s.add("segment_head",
        encode(segment_head{.world = world,
                            .branch = counting<decltype(segment_head::branch)>(0xD0),
                            .first_seq = {8},
                            .previous_frame = digest_from(0x10),
                            .previous_segment = {3}}),
        {{"magic", "MNSG"},
         {"format", journal_format},
         {"world", hex_of(world.raw())},
         {"branch", hex_of(counting<decltype(segment_head::branch)>(0xD0))},
         {"first_seq", 8},
         {"previous_frame", hex_of(digest_from(0x10).raw())},
         {"previous_segment", 3}});
}

void add_roots(format_samples& s) {
  const world_id world{counting<decltype(world_id::bytes)>(0xC0)};
  const std::string key = key_bytes({id_from(0x01), edge_type::references, id_from(0x21)});
  const tree_leaf left{state_path(state_namespace::edges, key), digest_from(0x01)};
  tree_leaf right = left; // differs in the second bit of the path
  right.path.bytes[0] ^= 0x40;
  s.add("edge_key", key);
  s.add("edge_path", left.path.raw());
  s.add("tree_leaf", tree_leaf_hash(left).raw());
  s.add("tree_empty", tree_root_of({}).raw());
  s.add("tree_two_leaves", tree_root_of({left, right}).raw(),
        {{"leaves",
          json::array({json::array({hex_of(left.path.raw()), hex_of(left.value_hash.raw())}),
                       json::array({hex_of(right.path.raw()), hex_of(right.value_hash.raw())})})}});
  s.add("log_empty", empty_log_root().raw());
  s.add("log_leaf", log_leaf_hash(sample_entry({8}).header_bytes).raw());
  s.add("log_node", log_node_hash(digest_from(0x01), digest_from(0x21)).raw());
  const root_set empty = empty_roots(world);
  s.add("overall_root_empty", empty.overall.raw());
  s.add("overall_root", overall_root_of(world, {9}, digest_from(0x01),
                                        {digest_from(0x11), digest_from(0x21), digest_from(0x31)})
                            .raw());
}

void add_files(format_samples& s) {
  const world_file world{.id = {counting<decltype(world_id::bytes)>(0xC0)},
                         .name = "demo",
                         .branch = counting<decltype(world_file::branch)>(0xD0),
                         .embedder = "hash:384"};
  s.add("world_file", encode(world),
        {{"format", 1},
         {"world", hex_of(world.id.raw())},
         {"name", "demo"},
         {"branch", hex_of(world.branch)},
         {"embedder", "hash:384"}});
  s.add("world_id_of_seed_1", seeded_world_id("demo", 1).raw());
  const checkpoint_file checkpoint{.seq = {9},
                                   .node_count = 4,
                                   .next_slot = 3,
                                   .last_drawn_id = id_from(0x01),
                                   .last_entry_at = later,
                                   .overall_root = digest_from(0x41)};
  s.add("checkpoint_file", encode(checkpoint),
        {{"format", 1},
         {"seq", 9},
         {"node_count", 4},
         {"next_slot", 3},
         {"last_drawn_id", hex_of(id_from(0x01).raw())},
         {"last_entry_at", later.ns},
         {"overall_root", hex_of(digest_from(0x41).raw())}});
  checkpoint_file matched = checkpoint;
  matched.store_matches = true;
  s.add("checkpoint_file_matched", encode(matched),
        {{"format", 2},
         {"seq", 9},
         {"node_count", 4},
         {"next_slot", 3},
         {"last_drawn_id", hex_of(id_from(0x01).raw())},
         {"last_entry_at", later.ns},
         {"overall_root", hex_of(digest_from(0x41).raw())},
         {"store_matches", true}});
  matched.image_sums = {1, 2, 3, 4, 5, 6, 7, 0x80000000, 0xFFFFFFFF};
  s.add("checkpoint_file_summed", encode(matched),
        {{"format", 4},
         {"seq", 9},
         {"node_count", 4},
         {"next_slot", 3},
         {"last_drawn_id", hex_of(id_from(0x01).raw())},
         {"last_entry_at", later.ns},
         {"overall_root", hex_of(digest_from(0x41).raw())},
         {"store_matches", true},
         {"image_sums", {1, 2, 3, 4, 5, 6, 7, 0x80000000, 0xFFFFFFFF}}});
  add_keys(s);
}

} // namespace mneme::testing
