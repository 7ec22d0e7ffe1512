#include "query/text_vectors.hpp"

#include <algorithm>

#include "messages/ensure.hpp"
#include "messages/seams/checked_seams.hpp"

namespace mneme {

namespace {

constexpr std::size_t texts_at_once = 64;

} // namespace

bool asks_by_text(const tick_request& request) {
  return std::ranges::any_of(request.reads, [](const tick_read& read) {
    return std::visit([](const auto& r) { return text_to_embed(r).has_value(); }, read);
  });
}

text_vectors::text_vectors(read_views views, const query_seams& seams)
    : views_(std::move(views)),
      seams_(seams),
      remote_(views_.embedder == nullptr ? nullptr : views_.embedder->remote()) {
}

void text_vectors::embed(query_job& job, std::optional<seq_no> pinned) const {
  if (remote_ == nullptr) return;
  const auto text = job.text();
  if (!text) return;
  if (!job.taken_ns && seams_.stopwatch) job.taken_ns = seams_.stopwatch();
  auto context = context_of(seams_, views_, job.at_seq(), pinned);
  if (context)
    job.refused = job.refusal(*context, views_, any_vector());
  else
    job.refused = std::move(context).error();
  if (!job.refused) job.embedded = vector_of(*text);
}

texts_of_reads text_vectors::embed(const tick_request& request) const {
  if (remote_ == nullptr || request.reads.size() > max_tick_items
      || request.writes.size() > max_tick_items)
    return {};
  const auto context = context_of(seams_, views_, std::nullopt);
  if (!context) return {};
  const query_vector any = any_vector();
  texts_of_reads found(request.reads.size());
  std::vector<std::optional<std::string>> by_read;
  std::vector<std::string> texts;
  for (const auto& read : request.reads) {
    auto text = std::visit([](const auto& r) { return text_to_embed(r); }, read);
    auto& refused = found[by_read.size()].refused;
    if (text) refused = refusal_of(read, views_, *context, any);
    if (refused) text.reset();
    if (text) texts.push_back(*text);
    by_read.push_back(std::move(text));
  }
  const by_text vectors = vectors_of(std::move(texts));
  for (std::size_t i = 0; i < found.size(); ++i)
    if (by_read[i]) found[i].vector = vectors.at(*by_read[i]);
  return found;
}

query_vector text_vectors::vector_of(const std::string& text) const {
  return std::make_shared<const result<std::vector<float>>>(embedded_by(*views_.embedder, text));
}

query_vector text_vectors::any_vector() const {
  std::uint32_t dim = views_.wait_for_late() ? views_.vectors->space().dim : 0;
  if (dim == 0) dim = std::max(1U, views_.embedder->space().dim);
  return std::make_shared<const result<std::vector<float>>>(std::vector<float>(dim, 1.0F));
}

text_vectors::by_text text_vectors::vectors_of(std::vector<std::string> texts) const {
  std::ranges::sort(texts);
  const auto repeated = std::ranges::unique(texts);
  texts.erase(repeated.begin(), repeated.end());
  by_text vectors;
  const std::span<const std::string> all(texts);
  for (std::size_t at = 0; at < all.size(); at += texts_at_once)
    embed_some(all.subspan(at, std::min(texts_at_once, all.size() - at)), vectors);
  return vectors;
}

/// Texts are refused together: each is tried alone then. Any other error is that of all.
void text_vectors::embed_some(std::span<const std::string> texts, by_text& vectors) const {
  ensure(remote_ != nullptr && !texts.empty(), "some texts are embedded by a remote embedder");
  if (texts.size() == 1) {
    vectors[texts[0]] = vector_of(texts[0]);
    return;
  }
  auto made = embedded_by(*remote_, texts);
  if (!made && (made.error().code == errc::bad_value || made.error().code == errc::bad_vector)) {
    for (const auto& text : texts) vectors[text] = vector_of(text);
    return;
  }
  ensure(!made || made->size() == texts.size(), "each text has its vector");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    result<std::vector<float>> vector = std::vector<float>{};
    if (made)
      *vector = std::move((*made)[i]);
    else
      vector = std::unexpected<error>(made.error()); // the same for each
    vectors[texts[i]] = std::make_shared<const result<std::vector<float>>>(std::move(vector));
  }
}

} // namespace mneme
