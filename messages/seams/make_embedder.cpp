// From a spec to an embedder.

#include <charconv>

#include "messages/seams/embedding_spec.hpp"
#include "messages/validate/validate.hpp"
#include "mneme/seams.hpp"

namespace mneme {

namespace {

constexpr std::uint32_t hash_dim_min = 8;
constexpr std::string_view hash_prefix = "hash:";

result<std::shared_ptr<embedder>> remote_by(const remote_embedder_factory& make,
                                            std::string_view spec, std::string_view key) {
  // What is wrong with a spec is told by every program alike.
  if (auto parsed = parse_embedding_spec(spec); !parsed) return propagate(parsed);
  if (make == nullptr)
    return fail(errc::no_embedder,
                "this program cannot ask " + std::string(spec)
                    + ": it has to link to mneme::remote_embedder and to set "
                      "engine_options::remote_embedders (mneme/http_embedder.hpp)",
                "embedder");
  auto made = make(spec, key);
  if (!made) return propagate(made);
  if (*made == nullptr)
    return fail(errc::no_embedder, "remote_embedders made none of " + std::string(spec),
                "embedder");
  return std::shared_ptr<embedder>(std::move(*made));
}

} // namespace

result<std::shared_ptr<embedder>>
make_embedder(std::string_view spec, const remote_embedder_factory& remote, std::string_view key) {
  if (spec == "none") return std::shared_ptr<embedder>();
  if (spec == "hash") return make_hash_embedder();
  if (spec.starts_with(hash_prefix)) {
    const std::string_view digits = spec.substr(hash_prefix.size());
    std::uint32_t dim = 0;
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), dim);
    if (status == std::errc() && end == digits.data() + digits.size() && digits.front() != '0'
        && dim >= hash_dim_min && dim <= max_vector_dim)
      return make_hash_embedder(dim);
  }
  if (is_http_spec(spec)) return remote_by(remote, spec, key);
  return fail(errc::bad_value,
              "an embedder is none, hash, hash:<8..4096>, or http:URL (see docs/EMBEDDERS.md)",
              "embedder");
}

} // namespace mneme
