// The blocking facade's load: the next batch is taken and prepared in the calling thread while the
// one before is committed.

#include <fmt/format.h>

#include "actors/engine_impl.hpp"
#include "messages/ensure.hpp"
#include "messages/validate/validate.hpp"
#include "query/records/similar_topics.hpp"
#include "state/execute/preparation.hpp"

namespace mneme {

namespace {

/// A batch of larger items is closed before it is full.
constexpr std::uint64_t batch_bytes = 4ULL << 20;

/// Of one load: what was taken from its source and not handed over yet.
struct taken_batch {
  std::vector<mutation> items;
  std::vector<prepared_ahead> ahead;
  std::uint64_t first = 0; ///< how many items came before
};

taken_batch take(const load_source& next, std::size_t most, std::uint64_t first) {
  taken_batch batch{.items = {}, .ahead = {}, .first = first};
  batch.items.reserve(most);
  for (std::uint64_t bytes = 0; batch.items.size() < most && bytes < batch_bytes;) {
    std::optional<mutation> item = next();
    if (!item) break;
    bytes += bytes_of(*item);
    batch.items.push_back(std::move(*item));
  }
  return batch;
}

/// A batch that the committer has.
struct batch_under_way {
  waiting<batch_result> answer;
  std::vector<asked_similar> similar;
  seq_no before;
  std::uint64_t first = 0;
  std::size_t items = 0;
};

/// As an error of the load says it: items[i] counts from its first item.
error located(error e, std::uint64_t first) {
  return with_places(std::move(e), [first](std::string_view place) {
    constexpr std::string_view list = "items[";
    if (!place.starts_with(list)) return std::string(place);
    const std::size_t end = place.find(']');
    const std::uint64_t i = std::stoull(std::string(place.substr(list.size(), end - list.size())));
    return fmt::format("items[{}{}", first + i, place.substr(end));
  });
}

result<void> check(const load_options& options) {
  if (options.batch_items >= 1 && options.batch_items <= max_batch_items) return {};
  return fail(errc::out_of_range, fmt::format("a batch has 1 to {} items", max_batch_items),
              "batch_items");
}

} // namespace

/// One load. Between two batches it holds no pass, so that a close need not wait for its end.
class engine::impl::loading {
public:
  loading(impl& of, const load_options& options) : of_(of), options_(options) {}

  result<load_result> run(const load_source& next) {
    for (;;) {
      taken_batch batch = take(next, options_.batch_items, taken_);
      taken_ += batch.items.size();
      const bool is_last = batch.items.empty();
      auto step = of_.inside_to_write([&](running_engine& to) -> result<void> {
        const world& w = *to.state;
        batch.ahead =
            prepare_ahead(batch.items, options_.scope != nullptr, w.embedder.get(), *w.tokens);
        if (auto ok = finish(to); !ok) return ok;
        if (!is_last) begin(to, std::move(batch));
        return {};
      });
      if (step && !is_last) continue;
      if (!step) static_cast<void>(take_answer()); // of an engine that was closed meanwhile
      auto settled = of_.mutate({}, true, durability::durable, nullptr, {}, {});
      if (!step) return propagate(step);
      if (!settled) return propagate(settled);
      done_.seq = settled->seq;
      return done_;
    }
  }

private:
  void begin(running_engine& to, taken_batch batch) {
    ensure(!under_way_, "one batch is under way at a time");
    under_way_.emplace();
    under_way_->similar = similar_asked_by(batch.items, options_.scope, {});
    under_way_->before = to.state->published_seq();
    under_way_->first = batch.first;
    under_way_->items = batch.items.size();
    hand_over(to, mneme::mutate(std::move(batch.items), true, durability::relaxed, options_.scope,
                                {}, {}, std::move(batch.ahead), under_way_->answer.reply()));
  }

  result<void> finish(running_engine& to) {
    return take_answer([&](batch_result& answer, const batch_under_way& batch) {
      for (const auto& asked : batch.similar)
        add_similar(answer.results[asked.item], asked, batch.before, to.state->views());
    });
  }

  result<void>
  take_answer(const std::function<void(batch_result&, const batch_under_way&)>& complete = {}) {
    if (!under_way_) return {};
    auto batch = std::move(*under_way_);
    under_way_.reset();
    auto answer = batch.answer.get();
    if (!answer) return std::unexpected(located(std::move(answer.error()), batch.first));
    ensure(answer->results.size() == batch.items, "each item of a batch has its answer");
    if (complete) complete(*answer, batch);
    done_.items += batch.items;
    if (options_.written) options_.written(answer->results);
    return {};
  }

  impl& of_;
  const load_options& options_;
  std::optional<batch_under_way> under_way_;
  std::uint64_t taken_ = 0;
  load_result done_;
};

result<load_result> engine::load(const load_source& next, const load_options& options) {
  if (auto ok = check(options); !ok) return propagate(ok);
  return impl::loading(*impl_, options).run(next);
}

} // namespace mneme
