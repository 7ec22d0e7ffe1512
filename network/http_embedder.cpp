#include "mneme/http_embedder.hpp"

#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include "messages/seams/embedding_spec.hpp"
#include "messages/validate/validate.hpp"
#include "network/embedding_json.hpp"
#include "network/http_client.hpp"

namespace mneme {

namespace {

constexpr std::int64_t query_timeout_ms = 15'000;
constexpr std::int64_t batch_timeout_ms = 120'000;
/// Of one text, longer ones are cut: models read a bounded window.
constexpr std::size_t max_text_bytes = 16U << 10;

/// Clients that keep their connections between calls, one a call.
class client_pool {
public:
  /// nullptr after stop().
  std::shared_ptr<http_client> take() {
    const std::lock_guard hold(guard_);
    if (stopped_) return nullptr;
    std::shared_ptr<http_client> client;
    if (idle_.empty()) {
      client = std::make_shared<http_client>();
    } else {
      client = std::move(idle_.back());
      idle_.pop_back();
    }
    busy_.push_back(client);
    return client;
  }
  void give_back(const std::shared_ptr<http_client>& client) {
    const std::lock_guard hold(guard_);
    std::erase(busy_, client);
    if (!stopped_ && idle_.size() < max_idle) idle_.push_back(client);
  }
  void stop() {
    const std::lock_guard hold(guard_);
    stopped_ = true;
    for (const auto& client : busy_) client->stop();
    idle_.clear();
  }

private:
  static constexpr std::size_t max_idle = 4;

  std::mutex guard_;
  bool stopped_ = false;
  std::vector<std::shared_ptr<http_client>> idle_;
  std::vector<std::shared_ptr<http_client>> busy_;
};

std::string_view cut(std::string_view text) {
  if (text.size() <= max_text_bytes) return text;
  std::size_t end = max_text_bytes;
  while (end > 0 && (static_cast<std::uint8_t>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end);
}

class http_embedder final : public remote_embedder {
public:
  http_embedder(embedding_spec spec, std::string key)
      : spec_(std::move(spec)), key_(std::move(key)) {}

  [[nodiscard]] vector_space space() const override { return spec_.space(); }
  [[nodiscard]] result<std::vector<float>> embed(std::string_view text) const override {
    if (is_blank(text)) return std::vector<float>{};
    const std::string one(text);
    auto vectors = ask(std::span(&one, 1), query_timeout_ms);
    if (!vectors) return propagate(vectors);
    return std::move(vectors->front());
  }
  [[nodiscard]] result<std::vector<std::vector<float>>>
  embed_many(std::span<const std::string> texts) const override {
    return ask(texts, batch_timeout_ms);
  }
  void stop() const override { clients_.stop(); }

private:
  [[nodiscard]] result<std::vector<std::vector<float>>> ask(std::span<const std::string> texts,
                                                            std::int64_t timeout_ms) const {
    std::vector<std::string> windows;
    windows.reserve(texts.size());
    for (const auto& text : texts) {
      if (!is_utf8(text)) return fail(errc::bad_utf8, "the text to embed is not UTF-8");
      windows.emplace_back(cut(text));
    }
    const auto client = clients_.take();
    if (client == nullptr) return fail(errc::shutdown, "the embedder was stopped");
    auto answer = client->post({.url = spec_.url,
                                .body = embedding_request_json(spec_.model, windows),
                                .key = key_,
                                .timeout_ms = timeout_ms});
    clients_.give_back(client);
    if (!answer) return propagate(answer);
    if (answer->status == 200) return read_embedding_answer(answer->body, texts.size(), spec_.dim);
    return refusal(*answer);
  }

  [[nodiscard]] std::unexpected<error> refusal(const http_answer& answer) const {
    // What is wrong with the texts, and not with the endpoint, the key or the moment.
    const bool is_text = answer.status == 400 || answer.status == 413 || answer.status == 422;
    return fail(is_text ? errc::bad_value : errc::io,
                fmt::format("{} answers {}: {}", spec_.url, answer.status,
                            embedding_error_text(answer.body)));
  }

  embedding_spec spec_;
  std::string key_;
  mutable client_pool clients_;
};

} // namespace

result<std::shared_ptr<remote_embedder>> make_http_embedder(std::string_view spec,
                                                            std::string_view key) {
  auto parsed = parse_embedding_spec(spec);
  if (!parsed) return propagate(parsed);
  if (!std::ranges::all_of(key, [](char c) { return c > ' ' && c < '\x7F'; }))
    return fail(errc::bad_value, "an embedder's key is printable ASCII without blanks", "embedder");
  return std::make_shared<http_embedder>(std::move(*parsed), std::string(key));
}

} // namespace mneme
