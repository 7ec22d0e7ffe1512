#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "messages/text/time_text.hpp"
#include "query/chroma/profiles.hpp"

namespace mneme {

namespace {

constexpr std::int64_t candidates = 100;
constexpr std::int64_t year_ns = 365 * 86'400'000'000'000;
constexpr std::string_view trait_prefix = "layout_traits.";
constexpr std::size_t least_parts = 3;
constexpr std::size_t most_parts = 5;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view space = " \t\n\v\f\r";
  const auto first = text.find_first_not_of(space);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(space) - first + 1);
}

std::vector<std::string> parts_of(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.emplace_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::unexpected<error> unreadable(std::string message) {
  return fail(errc::query_profile_error, std::move(message), "text");
}

/// RFC 3339, or a date.
result<timestamp> read_cutoff(const std::string& text) {
  auto time = parse_timestamp(text);
  if (!time) return unreadable(fmt::format("the cutoff \"{}\" is neither date nor time", text));
  return *time;
}

/// Which release_status a release stands for.
result<std::vector<scalar>> statuses_of(std::string_view release) {
  using list = std::vector<scalar>;
  if (release.empty() || release == "latest")
    return list{std::string("public"), std::string("lts"), std::string("latest")};
  if (release == "beta")
    return list{std::string("beta"), std::string("public"), std::string("lts")};
  const bool is_version = release.size() > 1 && release.front() == 'v'
                          && release.find_first_not_of("0123456789.", 1) == std::string_view::npos;
  if (is_version) return list{std::string("public")};
  return unreadable(fmt::format("the release \"{}\" is not latest, beta or vN", release));
}

void add_filter(chroma_request& request, std::string key, std::vector<scalar> any_of) {
  metadata_filter f;
  f.any_of = std::move(any_of);
  request.filters.try_emplace(std::move(key), std::move(f)); // an explicit filter wins
}

/// The path of a text of this profile; empty where the fallback reads it.
std::string path_of(const chroma_request& request) {
  if (!request.text) return {};
  const auto parts = parts_of(*request.text, '|');
  return parts.size() < least_parts ? std::string() : parts[1];
}

bool has_path(const memory& m, const std::string& path) {
  const auto found = m.head->metadata.find("subdomain_path");
  if (found == m.head->metadata.end()) return false;
  const auto* text = std::get_if<std::string>(&found->second);
  return text != nullptr && *text == path;
}

class knowledge_patch final : public query_profile {
public:
  explicit knowledge_patch(std::shared_ptr<const query_profile> fallback)
      : fallback_(std::move(fallback)) {}

  [[nodiscard]] bool takes_hashtags() const override { return true; }

  [[nodiscard]] result<void> parse_input(chroma_request& request,
                                         const profile_context& context) const override {
    const auto parts = parts_of(*request.text, '|');
    if (parts.size() < least_parts) return parse_plain(request, context);
    if (parts.size() > most_parts)
      return unreadable("a knowledge patch has at most five parts: "
                        "paradigm | sub:domain:path | cutoff | release | format");
    const auto path = parts_of(parts[1], ':');
    if (parts[0].empty() || std::ranges::find(path, "") != path.end())
      return unreadable("paradigm and every part of the path must be named");
    request.hashtags.push_back(parts[0]);
    request.hashtags.insert(request.hashtags.end(), path.begin(), path.end());

    timestamp cutoff{std::max<std::int64_t>(0, context.now.ns - year_ns)};
    if (!parts[2].empty()) {
      auto read = read_cutoff(parts[2]);
      if (!read) return propagate(read);
      cutoff = *read;
    }
    auto statuses = statuses_of(parts.size() > 3 ? std::string_view(parts[3]) : "");
    if (!statuses) return propagate(statuses);
    if (!request.temporal_range) request.temporal_range = time_range{cutoff, std::nullopt};
    add_filter(request, "paradigm", {parts[0]});
    add_filter(request, "subdomain_path", {parts[1]});
    add_filter(request, "release_status", std::move(*statuses));
    if (!request.k) request.k = candidates;
    return {};
  }

  void post_process(chroma_result& answer, const chroma_request& request) const override {
    const std::string path = path_of(request);
    if (path.empty()) return;
    const auto parts = parts_of(*request.text, '|');
    answer.notes["format"] = parts.size() > 4 ? parts[4] : "";
    std::erase_if(answer.rows, [&](const chroma_row& row) { return !has_path(row.memory, path); });
    add_traits(answer);
  }

private:
  result<void> parse_plain(chroma_request& request, const profile_context& context) const {
    const std::vector<std::string> given = request.hashtags;
    if (auto ok = fallback_->parse_input(request, context); !ok) return ok;
    request.hashtags.insert(request.hashtags.end(), given.begin(), given.end());
    return {};
  }

  /// Sums the numbers of each layout trait over the rows, as shares of their total.
  static void add_traits(chroma_result& answer) {
    double total = 0;
    for (const chroma_row& row : answer.rows)
      for (const auto& [key, value] : row.memory.head->metadata) {
        if (!key.starts_with(trait_prefix)) continue;
        double number = 0;
        if (const auto* real = std::get_if<double>(&value)) number = *real;
        if (const auto* whole = std::get_if<std::int64_t>(&value))
          number = static_cast<double>(*whole);
        answer.traits[key.substr(trait_prefix.size())] += number;
        total += number;
      }
    if (total == 0) return;
    for (auto& [name, sum] : answer.traits) sum /= total;
  }

  std::shared_ptr<const query_profile> fallback_;
};

} // namespace

std::shared_ptr<const query_profile>
make_knowledge_patch_profile(std::shared_ptr<const query_profile> fallback) {
  return std::make_shared<knowledge_patch>(std::move(fallback));
}

} // namespace mneme
