// The sums of a query's words, tile by tile, against sums over plain texts: to the last bit,
// whatever is left unread. Of: query/search/word_sums.cpp, query/search/bm25.cpp,
// query/search/score_table.hpp, index/lexical/posting_block.hpp
#include <catch2/catch.hpp>

#include <map>

#include "query/search/word_sums.hpp"
#include "tests/index/dice.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

/// Contents of words that are common, rare, in few tiles or very often in one content.
class wordy_contents {
public:
  explicit wordy_contents(std::uint64_t seed) : dice_(seed) {
    std::uint32_t slot = 0;
    for (std::uint32_t i = 0; i < 5000; ++i) {
      slot += dice_.one_in(50) ? dice_.below(300) : dice_.one_in(2000) ? 70'000 : 1;
      add(slot, any_text(slot));
    }
  }

  std::vector<weighed_word> any_query() {
    std::vector<weighed_word> query;
    std::vector<std::string> words = {"the", "alpha", "beta", "gamma", "often"};
    for (int i = 0; i < 40; ++i) words.push_back("w" + std::to_string(i));
    const double k1 = dice_.one_in(5) ? 0 : 1.2;
    const double b = dice_.below(5) / 4.0;
    const std::size_t most = dice_.one_in(4) ? words.size() : 5;
    while (!words.empty() && query.size() < most && (query.empty() || !dice_.one_in(8))) {
      const std::size_t at = dice_.below(static_cast<std::uint32_t>(words.size()));
      const term_no term = index_.term(words[at]);
      if (term.value != no_number)
        query.push_back({term, bm25_term(k1, b, 0.1 + dice_.below(8), 7.5)});
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return query;
  }

  /// Of all contents, by slot.
  [[nodiscard]] std::map<std::uint32_t, double> sums(const std::vector<weighed_word>& query) const {
    std::map<std::uint32_t, double> all;
    for (const auto& [slot, counts] : contents_) {
      std::uint32_t length = 0;
      for (const auto& [term, count] : counts) length += count;
      double sum = 0;
      for (const auto& word : query)
        if (const auto at = counts.find(word.term.value); at != counts.end())
          sum += word.by.score(at->second, length);
      if (sum > 0) all[slot] = sum;
    }
    return all;
  }

  [[nodiscard]] const lexical& index() const { return index_; }
  dice& draws() { return dice_; }

private:
  std::string any_text(std::uint32_t slot) {
    std::string text;
    const auto some = [&](const std::string& word, std::uint32_t most) {
      for (std::uint32_t n = dice_.below(most + 1); n > 0; --n) text += word + " ";
    };
    some("the", 4);
    some("alpha", 2);
    if (dice_.one_in(3)) some("beta", 3);
    if (slot / 4096 % 2 == 0) some("gamma", 2);
    some("w" + std::to_string(dice_.below(1 + dice_.below(40))), 2);
    if (dice_.one_in(500)) some("often", 600);
    return text;
  }

  void add(std::uint32_t slot, const std::string& text) {
    index_.put({slot}, {slot}, corpus::memories, text, {++seq_});
    auto& counts = contents_[slot];
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = text.find(' ', begin);
      ++counts[index_.term(text.substr(begin, end - begin)).value];
      begin = end + 1;
    }
  }

  dice dice_;
  lexical index_;
  std::map<std::uint32_t, std::map<std::uint32_t, std::uint32_t>> contents_; ///< counts by term
  std::uint64_t seq_ = 0;
};

using sums_by_slot = std::map<std::uint32_t, double>;

/// What the sums give that are at least `least`, which rises with each content found as `rise`
/// says.
template <class Rise>
sums_by_slot found_by(word_sums& sums, double least, const Rise& rise) {
  sums_by_slot found;
  std::uint32_t before = no_number;
  for (sums.rewind(); sums.next();) {
    CHECK(sums.end() <= before); // the newest first
    before = sums.first();
    bool fits = true;
    for (const auto& t : sums.at_least(least)) {
      fits = fits && t.slot >= sums.first() && t.slot < sums.end() && t.text >= least;
      fits = fits && found.emplace(t.slot, t.text).second;
    }
    CHECK(fits);
    for (const auto& [slot, text] : found) least = rise(least, text);
  }
  return found;
}

} // namespace

TEST_CASE("all sums that reach a bound are found, to the last bit") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    wordy_contents contents(seed);
    for (int i = 0; i < 25; ++i) {
      const auto query = contents.any_query();
      const auto all = contents.sums(query);
      deadline never;
      word_sums sums(contents.index(), corpus::memories, query, never);
      double most = 0;
      for (const auto& [slot, sum] : all) most = std::max(most, sum);
      for (const double share : {0.0, 0.3, 0.7, 0.95, 1.0}) {
        auto expected = all;
        std::erase_if(expected, [&](const auto& s) { return s.second < share * most; });
        const auto same = [](double least, double) { return least; };
        CHECK(found_by(sums, share * most, same) == expected);
      }
      std::uint64_t postings = 0;
      for (const auto& word : query)
        postings += contents.index().document_frequency(corpus::memories, word.term, {1U << 20});
      CHECK(sums.posting_count() == postings);
      for (int n = 0; n < 20 && !all.empty(); ++n) {
        const std::uint32_t slot = contents.draws().below(all.rbegin()->first + 2);
        CHECK(sums.sum_of({slot}) == (all.contains(slot) ? all.at(slot) : 0.0));
      }
    }
  }
}

TEST_CASE("who asks for more with each that is found finds the best sum of all") {
  wordy_contents contents(7);
  for (int i = 0; i < 40; ++i) {
    const auto query = contents.any_query();
    deadline never;
    word_sums sums(contents.index(), corpus::memories, query, never);
    const auto best = [](const sums_by_slot& all) {
      double most = 0;
      for (const auto& [slot, sum] : all) most = std::max(most, sum);
      return most;
    };
    const auto found = found_by(sums, 0, [](double a, double b) { return std::max(a, b); });
    CHECK(best(found) == best(contents.sums(query)));
  }
}

TEST_CASE("sums of words that are nowhere, or of none, are none") {
  const lexical empty;
  deadline never;
  word_sums sums(empty, corpus::memories, {}, never);
  sums.rewind();
  CHECK_FALSE(sums.next());
  CHECK(sums.posting_count() == 0);
  CHECK(sums.sum_of({3}) == 0);
}

TEST_CASE("a table of scores says what is divided out, to the last bit") {
  const bm25_term by(1.2, 0.75, 3.1, 7.5);
  const score_table table(by);
  CHECK(table.is_filled());
  CHECK_FALSE(score_table().is_filled());
  for (const std::uint32_t count : {1U, 2U, 3U, 9U, 254U})
    for (std::uint32_t length = 0; length < 300; ++length)
      CHECK(table.score(by, count, length) == by.score(count, length));
}
