// The lexical index: exact statistics at every retained seq, and images of it.
// Of: index/lexical/lexical_image.cpp
#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include <catch2/catch.hpp>
#include <rapidcheck/catch.h>

#include "index/image.hpp"
#include "index/lexical/lexical.hpp"
#include "index/lexical/text_terms.hpp"
#include "tests/index/damage.hpp"
#include "tests/index/dice.hpp"

namespace mneme {

namespace {

/// Every content with its intervals of life; every question is answered by looking at all of them.
class lexical_model {
public:
  explicit lexical_model(std::uint64_t seed) : dice_(seed) {}

  void change(lexical& subject) {
    ++seq_;
    const std::uint32_t node = dice_.below(12);
    if (dice_.one_in(3)) {
      const bool live = dice_.one_in(2);
      set_live(node, live);
      return subject.set_live({node}, live, {seq_});
    }
    const auto newest = newest_of(node);
    if (newest != contents_.rend() && newest->lives.back().second == forever && dice_.one_in(3)) {
      const content moved = *newest;
      set_live(node, false);
      const auto to = static_cast<std::uint32_t>(contents_.size());
      contents_.push_back({node, moved.in, moved.terms, {{seq_, forever}}});
      return subject.carry({node}, {to}, {seq_});
    }
    set_live(node, false);
    const std::string text = any_text();
    const corpus in = node % 3 == 0 ? corpus::chunks : corpus::memories;
    const auto slot = static_cast<std::uint32_t>(contents_.size());
    contents_.push_back({node, in, text_terms(text), {{seq_, forever}}});
    subject.put({node}, {slot}, in, text, {seq_});
    if (dice_.one_in(10)) {
      set_live(node, false);
      subject.set_live({node}, false, {seq_});
    }
  }

  void check(const lexical& subject, std::uint64_t at) const {
    for (const corpus of : {corpus::memories, corpus::chunks}) {
      corpus_size size;
      std::map<std::string, std::uint64_t> frequency;
      for (const auto& c : contents_) {
        if (c.in != of || !c.alive(at)) continue;
        ++size.documents;
        size.length += c.terms.size();
        for (const auto& word : words)
          if (std::ranges::count(c.terms, word) != 0) ++frequency[std::string(word)];
      }
      CHECK(subject.size(of, {at}) == size);
      for (const auto& word : words) {
        const term_no term = subject.term(word);
        CHECK(subject.document_frequency(of, term, {at}) == frequency[std::string(word)]);
        check_postings(subject, of, term, word, at);
      }
    }
  }
  [[nodiscard]] std::uint64_t seq() const { return seq_; }
  dice& draws() { return dice_; }

private:
  struct content {
    std::uint32_t node;
    corpus in;
    std::vector<std::string> terms;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> lives;

    [[nodiscard]] bool alive(std::uint64_t at) const {
      return std::ranges::any_of(
          lives, [&](const auto& life) { return life.first <= at && at < life.second; });
    }
  };
  static constexpr std::string_view words[] = {"a", "b", "c", "d", "e"};

  std::string any_text() {
    std::string text;
    for (std::uint32_t n = dice_.below(8); n > 0; --n) {
      text += words[dice_.below(std::size(words))];
      text += ' ';
    }
    return text;
  }

  std::vector<content>::reverse_iterator newest_of(std::uint32_t node) {
    return std::find_if(contents_.rbegin(), contents_.rend(),
                        [&](const content& c) { return c.node == node; });
  }

  void set_live(std::uint32_t node, bool live) {
    const auto newest = newest_of(node);
    if (newest == contents_.rend()) return;
    const bool is_live = newest->lives.back().second == forever;
    if (is_live == live) return;
    if (live)
      newest->lives.emplace_back(seq_, forever);
    else
      newest->lives.back().second = seq_;
  }

  /// Every live content with the term stands there once with its count; slots ascend.
  void check_postings(const lexical& subject, corpus of, term_no term, std::string_view word,
                      std::uint64_t at) const {
    std::map<std::uint32_t, std::uint32_t> found;
    std::optional<std::uint32_t> last;
    for (const auto& block : subject.postings(of, term)) {
      CHECK(block.before() == found.size());
      for (std::uint32_t i = 0; i < block.size(); ++i) {
        const std::uint32_t slot = block.slot(i);
        const std::uint32_t count = subject.count({slot}, term);
        CHECK((!last || *last < slot));
        CHECK(block.counts()[i] == std::min(count, posting_block::many));
        CHECK(count <= block.most_count());
        CHECK(block.least_length() <= subject.length({slot}));
        last = slot;
        found[slot] = count;
      }
    }
    for (std::uint32_t slot = 0; slot < contents_.size(); ++slot) {
      const content& c = contents_[slot];
      if (c.in != of || !c.alive(at)) continue;
      CHECK(subject.length({slot}) == c.terms.size());
      const auto count = static_cast<std::uint32_t>(std::ranges::count(c.terms, word));
      CHECK(found[slot] == count);
      CHECK(subject.count({slot}, term) == count);
    }
  }

  dice dice_;
  std::uint64_t seq_ = 0;
  std::vector<content> contents_; ///< by slot
};

} // namespace

TEST_CASE("what was erased is in no image, and counts as if it had never been") {
  lexical subject;
  subject.put({0}, {0}, corpus::memories, "harbour needle", {1});
  subject.put({1}, {1}, corpus::memories, "harbour lamp", {2});
  subject.put({0}, {2}, corpus::memories, "needle again", {3});
  subject.erase({0}, {4});
  CHECK(subject.size(corpus::memories, {4}).documents == 1);
  const std::string image = subject.save({4});
  CHECK(image.find("needl") == std::string::npos);
  lexical loaded;
  REQUIRE(loaded.load(image));
  CHECK(loaded.term("needl").value == no_number);
  for (const std::uint64_t at : {1U, 2U, 3U, 4U}) {
    INFO("seq " << at);
    CHECK(loaded.size(corpus::memories, {at}).documents == (at >= 2 ? 1U : 0U));
    CHECK(loaded.document_frequency(corpus::memories, loaded.term("harbour"), {at})
          == (at >= 2 ? 1U : 0U));
  }
}

TEST_CASE("spec 7, BM25: statistics are exact at any retained seq") {
  rc::prop("against a naive model", [](std::uint64_t seed, std::uint8_t changes) {
    lexical subject;
    lexical_model model(seed);
    for (int i = 0; i < changes; ++i) model.change(subject);
    for (std::uint64_t at = 0; at <= model.seq(); at += 1 + model.seq() / 5)
      model.check(subject, at);
    model.check(subject, model.seq());
  });
}

TEST_CASE("a lexical image loaded in the middle gives the answers of never having stopped") {
  rc::prop("save, load, go on", [](std::uint64_t seed) {
    auto subject = std::make_unique<lexical>();
    lexical_model model(seed);
    for (int i = 0; i < 60; ++i) model.change(*subject);
    const std::uint64_t saved_at = model.seq();
    const std::uint64_t retained = model.draws().below(saved_at);
    subject->retain_from({retained});
    auto later = std::make_unique<lexical>();
    REQUIRE(later->load(subject->save({saved_at})));
    for (std::uint64_t at = retained; at <= saved_at; ++at) model.check(*later, at);
    for (int i = 0; i < 60; ++i) model.change(*later);
    for (std::uint64_t at = retained; at <= model.seq(); at += 7) model.check(*later, at);
  });
}

TEST_CASE("a lexical image holds what was there at its seq, whatever came later") {
  lexical subject;
  subject.put({0}, {0}, corpus::memories, "one two", {1});
  subject.put({1}, {1}, corpus::memories, "two", {2});
  subject.set_live({0}, false, {3});
  lexical then;
  REQUIRE(then.load(subject.save({1})));
  CHECK(then.size(corpus::memories, {9}) == corpus_size{.documents = 1, .length = 2});
  CHECK(then.document_frequency(corpus::memories, then.term("two"), {9}) == 1);
}

TEST_CASE("a lexical image with terms of other rules is refused, and says so") {
  image_writer out("mnWORD06");
  out.put_text("1 utf8proc 1.0");
  lexical target;
  const auto loaded = target.load(out.finish());
  REQUIRE_FALSE(loaded);
  CHECK(loaded.error().message.contains("terms of other rules (\"1 utf8proc 1.0\" instead of \""));
}

TEST_CASE("a damaged lexical image is refused and leaves the index empty") {
  lexical subject;
  lexical_model model(3);
  for (int i = 0; i < 40; ++i) model.change(subject);
  check_damage_is_refused(subject.save({model.seq()}), [](const std::string& image) {
    lexical target;
    auto loaded = target.load(image);
    CHECK(target.size(corpus::memories, {100}) == corpus_size{});
    return loaded;
  });
}

} // namespace mneme
