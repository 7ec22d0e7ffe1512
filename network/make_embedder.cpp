// From a spec to an embedder.

#include <charconv>

#include "messages/validate/validate.hpp"
#include "network/http_embedder.hpp"

namespace mneme {

namespace {

constexpr std::uint32_t min_dim = 8;
constexpr std::string_view hash_prefix = "hash:";

} // namespace

result<std::shared_ptr<embedder>> make_embedder(std::string_view spec, std::string_view key) {
  if (spec == "none") return std::shared_ptr<embedder>();
  if (spec == "hash") return make_hash_embedder();
  if (spec.starts_with(hash_prefix)) {
    const std::string_view digits = spec.substr(hash_prefix.size());
    std::uint32_t dim = 0;
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), dim);
    if (status == std::errc() && end == digits.data() + digits.size() && digits.front() != '0'
        && dim >= min_dim && dim <= max_vector_dim)
      return make_hash_embedder(dim);
  }
  if (is_http_spec(spec)) {
    auto parsed = parse_embedding_spec(spec);
    if (!parsed) return propagate(parsed);
    return make_http_embedder(std::move(*parsed), std::string(key));
  }
  return fail(errc::bad_value,
              "an embedder is none, hash, hash:<8..4096>, or http:URL (see docs/EMBEDDERS.md)",
              "embedder");
}

} // namespace mneme
