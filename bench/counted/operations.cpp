#include "bench/counted/operations.hpp"

#include <cstdint>
#include <utility>

#include "bench/workloads/hashtags.hpp"
#include "bench/workloads/requests.hpp"
#include "query/chroma/chroma.hpp"
#include "query/find/find.hpp"
#include "query/retrieve/retrieve.hpp"
#include "query/search/search.hpp"

namespace mneme::counted {

namespace {

using namespace workloads; // NOLINT(google-build-using-namespace): all of it is about these

constexpr std::size_t memory_count = 2000;
constexpr std::size_t topic_count = 200;
constexpr std::size_t batch_size = 100;

/// Writes what `item` makes of 0, 1, 2, …
template <class Item>
void load(counted_world& world, std::size_t count, const Item& item) {
  std::vector<mutation> items;
  for (std::size_t i = 0; i < count; ++i) {
    items.emplace_back(item(i));
    if (items.size() == batch_size || i + 1 == count) world.write(std::exchange(items, {}));
  }
}

add_edge_request edge_request(const workloads::edge& e) {
  add_edge_request r;
  r.src = id_of(e.src);
  r.dst = id_of(e.dst);
  r.type = e.type;
  return r;
}

/// A reader looks into what it found: what is decoded late counts, too.
void look_into(const std::vector<memory>& found) {
  for (const memory& m : found)
    if (m.head->id != m.version->id) give_up({errc::corrupt, "a memory of two ids", {}});
}

operation find_operation(counted_world& world, std::string name,
                         std::function<find_request(std::size_t)> request) {
  return {.name = std::move(name), .run = [&world, request = std::move(request)](std::size_t i) {
            look_into(world.ask<find_run>(request(i)).memories);
          }};
}

/// Rows that are new in the world, like those that the data has.
write_request new_memory(const dataset& d, std::size_t n) {
  auto w = request_of(d, n % memory_count);
  w.id = id_of(memory_count + n);
  w.created_at.reset();
  return w;
}

void add_finds(counted_worlds& worlds, std::vector<operation>& all) {
  const dataset& d = worlds.data;
  counted_world& world = worlds.memories;
  all.push_back(find_operation(world, "near", [&d](std::size_t i) { return near_request(d, i); }));
  all.push_back(find_operation(world, "near_in_tag", [&d](std::size_t i) {
    return near_in_tag_request(d, i, d.queries[i].tag_1_percent);
  }));
  all.push_back(find_operation(world, "near_own", [&d](std::size_t i) {
    return as_actor(near_request(d, i), d.queries[i].small_actor);
  }));
  all.push_back(find_operation(world, "salient",
                               [&d](std::size_t i) { return salient_request(d.queries[i]); }));
  all.push_back(find_operation(world, "walk",
                               [&d](std::size_t i) { return three_hops_request(d.queries[i]); }));
}

void add_other_doors(counted_worlds& worlds, std::vector<operation>& all) {
  const dataset& d = worlds.data;
  all.push_back({.name = "search", .run = [&](std::size_t i) {
                   if (worlds.memories.ask<search_run>(words_request(d.queries[i])).results.empty())
                     give_up({errc::not_found, "nothing was found", {}});
                 }});
  all.push_back({.name = "retrieve", .run = [&](std::size_t i) {
                   (void)worlds.topics.ask<retrieve_run>(bundles_request(d, i, 8));
                 }});
  generator g(12);
  std::vector<chroma_request> by_colour;
  by_colour.reserve(query_count);
  for (std::size_t i = 0; i < query_count; ++i)
    by_colour.push_back(colour_request(hashtags_of(draw_anchors(g)), 5));
  all.push_back({.name = "chroma", .run = [&, by_colour](std::size_t i) {
                   for (const auto& row : worlds.colours.ask<chroma_run>(by_colour[i]).rows)
                     look_into({row.memory});
                 }});
}

void add_writes(counted_worlds& worlds, std::vector<operation>& all) {
  const dataset& d = worlds.data;
  counted_world& world = worlds.memories;
  all.push_back({.name = "open",
                 .run = [&](std::size_t) { world.open(); },
                 .prepare = [&](std::size_t) { world.close(); }});
  all.push_back({.name = "touch_20", .run = [&](std::size_t i) {
                   find_late_payload touched;
                   touched.types = {memory_type::note};
                   for (std::size_t n = 0; n < 20; ++n)
                     touched.accessed.push_back(id_of((20 * i + n) % memory_count));
                   touched.result_count = 20;
                   world.touch(std::move(touched));
                 }});
  all.push_back({.name = "write", .run = [&](std::size_t i) {
                   const auto row = static_cast<std::uint32_t>(memory_count + i);
                   world.write(
                       {new_memory(d, i), edge_request({row, static_cast<std::uint32_t>(i), 15})});
                 }});
  all.push_back({.name = "write_64", .run = [&](std::size_t i) {
                   std::vector<mutation> items;
                   items.reserve(64);
                   for (std::size_t n = 0; n < 64; ++n)
                     items.emplace_back(new_memory(d, memory_count + 64 * i + n));
                   world.write(std::move(items));
                 }});
}

} // namespace

counted_worlds::counted_worlds() : data(make_dataset(memory_count, 1)) {
  load(memories, memory_count, [&](std::size_t i) { return request_of(data, i); });
  load(memories, data.edges.size(), [&](std::size_t i) { return edge_request(data.edges[i]); });
  load(topics, topic_count, [&](std::size_t i) { return topic_request(data, i); });
  colours.write(hashtag_assignments());
  generator g(11);
  load(colours, memory_count,
       [&](std::size_t i) { return coloured_request(data, i, draw_anchors(g)); });
}

std::vector<operation> operations_of(counted_worlds& worlds) {
  std::vector<operation> all;
  add_finds(worlds, all);
  add_other_doors(worlds, all);
  add_writes(worlds, all);
  return all;
}

} // namespace mneme::counted
