#pragma once
/// What the engine takes from outside: time, randomness, embeddings, token counts. Nothing else of
/// the environment enters it, so the same seams and the same requests give the same bytes.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mneme/types.hpp"

namespace mneme {

/// Time source. Called by the committer only; may go backwards.
class clock {
public:
  virtual ~clock() = default;
  [[nodiscard]] virtual timestamp now() = 0;
};
/// The operating system's UTC clock.
std::shared_ptr<clock> make_system_clock();

/// A clock that stands still until it is set. Thread-safe.
class manual_clock : public clock {
public:
  explicit manual_clock(timestamp start);
  ~manual_clock() override;
  [[nodiscard]] timestamp now() override;
  void set(timestamp t);

private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Source of random bytes. Called by the committer only.
class random_source {
public:
  virtual ~random_source() = default;
  virtual void fill(std::span<std::uint8_t> out) = 0;
};
/// The operating system's entropy.
std::shared_ptr<random_source> make_system_random();
/// Deterministic stream (xoshiro256**) of (seed, stream): the same pair gives the same bytes.
std::shared_ptr<random_source> make_seeded_random(std::uint64_t seed, std::uint64_t stream);

class remote_embedder;

/// Text to vector. Implementations must be pure: same text, same bits, on every machine.
/// Thread-safe. Embeddings enter the journal, so replay never calls this.
class embedder {
public:
  virtual ~embedder() = default;
  /// The space of what embed() returns.
  [[nodiscard]] virtual vector_space space() const = 0;
  /// A vector of space().dim finite numbers, or empty when the text holds nothing to embed.
  [[nodiscard]] virtual result<std::vector<float>> embed(std::string_view text) const = 0;
  /// Not null where embed() waits for something outside.
  [[nodiscard]] virtual const remote_embedder* remote() const { return nullptr; }
};

/// An embedder whose vectors come from elsewhere, may be late, and may fail. A write does not wait
/// for it: the memory's vector follows as a journal entry of its own. A query by text waits, in the
/// thread that asks. It need not give the same bits twice.
class remote_embedder : public embedder {
public:
  /// One vector a text, in order: of space().dim finite numbers (any number of them where that is
  /// 0: not known before the first vector), not all zero. bad_value or bad_vector: these texts were
  /// refused and will be again; any other error may pass.
  [[nodiscard]] virtual result<std::vector<std::vector<float>>>
  embed_many(std::span<const std::string> texts) const = 0;
  /// Ends the calls that are under way, and refuses later ones, with shutdown. An engine calls it
  /// when it closes, so a host gives each engine an embedder of its own.
  virtual void stop() const = 0;
  [[nodiscard]] const remote_embedder* remote() const final { return this; }
};
/// Hashed word and character n-grams, signed, L2-normalised. Needs no model; finds shared words
/// and word parts, knows no synonyms. dim is 8..4096.
std::shared_ptr<embedder> make_hash_embedder(std::uint32_t dim = 384);
/// Makes the embedder of an endpoint from its spec and its key (never stored in a world); not null,
/// and nothing is called yet. mneme/http_embedder.hpp has one; a host may bring its own.
using remote_embedder_factory = std::function<result<std::shared_ptr<remote_embedder>>(
    std::string_view spec, std::string_view key)>;

/// "hash:384", "hash", "none" (nullptr), or "http:URL[#model=NAME][,dim=N]" of an OpenAI-compatible
/// embeddings endpoint (docs/EMBEDDERS.md), which `remote` makes: no_embedder without one.
/// bad_value for anything else.
result<std::shared_ptr<embedder>> make_embedder(std::string_view spec,
                                                const remote_embedder_factory& remote = {},
                                                std::string_view key = {});

/// Counts tokens of rendered text; must be pure.
class token_counter {
public:
  virtual ~token_counter() = default;
  [[nodiscard]] virtual std::int64_t count(std::string_view text) const = 0;
  /// Whether several threads may count at once. Then the forms of what a facade writes are rendered
  /// in the calling thread, else in the committer's turn.
  [[nodiscard]] virtual bool is_thread_safe() const { return false; }
};
/// ceil(utf8 bytes / 4).
std::shared_ptr<token_counter> make_default_token_counter();

} // namespace mneme
