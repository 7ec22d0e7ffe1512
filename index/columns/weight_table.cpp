#include "index/columns/weight_table.hpp"

#include <utility>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

constexpr std::size_t saved_weights_bytes = 4 + 8 + std::size_t{5} * 8;

} // namespace

void weight_table::put(std::string_view actor, seq_no seq, const learned_weights& weights) {
  chain_.set({actors_.intern(actor)}, seq, weights);
}

learned_weights weight_table::find(std::string_view actor, seq_no at) const {
  const std::uint32_t number = actors_.find(actor);
  if (number == no_number) return {};
  return chain_.find({number}, at).value_or(learned_weights{});
}

void weight_table::save(image_writer& out, seq_no from, seq_no at) const {
  std::vector<chain_record<learned_weights>> all;
  std::uint32_t actors = 0;
  for (node_no n{0}, limit{chain_.node_limit()}; n < limit; ++n.value) {
    const std::size_t before = all.size();
    chain_.append_records(n, from, at, all);
    if (all.size() > before) actors = n.value + 1;
  }
  std::ranges::sort(all, {}, [](const auto& r) { return std::pair(r.seq, r.node); });
  ensure(actors <= actors_.size(), "weights are of actors that have a name");
  out.put(std::uint64_t{actors});
  for (std::uint32_t n = 0; n < actors; ++n) out.put_text(actors_.text(n));
  out.put(std::uint64_t{all.size()});
  for (const auto& record : all) {
    out.put(record.node.value);
    out.put(record.seq);
    for (const std::uint64_t word : chain_words<learned_weights>::pack(record.values))
      out.put(word);
  }
}

bool weight_table::load(image_reader& in, seq_no at) {
  const std::uint64_t actors = in.get_count(sizeof(std::uint32_t));
  for (std::uint64_t n = 0; n < actors; ++n)
    if (actors_.intern(in.get_text()) != n || !in.ok()) return false;
  const std::uint64_t count = in.get_count(saved_weights_bytes);
  std::uint64_t last_seq = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const node_no actor{in.get<std::uint32_t>()};
    const seq_no seq{in.get<std::uint64_t>()};
    std::array<std::uint64_t, chain_words<learned_weights>::count> words{};
    for (std::uint64_t& word : words) word = in.get<std::uint64_t>();
    if (!in.ok() || actor.value >= actors || seq.value < last_seq || seq > at) return false;
    last_seq = seq.value;
    chain_.set(actor, seq, chain_words<learned_weights>::unpack(words));
  }
  return in.ok();
}

} // namespace mneme
