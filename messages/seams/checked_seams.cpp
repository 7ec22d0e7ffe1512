#include "messages/seams/checked_seams.hpp"

#include <exception>
#include <string>

#include "messages/text/time_text.hpp"
#include "messages/validate/validate.hpp"

namespace mneme {

namespace {

constexpr std::int64_t most_tokens = std::int64_t{1} << 40;

/// What `call` answers; an exception of the host's code ends here.
template <class Call>
auto guarded(std::string_view what, Call call) -> result<decltype(call())> {
  try {
    return call();
  } catch (const std::exception& e) {
    return fail(errc::io, "the host's " + std::string(what) + " failed: " + e.what());
  } catch (...) {
    return fail(errc::io, "the host's " + std::string(what) + " failed");
  }
}

result<void> check_vector(const std::vector<float>& vector, std::uint32_t dim) {
  if (dim != 0 && vector.size() != dim)
    return fail(errc::dim_mismatch, "the embedder gave " + std::to_string(vector.size())
                                        + " numbers instead of " + std::to_string(dim));
  if (auto ok = validate_vector(vector); !ok)
    return fail(errc::bad_vector, "the embedder gave a bad vector: " + ok.error().message);
  return {};
}

} // namespace

result<timestamp> now_of(clock& from) {
  auto now = guarded("clock", [&] { return from.now(); });
  if (now && !is_valid(*now))
    return fail(errc::bad_time, "the host's clock says " + std::to_string(now->ns)
                                    + " ns since 1970, which is no time of this engine");
  return now;
}

result<std::vector<float>> embedded_by(const embedder& by, std::string_view text) {
  auto answered = guarded("embedder", [&] { return std::pair(by.space().dim, by.embed(text)); });
  if (!answered) return propagate(answered);
  auto& [dim, vector] = *answered;
  if (!vector || vector->empty()) return std::move(vector);
  if (auto ok = check_vector(*vector, dim); !ok) return propagate(ok);
  return std::move(vector);
}

result<std::vector<std::vector<float>>> embedded_by(const remote_embedder& by,
                                                    std::span<const std::string> texts) {
  auto answered =
      guarded("embedder", [&] { return std::pair(by.space().dim, by.embed_many(texts)); });
  if (!answered) return propagate(answered);
  auto& [dim, vectors] = *answered;
  if (!vectors) return std::move(vectors);
  if (vectors->size() != texts.size())
    return fail(errc::io, "the embedder gave " + std::to_string(vectors->size()) + " vectors for "
                              + std::to_string(texts.size()) + " texts");
  for (const auto& vector : *vectors)
    if (auto ok = check_vector(vector, dim); !ok) return propagate(ok);
  return std::move(vectors);
}

result<std::int64_t> tokens_of(const token_counter& by, std::string_view text) {
  auto count = guarded("token counter", [&] { return by.count(text); });
  if (count && (*count < 0 || *count > most_tokens))
    return fail(errc::out_of_range,
                "the host's token counter counts " + std::to_string(*count) + " tokens");
  return count;
}

} // namespace mneme
