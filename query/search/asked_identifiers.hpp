#pragma once
/// The identifiers that a question names: addresses, codes, numbers, paths. Of one that is part of
/// a longer one the words are the same, and what it names is another: /etc/app.conf is not
/// /etc/app.conf.bak.

#include <string_view>
#include <vector>

#include "index/lexical/text_terms.hpp"

namespace mneme {

class asked_identifiers {
public:
  /// Runs that single separators join, and single ones with a digit.
  asked_identifiers(std::string_view question, std::string_view language);

  [[nodiscard]] bool empty() const { return all_.empty(); }
  /// For each of them: does the text have its words, one after the other, and as no part of a
  /// longer one? Whether they are joined there does not matter: "sign up" has "sign-up".
  [[nodiscard]] std::vector<bool> whole_in(std::string_view text) const;

private:
  std::string_view language_;
  std::vector<std::vector<text_run>> all_;
};

} // namespace mneme
