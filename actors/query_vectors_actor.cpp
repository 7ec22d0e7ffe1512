#include "actors/query_vectors_actor.hpp"

#include <algorithm>
#include <map>
#include <span>

#include "messages/ensure.hpp"
#include "messages/seams/checked_seams.hpp"
#include "messages/validate/validate.hpp"
#include "query/query_text.hpp"

namespace mneme {

namespace {

constexpr std::size_t texts_at_once = 64;

const remote_embedder* remote_of(const world& w) {
  return w.embedder == nullptr ? nullptr : w.embedder->remote();
}

query_vector vector_of_text(const world& w, const std::string& text) {
  return std::make_shared<const result<std::vector<float>>>(embedded_by(*w.embedder, text));
}

/// A vector in place of the one that a text would have: enough to see whether a request is taken.
query_vector any_vector(world& w) {
  std::uint32_t dim = w.vectors.space().dim;
  if (dim == 0) dim = std::max(1U, w.embedder->space().dim);
  return std::make_shared<const result<std::vector<float>>>(std::vector<float>(dim, 1.0F));
}

/// Texts are refused together: each is tried alone then. Any other error is that of all.
void embed_some(const world& w, std::span<const std::string> texts,
                std::map<std::string, query_vector, std::less<>>& vectors) {
  if (texts.size() == 1) {
    vectors[texts[0]] = vector_of_text(w, texts[0]);
    return;
  }
  auto made = embedded_by(*remote_of(w), texts);
  if (!made && (made.error().code == errc::bad_value || made.error().code == errc::bad_vector)) {
    for (const auto& text : texts) vectors[text] = vector_of_text(w, text);
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

} // namespace

void embed_text_of(query_job& job, world& w, const actor_options& options,
                   std::optional<seq_no> pinned) {
  if (remote_of(w) == nullptr) return;
  const auto text = job.text();
  if (!text) return;
  auto context = context_of(options.queries, w.views(), job.at_seq() ? job.at_seq() : pinned);
  if (context)
    job.refused = job.refusal(*context, w.views(), any_vector(w));
  else
    job.refused = std::move(context).error();
  if (!job.refused) job.embedded = vector_of_text(w, *text);
}

bool asks_by_text(const tick_request& request) {
  return std::ranges::any_of(request.reads, [](const tick_read& read) {
    return std::visit([](const auto& r) { return text_to_embed(r).has_value(); }, read);
  });
}

texts_of_reads embed_texts_of(const tick_request& request, world& w, const actor_options& options) {
  if (remote_of(w) == nullptr || request.reads.size() > max_tick_items
      || request.writes.size() > max_tick_items)
    return {};
  const auto context = context_of(options.queries, w.views(), std::nullopt);
  if (!context) return {};
  const query_vector any = any_vector(w);
  texts_of_reads found(request.reads.size());
  std::vector<std::optional<std::string>> by_read;
  std::vector<std::string> texts;
  for (const auto& read : request.reads) {
    auto text = std::visit([](const auto& r) { return text_to_embed(r); }, read);
    auto& refused = found[by_read.size()].refused;
    if (text) refused = refusal_of(read, w.views(), *context, any);
    if (refused) text.reset();
    if (text) texts.push_back(*text);
    by_read.push_back(std::move(text));
  }
  std::ranges::sort(texts);
  const auto repeated = std::ranges::unique(texts);
  texts.erase(repeated.begin(), repeated.end());
  std::map<std::string, query_vector, std::less<>> vectors;
  const std::span<const std::string> all(texts);
  for (std::size_t at = 0; at < all.size(); at += texts_at_once)
    embed_some(w, all.subspan(at, std::min(texts_at_once, all.size() - at)), vectors);
  for (std::size_t i = 0; i < found.size(); ++i)
    if (by_read[i]) found[i].vector = vectors.at(*by_read[i]);
  return found;
}

caf::behavior query_vectors_behavior(caf::event_based_actor* self, const std::shared_ptr<world>& w,
                                     const caf::actor& coordinator, const actor_options& options) {
  return {
      [=](const ask_query& m) {
        embed_text_of(*m.job, *w, options, m.pinned);
        self->send(coordinator, m);
      },
      [=](const ask_tick& m) {
        m.job->texts = embed_texts_of(*m.job->request, *w, options);
        self->send(coordinator, m);
      },
  };
}

} // namespace mneme
