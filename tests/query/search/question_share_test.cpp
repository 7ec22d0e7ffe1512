#include "query/search/question_share.hpp"

#include <catch2/catch.hpp>

#include "index/lexical/text_terms.hpp"

using namespace mneme;

namespace {

class small_corpus {
public:
  slot_no put(const std::string& text) {
    const std::uint32_t n = next_++;
    words_.put({n}, {n}, corpus::memories, text, {n + 1});
    words_.set_live({n}, true, {n + 1});
    return {n};
  }
  double share(const std::string& question, slot_no slot) {
    return question_share(text_terms(question), {}, words_).of(slot);
  }

private:
  lexical words_;
  std::uint32_t next_ = 0;
};

} // namespace

TEST_CASE("the share of a question that a text has") {
  small_corpus c;
  const auto tea = c.put("Ana likes green tea");
  const auto boat = c.put("the boats leave at noon");
  CHECK(c.share("green tea", tea) == Approx(1));
  CHECK(c.share("green boats", tea) == Approx(0.5));
  CHECK(c.share("green boats", boat) == Approx(0.5));
  CHECK(c.share("zeppelin", tea) == 0);
  CHECK(c.share("", tea) == 0);
  // Function words are little of a question.
  CHECK(c.share("what does Ana drink", tea) > 0.3);
  CHECK(c.share("the zeppelin", boat) < 0.25);
  CHECK(c.share("what does the captain of it say", boat) < 0.25);
}

TEST_CASE("the field that has most of a question is named, the first of several") {
  const auto text = [](std::string t) { return json_value{std::move(t)}; };
  const std::vector<topic_value> values = {{"allergy", text("hazelnuts and the pollen of birches")},
                                           {"home", text("Porto")},
                                           {"none", {}},
                                           {"work", text("a bakery in Porto")}};
  const auto named = [&](const std::string& question) {
    return best_field(text_terms(question), {}, values);
  };
  CHECK(named("hazelnut allergies") == "allergy");
  CHECK(named("who is at home in Porto") == "home");
  CHECK(named("Porto") == "home");
  CHECK(named("which bakery of Porto") == "work");
  CHECK(named("the and of") == "");
  CHECK(named("zeppelins") == "");
  CHECK(named("none") == ""); // says nothing
}
