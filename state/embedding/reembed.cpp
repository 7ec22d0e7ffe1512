#include "state/embedding/reembed.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "journal/journal_cut.hpp"
#include "messages/ensure.hpp"
#include "messages/seams/checked_seams.hpp"
#include "messages/seams/unasked_embedder.hpp"
#include "state/checkpoint/checkpoint.hpp"
#include "state/checkpoint/embedder_file.hpp"
#include "state/checkpoint/log_file.hpp"
#include "state/checkpoint/world_checkpoint.hpp"
#include "state/checkpoint/world_directory.hpp"
#include "state/embedding/unembedded.hpp"
#include "state/embedding/waiting_texts.hpp"
#include "state/erasure/erased_note.hpp"

namespace mneme {

namespace {

std::unexpected<error> not_embedded(std::string why) {
  return fail(errc::bad_value, std::move(why), "embedder");
}

/// Two specs may mean the same embedder; of endpoints only the caller knows.
bool are_same(std::string_view a, std::string_view b) {
  if (a == b) return true;
  auto one = make_embedder(a, make_unasked_embedder);
  auto other = make_embedder(b, make_unasked_embedder);
  if (!one || !other || *one == nullptr || *other == nullptr) return false;
  return (*one)->remote() == nullptr && (*other)->remote() == nullptr
         && (*one)->space() == (*other)->space();
}

/// An endpoint that is away, or that the key does not open, is known before anything changes.
result<std::shared_ptr<embedder>> asked_embedder(std::string_view spec,
                                                 const reembed_options& how) {
  auto made = make_embedder(spec, how.remote_embedders, how.embedder_key);
  if (!made) return made;
  if (*made == nullptr)
    return not_embedded("a world without an embedder has its vectors from its host: there is "
                        "nothing to embed with");
  if ((*made)->remote() == nullptr) return made;
  const std::array<std::string, 1> probe{"a memory"};
  if (auto known = embedded_by(*(*made)->remote(), probe); !known) {
    auto problem = known.error();
    problem.message += "; nothing was changed";
    problem.at = "embedder";
    return std::unexpected(std::move(problem));
  }
  return made;
}

/// With the world locked.
result<world_file> change_embedder(const world_options& options, world_file info,
                                   std::string_view spec) {
  file_system& files = *options.files;
  if (auto ok = check_not_erasing(files, options.directory, info.id); !ok) return propagate(ok);
  auto end = find_cut(files, journal_directory(options.directory), info.id, {});
  if (!end) return propagate(end);
  info.former.push_back({.spec = info.embedder, .until = end->at});
  info.embedder = std::string(spec);
  info.is_being_embedded = true;
  // Without images the indexes are made of the journal, which knows of each vector whose it is.
  if (auto ok = remove_images(files, options.directory); !ok) return propagate(ok);
  auto noted = files.exists(embedder_path(options.directory));
  if (!noted) return propagate(noted);
  if (*noted)
    if (auto ok = files.remove(embedder_path(options.directory)); !ok) return propagate(ok);
  if (auto ok = replace_file(files, world_path(options.directory), encode(info)); !ok)
    return propagate(ok);
  return info;
}

/// The embedder that the world has from now on; of one that was broken off, what it has already.
result<world_file> settle_embedder(const world_options& options, std::string_view spec) {
  auto lock = options.files->lock(options.directory);
  if (!lock) return propagate(lock);
  auto info = read_world_file(*options.files, options.directory);
  if (!info) return info;
  if (auto ok = check_on_no_log(*options.files, options.directory,
                                "keeps the embedder that the log was founded with");
      !ok)
    return propagate(ok);
  if (!are_same(info->embedder, spec)) return change_embedder(options, std::move(*info), spec);
  if (info->is_being_embedded) return info;
  return not_embedded("this world's embedder is " + info->embedder + " already");
}

class reembedding {
public:
  reembedding(world& w, const reembed_options& how)
      : world_(w), how_(how), time_(how.time != nullptr ? how.time : make_system_clock()) {}

  result<void> run() {
    each_unembedded(world_.views(), world_.published_seq(), [this](const memory_id& id) {
      waiting_.push_back(id);
      return true;
    });
    constexpr std::size_t batch = 64;
    for (std::size_t i = 0; i < waiting_.size(); i += batch) {
      if (auto ok = take(std::span(waiting_).subspan(i, std::min(batch, waiting_.size() - i))); !ok)
        return ok;
      if (how_.on_progress) how_.on_progress(std::min(i + batch, waiting_.size()), waiting_.size());
    }
    return {};
  }
  [[nodiscard]] std::uint64_t embedded() const { return embedded_; }
  [[nodiscard]] std::uint64_t left() const { return waiting_.size() - embedded_; }

private:
  result<void> take(std::span<const memory_id> ids) {
    const embed_policy policy;
    std::vector<embed_job> jobs;
    const bool is_remote = world_.embedder->remote() != nullptr;
    for (const memory_id& id : ids)
      jobs.push_back({.id = id, .max_bytes = is_remote ? policy.max_bytes : ~std::size_t{0}});
    auto read = read_waiting_texts(world_, jobs);
    if (!read) return propagate(read);
    std::vector<late_vector> items;
    if (auto ok = is_remote ? ask(*read, items) : embed(*read, items); !ok) return ok;
    return items.empty() ? result<void>() : commit(items);
  }

  result<void> embed(waiting_texts& texts, std::vector<late_vector>& items) {
    for (std::size_t i = 0; i < texts.texts.size(); ++i) {
      auto vector = embedded_by(*world_.embedder, texts.texts[i]);
      if (!vector) return propagate(vector);
      if (vector->empty()) continue;
      items.push_back(std::move(texts.items[i]));
      items.back().values = std::move(*vector);
    }
    return {};
  }

  /// Texts that are refused together are asked for one by one, and those that are refused alone
  /// stay without a vector: whoever opens the world tries shorter ones.
  result<void> ask(waiting_texts& texts, std::vector<late_vector>& items) {
    if (texts.texts.empty()) return {};
    if (auto all = ask_part(texts, 0, texts.texts.size(), items); !is_refusal(all)) return all;
    for (std::size_t i = 0; i < texts.texts.size(); ++i)
      if (auto one = ask_part(texts, i, 1, items); !one && !is_refusal(one)) return one;
    return {};
  }
  static bool is_refusal(const result<void>& asked) {
    return !asked
           && (asked.error().code == errc::bad_value || asked.error().code == errc::bad_vector);
  }
  result<void> ask_part(waiting_texts& texts, std::size_t first, std::size_t count,
                        std::vector<late_vector>& items) {
    auto vectors =
        embedded_by(*world_.embedder->remote(), std::span(texts.texts).subspan(first, count));
    if (!vectors) return propagate(vectors);
    ensure(vectors->size() == count, "each text has its vector");
    for (std::size_t i = 0; i < count; ++i) {
      items.push_back(std::move(texts.items[first + i]));
      items.back().values = std::move((*vectors)[i]);
    }
    return {};
  }

  result<void> commit(std::span<const late_vector> items) {
    auto reader = world_.store->reader();
    if (!reader) return propagate(reader);
    auto now = now_of(*time_);
    if (!now) return propagate(now);
    const read_views views = world_.views();
    const seq_no at = world_.published_seq();
    overlay state(views, **reader, at, world_.vectors().space());
    number_room room(world_.numbers_taken(), world_.limits);
    auto entries = execute_embed(items, state, world_.embedder->space(),
                                 std::max(*now, world_.last_entry_at), at, room);
    if (!entries) return propagate(entries);
    if (entries->empty()) return {};
    embedded_ += entries->size();
    ensure(embedded_ <= waiting_.size(), "each memory is embedded once");
    return commit_directly(world_, std::move(*entries), true);
  }

  world& world_;
  const reembed_options& how_;
  std::shared_ptr<clock> time_;
  std::vector<memory_id> waiting_;
  std::uint64_t embedded_ = 0;
};

/// With nothing of the world open.
result<void> note_done(const world_options& options) {
  auto lock = options.files->lock(options.directory);
  if (!lock) return propagate(lock);
  auto info = read_world_file(*options.files, options.directory);
  if (!info) return propagate(info);
  info->is_being_embedded = false;
  return replace_file(*options.files, world_path(options.directory), encode(*info));
}

error broken_off(error why, const reembedding& done) {
  why.message += fmt::format("; {} memories have their new vectors: the same command goes on",
                             done.embedded());
  return why;
}

} // namespace

result<reembed_report> reembed_files(const world_options& options, std::string_view spec,
                                     const reembed_options& how) {
  auto there = read_world_file(*options.files, options.directory);
  if (!there) return propagate(there);
  if (!there->is_being_embedded && are_same(there->embedder, spec))
    return not_embedded("this world's embedder is " + there->embedder + " already");
  if (auto asked = asked_embedder(spec, how); !asked) return propagate(asked);
  auto info = settle_embedder(options, spec);
  if (!info) return propagate(info);
  ensure(!info->former.empty(), "a world that is being embedded had another embedder");
  reembed_report report{.from = info->former.back().spec,
                        .to = info->embedder,
                        .since = info->vectors_since(),
                        .at = {}};
  world_options opening = options;
  opening.create = false;
  opening.embedder = nullptr;
  opening.remote_embedders = how.remote_embedders;
  opening.embedder_key = how.embedder_key;
  auto opened = open_world(opening);
  if (!opened) return propagate(opened);
  reembedding done(**opened, how);
  const auto ran = done.run();
  report.at = (*opened)->published_seq();
  report.embedded = done.embedded();
  report.left = done.left();
  auto closed = close_world(**opened);
  if (!ran) return std::unexpected(broken_off(ran.error(), done));
  if (!closed) return propagate(closed);
  opened->reset();
  if (auto ok = note_done(options); !ok) return propagate(ok);
  return report;
}

} // namespace mneme
