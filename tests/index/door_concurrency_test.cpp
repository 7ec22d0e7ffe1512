// One writer and three readers on what chroma and search read: signal chains, the colour space, the
// tag table and the lexical index. Clean under ThreadSanitizer.
// Of: index/colour/colour_index.cpp, index/columns/tag_table.cpp, index/lexical/lexical.cpp
#include <algorithm>
#include <array>

#include "index/colour/colour_search.hpp"
#include "index/columns/attributes.hpp"
#include "index/columns/signal_chain.hpp"
#include "index/lexical/lexical.hpp"
#include "tests/index/vectors/vector_cloud.hpp"
#include "tests/index/writer_and_readers.hpp"

namespace mneme {

namespace {

// As in concurrency_test.cpp: what happens at a seq is a function of the seq.
constexpr std::uint64_t kept_seqs = 2000;

/// The last seq <= `at` that is `remainder` modulo `modulus`, and not 0; 0 if there is none.
std::uint64_t newest(std::uint64_t at, std::uint64_t remainder, std::uint64_t modulus) {
  const std::uint64_t first = remainder == 0 ? modulus : remainder;
  return at < first ? 0 : at - (at - first) % modulus;
}

/// A seq that a reader may ask for.
std::uint64_t some_seq(std::uint64_t published, dice& d) {
  const std::uint64_t from = published > 500 ? published - 500 : 0;
  return from + d.below(published - from + 1);
}

colour_signals signals_at(std::uint64_t seq) {
  colour_signals s;
  s.strength_e9 = static_cast<std::int64_t>(seq);
  s.last_accessed = {static_cast<std::int64_t>(seq)};
  if (seq % 3 == 0) s.last_decay_at = timestamp{static_cast<std::int64_t>(seq)};
  s.ascended = seq % 5 == 0;
  s.rotten = !s.ascended && seq % 2 == 0;
  return s;
}

constexpr std::uint64_t coloured_nodes = 24;

} // namespace

TEST_CASE("signal chains beside a writer", "[concurrent]") {
  signal_chain subject;
  std::atomic<std::uint64_t> retained{0};
  writer_and_readers().run(
      30'000,
      [&](std::uint64_t seq) {
        subject.set({static_cast<std::uint32_t>(seq % coloured_nodes)}, {seq}, signals_at(seq));
        if (seq > kept_seqs && seq % 10 == 0) {
          retained.store(seq - kept_seqs);
          subject.retain_from({seq - kept_seqs});
        }
      },
      [&](std::uint64_t published, dice& d) {
        const std::uint64_t at = some_seq(published, d);
        bool right = true;
        for (std::uint32_t n = 0; n < coloured_nodes; ++n) {
          const std::uint64_t seq = newest(at, n, coloured_nodes);
          const auto found = subject.find({n}, {at});
          right = right && (seq == 0 ? !found : found == signals_at(seq));
        }
        return right || retained.load() > at;
      });
}

namespace {

constexpr std::uint64_t rounds_of_nodes = coloured_nodes;

/// A node comes and goes: it is found in every second round.
bool is_findable(std::uint64_t seq) {
  return seq / rounds_of_nodes % 2 == 0;
}
lab_point point_of(std::uint32_t node) {
  return {static_cast<double>(node * 4), static_cast<double>(node) - 10.0, 3.0};
}

void write_colour(attributes& subject, std::uint64_t seq) {
  const node_no node{static_cast<std::uint32_t>(seq % rounds_of_nodes)};
  row_values row{.node = node,
                 .slot = {static_cast<std::uint32_t>(seq)},
                 .type = memory_type::note,
                 .visibility = visibility::actor_public,
                 .version = static_cast<std::uint32_t>(seq)};
  subject.put(row, {seq});
  subject.colours().put({.node = node,
                         .point = point_of(node.value),
                         .mode = memory_mode::adaptive,
                         .created_at = {},
                         .findable = is_findable(seq),
                         .erased = false},
                        {seq});
  subject.colours().set_signals(node, {seq}, signals_at(seq));
  if (seq > kept_seqs && seq % 10 == 0) subject.retain_from({seq - kept_seqs});
}

bool colours_are_right(const attributes& subject, const node_table& nodes, std::uint64_t at) {
  std::vector<std::uint32_t> expected;
  for (std::uint32_t n = 0; n < rounds_of_nodes; ++n) {
    const std::uint64_t seq = newest(at, n, rounds_of_nodes);
    if (seq != 0 && is_findable(seq)) expected.push_back(n);
  }
  colour_search search(subject, nodes,
                       colour_query{.point = {50, 0, 0},
                                    .now = {static_cast<std::int64_t>(at)},
                                    .at = {at},
                                    .weights = {},
                                    .max_distance = {},
                                    .created_or_accessed = {},
                                    .include_rotten = true,
                                    .nearest_first = false,
                                    .accept = {}});
  std::vector<std::uint32_t> found;
  double last_score = 2;
  while (const auto hit = search.next()) {
    if (hit->before != signals_at(newest(at, hit->node.value, rounds_of_nodes))) return false;
    if (hit->signals.score > last_score) return false;
    last_score = hit->signals.score;
    found.push_back(hit->node.value);
  }
  std::ranges::sort(found);
  return found == expected;
}

} // namespace

TEST_CASE("the colour space and its images beside a writer", "[concurrent]") {
  attributes subject;
  node_table nodes;
  for (std::uint32_t n = 0; n < rounds_of_nodes; ++n) nodes.intern(scattered_id(n));
  writer_and_readers().run(
      10'000, [&](std::uint64_t seq) { write_colour(subject, seq); },
      [&](std::uint64_t published, dice& d) {
        const std::uint64_t at = some_seq(published, d);
        bool right = colours_are_right(subject, nodes, at);
        if (d.one_in(60)) {
          attributes loaded;
          right = right && loaded.load(subject.save({published}))
                  && colours_are_right(loaded, nodes, published);
        }
        return right || subject.retained().value > at;
      });
}

TEST_CASE("hashtags beside a writer", "[concurrent]") {
  tag_table subject;
  const auto tag_of = [](std::uint64_t seq) { return "tag" + std::to_string(seq); };
  writer_and_readers().run(
      9'000,
      [&](std::uint64_t seq) {
        subject.assign(tag_of(seq), static_cast<std::uint32_t>(seq), {seq});
      },
      [&](std::uint64_t published, dice& d) {
        const std::uint64_t at = some_seq(published, d);
        if (at == 0) return subject.all({0}).empty();
        const std::uint64_t one = 1 + d.below(at);
        const auto found = subject.find(tag_of(one), {at});
        return found && found->anchor == one && subject.taken(found->anchor, {at})
               && !subject.find(tag_of(at + 1), {at})
               && !subject.taken(static_cast<std::uint32_t>(at + 1), {at})
               && (!d.one_in(50) || subject.all({at}).size() == at);
      });
}

namespace {

constexpr std::uint64_t text_nodes = 20;
constexpr std::array<const char*, 3> texts = {"rain rain moss", "moss river", "iron"};

/// At a seq a node gets a text, or is taken away in every fourth round.
std::uint64_t text_of(std::uint64_t seq) {
  return seq / text_nodes % 4;
}

void write_text(lexical& subject, std::uint64_t seq) {
  const node_no node{static_cast<std::uint32_t>(seq % text_nodes)};
  const std::uint64_t text = text_of(seq);
  if (text == 3)
    subject.set_live(node, false, {seq});
  else
    subject.put(node, {static_cast<std::uint32_t>(seq)}, corpus::memories, texts.at(text), {seq});
  if (seq > kept_seqs && seq % 10 == 0) subject.retain_from({seq - kept_seqs});
}

bool texts_are_right(const lexical& subject, std::uint64_t at) {
  std::array<std::uint64_t, 3> with{}; // contents of each text
  for (std::uint32_t n = 0; n < text_nodes; ++n) {
    const std::uint64_t seq = newest(at, n, text_nodes);
    if (seq != 0 && text_of(seq) != 3) ++with.at(text_of(seq));
  }
  const corpus_size size = subject.size(corpus::memories, {at});
  const auto documents = [&](const char* term) {
    return subject.document_frequency(corpus::memories, subject.term(term), {at});
  };
  const auto ascend = [&](const char* term) {
    std::vector<std::uint32_t> slots;
    for (const auto& block : subject.postings(corpus::memories, subject.term(term))) {
      const std::uint32_t there = block.size(); // it may grow meanwhile
      for (std::uint32_t i = 0; i < there; ++i) slots.push_back(block.slot(i));
    }
    return std::ranges::is_sorted(slots);
  };
  return size.documents == with[0] + with[1] + with[2]
         && size.length == 3 * with[0] + 2 * with[1] + with[2] && documents("rain") == with[0]
         && documents("moss") == with[0] + with[1] && documents("iron") == with[2] && ascend("rain")
         && ascend("moss");
}

} // namespace

TEST_CASE("the lexical index and its images beside a writer", "[concurrent]") {
  lexical subject;
  std::atomic<std::uint64_t> retained{0};
  writer_and_readers().run(
      20'000,
      [&](std::uint64_t seq) {
        if (seq > kept_seqs) retained.store(seq - kept_seqs);
        write_text(subject, seq);
      },
      [&](std::uint64_t published, dice& d) {
        const std::uint64_t at = some_seq(published, d);
        bool right = texts_are_right(subject, at);
        if (d.one_in(100)) {
          lexical loaded;
          right = right && loaded.load(subject.save({published})).has_value()
                  && texts_are_right(loaded, published);
        }
        return right || retained.load() > at;
      });
}

} // namespace mneme
