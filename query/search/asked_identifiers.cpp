#include "query/search/asked_identifiers.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace mneme {

namespace {

bool is_identifier(std::span<const text_run> runs) {
  return runs.size() > 1
         || std::ranges::any_of(runs.front().term, [](char c) { return c >= '0' && c <= '9'; });
}

bool has_whole(std::span<const text_run> text, std::span<const text_run> wanted) {
  while (true) {
    const auto found = std::ranges::search(text, wanted, {}, &text_run::term, &text_run::term);
    if (found.empty()) return false;
    const auto behind = text.subspan(static_cast<std::size_t>(found.end() - text.begin()));
    const bool is_part = found.front().is_joined || (!behind.empty() && behind.front().is_joined);
    if (!is_part) return true;
    text = text.subspan(static_cast<std::size_t>(found.begin() - text.begin()) + 1);
  }
}

} // namespace

asked_identifiers::asked_identifiers(std::string_view question, std::string_view language)
    : language_(language) {
  const auto runs = text_runs(question, language);
  for (auto at = runs.begin(); at != runs.end();) {
    const auto end =
        std::find_if(at + 1, runs.end(), [](const text_run& run) { return !run.is_joined; });
    if (is_identifier({at, end})) all_.emplace_back(at, end);
    at = end;
  }
}

std::vector<bool> asked_identifiers::whole_in(std::string_view text) const {
  const auto runs = text_runs(text, language_);
  std::vector<bool> whole;
  whole.reserve(all_.size());
  for (const auto& identifier : all_) whole.push_back(has_whole(runs, identifier));
  return whole;
}

} // namespace mneme
