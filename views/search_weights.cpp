#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "mneme/search.hpp"

namespace mneme {

namespace {

struct named_weight {
  std::string_view name;
  double search_weights::* member;
  double most;
};
constexpr double any = 1e6;
constexpr std::array<named_weight, 15> weights = {{
    {"vector", &search_weights::vector, any},
    {"text", &search_weights::text, any},
    {"k1", &search_weights::k1, any},
    {"b", &search_weights::b, 1},
    {"b_short", &search_weights::b_short, 1},
    {"short_length", &search_weights::short_length, any},
    {"long_length", &search_weights::long_length, any},
    {"function_words", &search_weights::function_words, 1},
    {"common_words", &search_weights::common_words, any},
    {"neighbours", &search_weights::neighbours, any},
    {"answers", &search_weights::answers, any},
    {"dates", &search_weights::dates, any},
    {"speakers", &search_weights::speakers, any},
    {"least_match", &search_weights::least_match, 1},
    {"newer", &search_weights::newer, 1},
}};
constexpr std::string_view relative_name = "relative";

result<double> number_of(std::string_view name, std::string_view text, double most,
                         std::string_view at) {
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size())
    return fail(errc::bad_value, fmt::format("{} is a number, not \"{}\"", name, text),
                std::string(at));
  if (!(value >= 0 && value <= most))
    return fail(errc::out_of_range, fmt::format("{} is from 0 to {}", name, most), std::string(at));
  return value;
}

result<void> set(search_weights& w, std::string_view name, std::string_view text,
                 std::string_view at) {
  if (name == relative_name) {
    auto value = number_of(name, text, 1, at);
    if (!value) return propagate(value);
    w.relative = *value != 0;
    return {};
  }
  for (const auto& known : weights) {
    if (known.name != name) continue;
    auto value = number_of(name, text, known.most, at);
    if (!value) return propagate(value);
    w.*known.member = *value;
    return {};
  }
  return fail(errc::bad_value, fmt::format("there is no search weight \"{}\"", name),
              std::string(at));
}

result<search_weights> changed(search_weights w, std::string_view text, std::string_view at) {
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    const auto equals = item.find('=');
    if (equals == std::string_view::npos)
      return fail(errc::bad_value, fmt::format("\"{}\" is not name=number", item), std::string(at));
    if (auto ok = set(w, item.substr(0, equals), item.substr(equals + 1), at); !ok)
      return propagate(ok);
  }
  if (w.long_length <= w.short_length)
    return fail(errc::out_of_range, "long_length is above short_length", std::string(at));
  if (w.vector + w.text <= 0)
    return fail(errc::out_of_range, "vector or text is above 0", std::string(at));
  return w;
}

} // namespace

search_weights default_search_weights(std::string_view embedder_spec) {
  if (embedder_spec.empty() || embedder_spec == "none") return {};
  // What a cosine is worth by itself is only known of the hash embedder's.
  const bool is_calibrated = embedder_spec.starts_with("hash");
  // Found on conversations, long assistant chats and scientific abstracts: see docs/SEARCH.md.
  return {.vector = 0.3,
          .text = 0.7,
          .k1 = 2.0,
          .b = 1.0,
          .b_short = 0.1,
          .short_length = 32,
          .long_length = 100,
          .neighbours = 0.4,
          .answers = 0.5,
          .dates = 0.4,
          .speakers = 0.1,
          .least_match = is_calibrated ? 0.25 : 0,
          .newer = 0.85,
          .relative = true};
}

result<search_weights> parse_search_weights(std::string_view text, std::string_view embedder_spec) {
  return changed(default_search_weights(embedder_spec), text, "search");
}

result<search_weights> change_search_weights(search_weights base, std::string_view text) {
  return changed(base, text, "weights");
}

namespace {

std::string written(const search_weights& w) {
  std::string text;
  for (const auto& known : weights)
    fmt::format_to(std::back_inserter(text), "{}={},", known.name, w.*known.member);
  return text + fmt::format("{}={}", relative_name, w.relative ? 1 : 0);
}

} // namespace

// Every search says it, and nearly all say the same: to write so many numbers is a part of what a
// search of few words costs.
std::string to_string(const search_weights& w) {
  struct told {
    search_weights of;
    std::string text;
  };
  thread_local std::optional<told> last;
  if (!last || !(last->of == w)) last = told{w, written(w)};
  return last->text;
}

} // namespace mneme
