#include "messages/seams/unasked_embedder.hpp"

#include "messages/seams/embedding_spec.hpp"

namespace mneme {

namespace {

class unasked_embedder final : public remote_embedder {
public:
  explicit unasked_embedder(vector_space space) : space_(std::move(space)) {}

  [[nodiscard]] vector_space space() const override { return space_; }
  [[nodiscard]] result<std::vector<float>> embed(std::string_view /*text*/) const override {
    return fail(errc::no_embedder, "nothing is embedded here");
  }
  [[nodiscard]] result<std::vector<std::vector<float>>>
  embed_many(std::span<const std::string> /*texts*/) const override {
    return fail(errc::no_embedder, "nothing is embedded here");
  }
  void stop() const override {}

private:
  vector_space space_;
};

} // namespace

result<std::shared_ptr<remote_embedder>> make_unasked_embedder(std::string_view spec,
                                                               std::string_view /*key*/) {
  auto parsed = parse_embedding_spec(spec);
  if (!parsed) return propagate(parsed);
  return std::make_shared<unasked_embedder>(parsed->space());
}

} // namespace mneme
