#include "state/retention/running_trim.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "journal/segment.hpp"
#include "messages/ensure.hpp"
#include "state/retention/planned_trim.hpp"
#include "state/retention/trim_in_log.hpp"
#include "state/retention/trimming_note.hpp"

namespace mneme {

namespace {

/// Of the journal for the store's new files at once.
constexpr std::size_t entries_at_once = 2048;
/// They are applied while writes wait.
constexpr std::size_t entries_taken_over = 64;
constexpr int rounds_most = 8;

journal_place journal_of(const world& w) {
  return {.files = w.files, .world_directory = w.directory, .world = w.info.id};
}

} // namespace

running_trim::running_trim(world& w, journaled_trim by, reply answer)
    : world_(w), by_(std::move(by)), answer_(std::move(answer)) {
}

std::shared_ptr<running_trim> running_trim::left_in_log(world& w, journaled_trim by) {
  auto left = std::make_shared<running_trim>(w, std::move(by), nullptr);
  left->segments_.emplace();
  left->is_of_log_alone_ = true;
  return left;
}

running_trim::~running_trim() {
  drop_copies();
}

void running_trim::begin_copies(seq_no at) {
  ensure(is_rewritten() && !is_of_log_alone_, "the store is made from a journal that was trimmed");
  ensure(at >= by_.at && at == world_.published_seq(), "copies begin between two batches");
  copied_at_ = at;
  stage_ = stage::copying;
}

result<void> running_trim::go_on(batches missed) {
  ensure(!is_rewritten(), "copies begin between two batches");
  switch (stage_) {
  case stage::rewriting:
    return rewrite_next();
  case stage::copying:
    return copy_some();
  default:
    return catch_up(missed);
  }
}

result<void> running_trim::rewrite_next() {
  file_system& files = *world_.files;
  const std::string dir = journal_directory(world_.directory);
  if (!segments_) {
    auto all = list_segments(files, dir);
    if (!all) return propagate(all);
    std::erase_if(*all, [this](seq_no first) { return first >= by_.trim.before; });
    segments_ = std::move(*all);
  }
  while (!segments_->empty()) {
    const seq_no segment = segments_->front();
    world_.frame_starts.begin_rewrite();
    auto made = drop_in_segment(files, dir, segment, by_);
    world_.frame_starts.end_rewrite();
    if (!made) return propagate(made);
    segments_->erase(segments_->begin());
    if (!*made) continue;
    bytes_before_ += (*made)->bytes_before;
    bytes_ += (*made)->bytes;
    moved_.emplace(segment.value, std::move((*made)->moved));
    return {};
  }
  auto is_left = drop_in_log();
  if (!is_left || *is_left) return is_left ? result<void>() : propagate(is_left);
  log_ = nullptr;
  stage_ = stage::rewritten;
  if (!is_of_log_alone_ && by_.trim.before >= world_.left_trim) world_.has_left_segments = false;
  return end_trimming_note(world_);
}

namespace {

/// Its entry is there, so that it is not planned anew.
std::unexpected<error> is_not_done(const error& why) {
  return fail(errc::outcome_unknown, "the log still has what is dropped: " + why.message);
}

} // namespace

/// A part of it; whether more is left. A follower's log is its leader's to trim.
result<bool> running_trim::drop_in_log() {
  constexpr unsigned attempts = 20;
  const auto& standing = world_.standing;
  if (standing == nullptr || !world_.connect_log) return false;
  // Whose trim it was when it began keeps the note, and does the rest when he leads again.
  const bool is_own = answer_ != nullptr || is_of_log_alone_;
  const auto is_anothers = [&](const char* why) -> result<bool> {
    if (is_own) return is_not_done({errc::busy, why, {}});
    return false;
  };
  if (standing->follows()) return is_anothers("this process leads it no more");
  if (log_ == nullptr) {
    auto connected = world_.connect_log();
    if (!connected) return is_not_done(connected.error());
    log_ = std::move(*connected);
    auto part = part_for_log(*world_.files, world_.directory, world_.info.id, by_);
    if (!part) return propagate(part);
    in_log_ = std::move(*part);
  }
  (void)log_->pause(0);
  for (unsigned i = 1;; ++i) {
    auto reached = log_->trim(*in_log_, done_in_log_, standing->epoch());
    if (reached) return std::exchange(done_in_log_, *reached) != *reached;
    if (reached.error().code == errc::version_conflict) return is_anothers("another leads it");
    const bool may_pass =
        reached.error().code == errc::busy || reached.error().code == errc::outcome_unknown;
    if (!may_pass || i == attempts || world_.closes || !log_->pause(i))
      return is_not_done(reached.error());
  }
}

result<void> running_trim::copy_some() {
  if (!fresh_) {
    auto filler = store_filler::open(journal_of(world_));
    if (!filler) return propagate(filler);
    filler_ = std::move(*filler);
    if (world_.store_files.open_beside) {
      auto fresh = world_.store_files.open_beside();
      if (!fresh) return propagate(fresh);
      fresh_ = std::move(*fresh);
    } else {
      auto store = world_.store_files.open();
      if (!store) return propagate(store);
      fresh_.emplace(fresh_store{.store = std::move(*store)});
    }
  }
  auto all = filler_->fill(*fresh_->store, *copied_at_, entries_at_once);
  if (!all) return propagate(all);
  if (!*all) return {};
  filler_.reset();
  copy_places();
  stage_ = stage::copied;
  return {};
}

result<void> running_trim::catch_up(batches missed) {
  ++rounds_;
  for (const auto& batch : missed) {
    ensure(batch->last_seq.value == copied_at_->value + batch->entries.size(),
           "a copy takes the batch that follows");
    if (auto ok = fresh_->store->apply(batch->writes, batch->last_seq); !ok) return ok;
    if (auto ok = fresh_->store->set_stable(batch->last_seq); !ok) return ok;
    copied_at_ = batch->last_seq;
  }
  copy_places();
  return {};
}

bool running_trim::is_close(std::size_t missing_entries) const {
  return is_copied() && (missing_entries <= entries_taken_over || rounds_ >= rounds_most);
}

void running_trim::move(std::uint64_t segment, std::uint64_t& offset) const {
  const auto found = moved_.find(numbered_segments_[segment]);
  if (found != moved_.end()) offset = found->second.moved(offset);
}

/// Rows of which the writer has said that they are there.
void running_trim::copy_places() {
  const auto now = world_.generation();
  if (places_ == nullptr) places_ = std::make_shared<record_places>();
  const std::uint32_t there = now->places->size();
  constexpr seq_no all{std::numeric_limits<std::uint64_t>::max()};
  numbered_segments_ = now->journaled->segments(all);
  for (row_no row{places_->size()}; row.value < there; ++row.value) {
    const record_place* const was = now->places->find(row);
    record_place place = was == nullptr ? record_place{} : *was;
    if (was != nullptr) {
      std::uint64_t head = place.head_offset;
      std::uint64_t version = place.version_offset;
      move(place.head_segment, head);
      move(place.version_segment, version);
      place.head_offset = head & segment_offset_bits;
      place.version_offset = version & segment_offset_bits;
    }
    places_->append(place);
  }
}

void running_trim::adopt_places() {
  copy_places();
  index_generation fresh = *world_.generation();
  fresh.places = std::exchange(places_, nullptr);
  fresh.journaled =
      std::make_shared<journaled_records>(world_.files, journal_directory(world_.directory));
  fresh.journaled->know_segments(numbered_segments_);
  world_.adopt(std::move(fresh));
  world_.journal->count_rewritten(std::exchange(bytes_before_, 0), std::exchange(bytes_, 0));
  journal_bytes_ = world_.journal->bytes();
  moved_.clear();
}

result<void> running_trim::adopt(batches missed) {
  ensure(is_copied(), "copies are adopted when they are made");
  if (auto ok = catch_up(missed); !ok) return ok;
  ensure(*copied_at_ == world_.published_seq(), "a copy that is adopted has all that is published");
  // The files then have what the journal must not lose.
  if (auto ok = world_.journal->sync(); !ok) return ok;
  adopt_places();
  world_.window.begin_at(by_.trim.before);
  world_.retain_before(world_.published_seq());
  auto store = std::make_shared<std::unique_ptr<kv_store>>(std::move(fresh_->store));
  const auto take = std::move(fresh_->take);
  fresh_.reset();
  world_.store_matches = false;
  old_files_ = world_.store->renew(
      [store]() -> result<std::unique_ptr<kv_store>> { return std::move(*store); },
      take ? take() : std::function<void()>());
  auto opened = world_.store->files();
  if (!opened) return propagate(opened);
  return {};
}

void running_trim::leave() {
  if (is_of_log_alone_) return; // here all is done
  drop_copies();
  if (stage_ == stage::rewriting) {
    world_.left_trim = std::max(world_.left_trim, by_.trim.before);
    if (!segments_ || !segments_->empty()) world_.has_left_segments = true;
  }
  if (!moved_.empty()) adopt_places();
  // What is made anew of the journal from now on lacks what was before.
  world_.window.begin_at(by_.trim.before);
  world_.retain_before(world_.published_seq());
}

void running_trim::drop_copies() {
  filler_.reset();
  if (!fresh_) return;
  fresh_->store.reset();
  if (fresh_->drop) fresh_->drop();
  fresh_.reset();
}

void running_trim::answer(const result<void>& outcome) {
  if (!answer_) return;
  const auto reply = std::exchange(answer_, nullptr);
  if (outcome)
    reply(trim_end{.at = by_.at, .journal_bytes = journal_bytes_});
  else
    reply(std::unexpected(outcome.error()));
}

namespace {

/// Of a trim that is only looked at: by a connection of its own, since the leader's is the
/// committer's.
result<void> may_trim_log(world& w) {
  if (!w.connect_log) return {};
  auto log = w.connect_log();
  if (!log) return propagate(log);
  return (*log)->may_trim();
}

} // namespace

result<trim_report>
trim_running(world& w, const trim_options& options,
             const std::function<result<trim_end>(trim_payload, seq_no planned_at)>& commit) {
  constexpr int plans_most = 8;
  if (options.dry_run)
    if (auto may = may_trim_log(w); !may) return propagate(may);
  for (int plans = 1;; ++plans) {
    const seq_no at = w.published_seq();
    planned_trim planned(*w.files, w.directory, w.info.id, options, at);
    const auto looked = planned.look();
    // Beside an erasure what is read may be neither what it was nor zeros.
    const bool is_out_of_date = w.last_drop > at.value;
    if (is_out_of_date && plans < plans_most) continue;
    if (!looked) return std::unexpected(looked.error());
    trim_report report = planned.report();
    report.journal_bytes_before = report.journal_bytes = w.journal->bytes();
    if (options.dry_run || report.saved_bytes == 0) return report;
    auto done = commit(planned.payload(), at);
    const bool is_another = !done
                            && (done.error().code == errc::version_conflict
                                || (done.error().code == errc::busy && w.last_drop > at.value));
    if (is_another && plans < plans_most) continue;
    if (!done) return propagate(done);
    report.at = done->at;
    report.journal_bytes = done->journal_bytes;
    return report;
  }
}

} // namespace mneme
