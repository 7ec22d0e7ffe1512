#include "messages/seams/embedding_spec.hpp"

#include <algorithm>
#include <charconv>

#include "messages/validate/validate.hpp"

namespace mneme {

namespace {

constexpr std::string_view prefix = "http:";

std::unexpected<error> refused(std::string why) {
  return fail(errc::bad_value, std::move(why), "embedder");
}

/// "scheme://authority" of a URL, or empty.
std::string_view origin_of(std::string_view url) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!url.starts_with(scheme)) continue;
    const std::size_t end = std::min(url.find_first_of("/?", scheme.size()), url.size());
    return end > scheme.size() ? url.substr(0, end) : std::string_view();
  }
  return {};
}

result<std::string> endpoint(std::string_view url) {
  const bool is_plain = std::ranges::all_of(url, [](char c) { return c > ' ' && c < '\x7F'; });
  const std::string_view origin = origin_of(url);
  if (!is_plain || origin.empty())
    return refused("an http embedder has a URL such as http://localhost:8080/v1/embeddings");
  if (origin.contains('@'))
    return refused(
        "a URL with a user or password would be stored in the world; give the key apart");
  const std::string_view path = url.substr(origin.size());
  if (path.empty() || path == "/") return std::string(origin) + "/v1/embeddings";
  if (path.ends_with("/v1")) return std::string(url) + "/embeddings";
  if (path.ends_with("/v1/")) return std::string(url) + "embeddings";
  return std::string(url);
}

result<void> take_option(std::string_view option, embedding_spec& spec) {
  const std::size_t equals = option.find('=');
  const std::string_view name = option.substr(0, equals);
  const std::string_view value =
      equals == std::string_view::npos ? std::string_view() : option.substr(equals + 1);
  if (name == "model" && spec.model.empty() && !value.empty() && is_utf8(value)) {
    spec.model = value;
    return {};
  }
  if (name == "dim" && spec.dim == 0) {
    std::uint32_t dim = 0;
    const auto [end, status] = std::from_chars(value.data(), value.data() + value.size(), dim);
    if (status == std::errc() && end == value.data() + value.size() && dim >= 1
        && dim <= max_vector_dim) {
      spec.dim = dim;
      return {};
    }
  }
  return refused("an option of an http embedder is model=NAME or dim=1..4096, not \""
                 + std::string(option) + "\"");
}

} // namespace

vector_space embedding_spec::space() const {
  return {.model = "http:" + (model.empty() ? url : model), .dim = dim};
}

bool is_http_spec(std::string_view spec) noexcept {
  return spec.starts_with(prefix) || spec.starts_with("https://");
}

result<embedding_spec> parse_embedding_spec(std::string_view spec) {
  // "http://…" is a URL by itself, although it starts like the prefix.
  if (spec.starts_with(prefix) && !spec.starts_with("http://")) spec.remove_prefix(prefix.size());
  const std::size_t hash = std::min(spec.find('#'), spec.size());
  embedding_spec parsed;
  auto url = endpoint(spec.substr(0, hash));
  if (!url) return propagate(url);
  parsed.url = std::move(*url);
  std::string_view options = spec.substr(hash);
  while (!options.empty()) {
    options.remove_prefix(1); // the mark before it
    const std::string_view option = options.substr(0, options.find(','));
    if (auto ok = take_option(option, parsed); !ok) return propagate(ok);
    options.remove_prefix(option.size());
  }
  return parsed;
}

} // namespace mneme
