#include "journal/journal.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "journal/erase_payloads.hpp"
#include "journal/segment_walk.hpp"
#include "journal/trim_payloads.hpp"
#include "messages/ensure.hpp"

namespace mneme {

namespace {

constexpr std::size_t frames_remembered = 16;

/// Nothing was done, and it can be asked for again: the log is away, or does not keep what it
/// acknowledges, until somebody mends that.
bool changed_nothing(const error& why) {
  return why.code == errc::busy || why.code == errc::unsupported;
}

} // namespace

payload_place first_payload(const journal_frame& frame) {
  return {frame.segment_first, frame.offset + prefix_bytes(frame.prefix) + frame.prefix.header_bytes
                                   + payload_entry_bytes};
}

std::uint64_t payload_step(std::size_t payload_bytes) {
  return payload_bytes + payload_entry_bytes;
}

struct journal::impl {
  std::shared_ptr<file_system> fs;
  std::string dir;
  world_id world;
  std::array<std::uint8_t, 16> branch{};
  journal_options options;

  journal_tail tail;
  seq_no last;
  digest last_frame;
  bool last_is_seal = false;
  seq_no durable; ///< here: on this machine's disk
  std::shared_ptr<log_leader> leader;
  std::vector<seq_no> owed; ///< to be erased in the log
  bool is_unerased = false; ///< and not even begun, for all that is known
  bool is_followed = false; ///< the log's frames come here, and no others
  bool is_refused = false;  ///< the leader takes nothing more; what is here is whole
  bool dirty = false;       ///< something was written since the last sync
  bool failed = false;      ///< for good: what is on the disk is unknown

  std::unique_ptr<file> current; ///< the last segment; null while there is none
  seq_no current_first;
  std::uint64_t offset = 0;    ///< of the next frame
  std::uint64_t file_size = 0; ///< zeros written ahead included
  std::uint64_t full_bytes = 0;
  std::size_t full_segments = 0;
  // What any thread may ask, as of the last frame.
  std::atomic<std::uint64_t> bytes_now = 0;
  std::atomic<std::size_t> segments_now = 0;
  /// Of the newest frames: whoever follows asks for one soon after it was appended.
  mutable std::mutex newest_guard;
  std::deque<std::pair<seq_no, payload_place>> newest;

  result<void> adopt(const segment_walk& walk);
  result<void> cut(const segment_walk::torn_tail& torn);
  result<void> write_frame(std::span<const entry> entries, bool seal, const digest& root);
  result<void> write_copy(const frame_prefix& prefix, const log_frame& frame);
  result<void> put_in_log(const encoded_frame& frame);
  result<void> erase_first();
  result<void> put_bytes(std::string_view frame);
  result<void> make_room();
  result<void> check_place() const;
  result<void> start_segment();
  result<void> write_head(const segment_head& head, file& to);
  result<void> write_ahead(std::uint64_t from, std::uint64_t end);
  result<void> write_zeros(std::uint64_t from, std::uint64_t end);
  result<void> reserve(std::uint64_t frame_bytes);
  result<void> cut_if_full(result<void> written);
  result<void> sync();
  result<void> trim();
  void count();
  void remember(seq_no first, std::uint64_t payloads_at);
  [[nodiscard]] result<void> usable() const;
  [[nodiscard]] std::string path_of(seq_no first) const { return dir + "/" + segment_name(first); }

  /// Passes `outcome` on; a failure is final.
  result<void> final_failure(result<void> outcome) {
    if (!outcome) failed = true;
    return outcome;
  }
  /// The same of a write. For lack of room it is not: what was written of it is gone, and the next
  /// one tries again.
  result<void> settled(result<void> outcome) {
    const bool leaves_all_as_it_was = !outcome
                                      && (is_refused || outcome.error().code == errc::disk_full
                                          || changed_nothing(outcome.error()));
    return leaves_all_as_it_was ? outcome : final_failure(std::move(outcome));
  }
};

result<void> journal::impl::usable() const {
  if (!failed && !is_refused) return {};
  return fail(errc::io, fmt::format("the journal in {} takes nothing more after a failed write; "
                                    "open it again to recover",
                                    dir));
}

result<void> journal::impl::cut(const segment_walk::torn_tail& torn) {
  tail.torn_segment = torn.segment;
  tail.torn_offset = torn.offset;
  tail.torn_bytes = torn.bytes;
  const std::string path = dir + "/" + torn.segment;
  if (torn.whole_segment) {
    if (auto ok = fs->remove(path); !ok) return ok;
    return fs->sync_directory(dir);
  }
  auto out = fs->open(path, open_mode::read_write);
  if (!out) return propagate(out);
  if (auto ok = (*out)->truncate(torn.offset); !ok) return ok;
  return (*out)->sync();
}

/// Takes over what the walk found at the journal's end.
result<void> journal::impl::adopt(const segment_walk& walk) {
  if (walk.entered())
    if (auto ok = make_own(*fs, path_of(walk.segments()[walk.segment_index()])); !ok) return ok;
  if (walk.torn())
    if (auto ok = cut(*walk.torn()); !ok) return ok;
  tail.last_seq = last = walk.last();
  ensure(walk.last_frame().has_value(), "the last frame was read whole");
  tail.last_frame = last_frame = *walk.last_frame();
  last_is_seal = walk.last_is_seal();
  if (!walk.entered()) return {};
  for (std::size_t i = 0; i < walk.segment_index(); ++i) {
    auto full = segment_reader::open(*fs, dir, walk.segments()[i]);
    if (!full) return propagate(full);
    auto size = full->size();
    if (!size) return propagate(size);
    full_bytes += *size;
    ++full_segments;
  }
  current_first = walk.segments()[walk.segment_index()];
  auto out = fs->open(path_of(current_first), open_mode::read_write);
  if (!out) return propagate(out);
  current = std::move(*out);
  auto size = current->size();
  if (!size) return propagate(size);
  offset = walk.offset();
  file_size = *size;
  // What was read may be in the machine's cache only, left there by a killed process.
  if (auto ok = current->sync(); !ok) return ok;
  if (auto ok = fs->sync_directory(dir); !ok) return ok;
  durable = last;
  count();
  return {};
}

void journal::impl::count() {
  bytes_now = full_bytes + offset;
  segments_now = full_segments + (current ? 1 : 0);
}

/// Zeros from `from` on, through `end` and some more. Whoever fills a part writes that himself.
result<void> journal::impl::write_ahead(std::uint64_t from, std::uint64_t end) {
  if (end <= file_size) return {};
  std::uint64_t target = end;
  if (options.extend_bytes > 0) {
    target = (end + options.extend_bytes - 1) / options.extend_bytes * options.extend_bytes;
    target = std::max(end, std::min(target, options.segment_bytes));
  }
  return write_zeros(from, target);
}

result<void> journal::impl::write_zeros(std::uint64_t from, std::uint64_t end) {
  static const std::string zeros(64 << 10, '\0');
  for (std::uint64_t at = from; at < end; at += zeros.size()) {
    const auto size = std::min<std::uint64_t>(zeros.size(), end - at);
    if (auto ok = current->write_at(at, std::string_view(zeros).substr(0, size)); !ok) return ok;
  }
  file_size = std::max(file_size, end);
  return {};
}

/// What found no room is cut again at once, and the zeros written ahead with it.
result<void> journal::impl::cut_if_full(result<void> written) {
  if (written || written.error().code != errc::disk_full) return written;
  if (auto ok = final_failure(current->truncate(offset)); !ok) return ok;
  file_size = offset;
  dirty = true; // a crash may bring back what was written before another sync
  return written;
}

result<void> journal::impl::reserve(std::uint64_t frame_bytes) {
  if (auto ok = make_room(); !ok) return ok;
  const std::uint64_t end = offset + frame_bytes;
  auto ahead = cut_if_full(write_ahead(file_size, end));
  if (ahead || failed || ahead.error().code != errc::disk_full) return ahead;
  return cut_if_full(write_zeros(file_size, end)); // there may be room for that alone
}

/// The directory may have been moved away while this was open, and another journal be there now.
result<void> journal::impl::check_place() const {
  auto reader = segment_reader::open(*fs, dir, current_first);
  auto head = reader ? reader->head(world) : result<segment_head>(propagate(reader));
  if (head) return {};
  if (head.error().code != errc::not_found && head.error().code != errc::format_unsupported)
    return propagate(head);
  return fail(errc::io, fmt::format("{} is not where this journal is any more, which begins no "
                                    "segment there: {}",
                                    dir, head.error().message));
}

result<void> journal::impl::start_segment() {
  ensure(!dirty, "a segment begins when the one before is durable");
  if (current)
    if (auto ok = check_place(); !ok) return ok;
  const segment_head head{.world = world,
                          .branch = branch,
                          .first_seq = last.next(),
                          .previous_frame = last_frame,
                          .previous_segment = current_first};
  const std::string path = path_of(head.first_seq);
  auto out = fs->open(path, open_mode::create);
  if (!out) return propagate(out);
  if (auto ok = write_head(head, **out); !ok) {
    // Without room for its head there is no segment: the one before goes on being the last.
    if (ok.error().code != errc::disk_full) return ok;
    out->reset();
    auto gone = final_failure(fs->remove(path));
    return gone ? ok : gone;
  }
  if (current) {
    full_bytes += offset;
    ++full_segments;
  }
  current = std::move(*out);
  options.begins_segment = false;
  ensure(current_first != head.first_seq, "two segments begin at two seqs");
  current_first = head.first_seq;
  offset = segment_head_bytes;
  file_size = segment_head_bytes;
  return {};
}

result<void> journal::impl::write_head(const segment_head& head, file& to) {
  if (auto ok = to.write_at(0, encode(head)); !ok) return ok;
  // Head and name are durable before the first frame, so that a torn head has no frames.
  if (auto ok = to.sync(); !ok) return ok;
  return fs->sync_directory(dir);
}

/// Makes `current` the segment for the next frame.
result<void> journal::impl::make_room() {
  if (!current) return start_segment();
  // A frame without entries at the start of a segment would leave no name for the next one.
  if (current_first == last.next()) return {};
  if (offset < options.segment_bytes && !options.begins_segment) return {};
  // A full segment is whole and durable before the next one appears: damage in it is no torn tail.
  if (auto ok = final_failure(trim()); !ok) return ok;
  return start_segment();
}

result<void> journal::impl::write_frame(std::span<const entry> entries, bool seal,
                                        const digest& root) {
  // A damaged seal is told from a torn one by the frame behind it.
  if (dirty && (seal || last_is_seal))
    if (auto ok = final_failure(sync()); !ok) return ok;
  if (auto ok = make_room(); !ok) return ok;
  ensure(durable <= last, "what is durable was written");
  const auto frame = encode_frame(entries, last.next(), seal, last_frame, root, durable);
  if (leader != nullptr)
    if (auto ok = put_in_log(frame); !ok) return ok;
  if (auto ok = put_bytes(frame.bytes); !ok) {
    if (leader == nullptr) return ok;
    return fail(errc::outcome_unknown,
                "the log has the frame, and this copy of it has not: " + ok.error().message);
  }
  dirty = true;
  if (!seal) remember(last.next(), offset + frame.payloads_at);
  offset += frame.bytes.size();
  ensure(offset <= file_size, "a frame lies within what was written ahead");
  last.value += entries.size();
  last_frame = frame.hash;
  last_is_seal = seal;
  count();
  return {};
}

result<void> journal::impl::put_in_log(const encoded_frame& frame) {
  auto split = split_frame(frame.bytes);
  if (!split) return propagate(split);
  if (auto ok = erase_first(); !ok) return ok;
  auto put = leader->append(*split);
  is_refused = !put && !changed_nothing(put.error());
  return put;
}

/// The next leader looks at the last frame alone for what is to be erased.
result<void> journal::impl::erase_first() {
  if (!is_unerased) return {};
  auto erased = leader->look();
  if (erased) {
    auto done = leader->erase(owed);
    if (done) {
      is_unerased = false;
      if (*done == erase_outcome::done) owed.clear();
      return {};
    }
    erased = propagate(done);
  }
  is_refused = erased.error().code == errc::read_only;
  if (is_refused) return erased;
  return fail(errc::busy, "what was erased last is not gone from the log yet, which comes first: "
                              + erased.error().message);
}

result<void> journal::impl::write_copy(const frame_prefix& prefix, const log_frame& frame) {
  if (dirty && (prefix.seal || last_is_seal))
    if (auto ok = final_failure(sync()); !ok) return ok;
  if (auto ok = make_room(); !ok) return ok;
  if (auto ok = put_bytes(frame.head + frame.payloads); !ok) return ok;
  dirty = true;
  if (!prefix.seal) remember(prefix.first_seq, offset + frame.head.size());
  offset += frame.head.size() + frame.payloads.size();
  last = frame.last_seq;
  last_frame = frame.hash;
  last_is_seal = prefix.seal;
  count();
  return {};
}

/// Behind the last frame.
result<void> journal::impl::put_bytes(std::string_view frame) {
  const std::uint64_t end = offset + frame.size();
  auto written = write_ahead(end, end);
  if (written) written = current->write_at(offset, frame);
  return cut_if_full(std::move(written));
}

void journal::impl::remember(seq_no first, std::uint64_t payloads_at) {
  const std::lock_guard hold(newest_guard);
  if (newest.size() == frames_remembered) newest.pop_front();
  newest.emplace_back(first, payload_place{current_first, payloads_at + payload_entry_bytes});
}

result<void> journal::impl::sync() {
  if (!dirty) return {};
  ensure(current != nullptr, "what was written is in a segment");
  if (auto ok = current->sync(); !ok) return ok;
  dirty = false;
  durable = last;
  return {};
}

result<void> journal::impl::trim() {
  if (!current) return {};
  if (auto ok = sync(); !ok) return ok;
  if (file_size == offset) return {};
  if (auto ok = current->truncate(offset); !ok) return ok;
  file_size = offset;
  return current->sync();
}

journal::journal(std::unique_ptr<impl> opened) : impl_(std::move(opened)) {
}
journal::~journal() = default;

namespace {

/// A walk that stands at the journal's end, and the last frame with entries, if it was read.
struct walked_journal {
  segment_walk walk;
  std::optional<journal_frame> last;
};

/// The frames behind `checked_through` are read whole.
result<walked_journal> walk_to_end(file_system& fs, const std::string& dir, const world_id& world,
                                   seq_no checked_through, const frame_check& in_log = {}) {
  auto walk = segment_walk::open(fs, dir, world, checked_through, in_log);
  if (!walk) return propagate(walk);
  if (auto ok = walk->check_heads(); !ok) return propagate(ok);
  if (auto ok = walk->seek(checked_through); !ok) return propagate(ok);
  std::optional<journal_frame> last;
  for (;;) {
    auto frame = walk->next();
    if (!frame) return propagate(frame);
    if (!*frame) break;
    if (!(*frame)->prefix.seal) last = std::move(**frame);
  }
  return walked_journal{std::move(*walk), std::move(last)};
}

/// Nothing is appended before an erasure is done, so that only the last frame's may not be. Where
/// it was broken off, payloads are neither what they were nor zeros.
result<walked_journal> walk_and_erase(file_system& fs, const std::string& dir,
                                      const world_id& world, seq_no checked_through) {
  auto walked = walk_to_end(fs, dir, world, checked_through);
  if (!walked && walked.error().code != errc::corrupt) return walked;
  if (walked && !walked->last) return walked;
  result<std::vector<seq_no>> erases;
  if (walked) {
    erases = erased_by(*walked->last);
  } else if (auto last = erased_by_last(fs, dir, world)) {
    erases = std::move(last->seqs);
  } else if (last.error().code != errc::corrupt) {
    return propagate(last);
  }
  if (!erases || erases->empty()) return walked;
  if (auto ok = erase_payloads(fs, dir, world, *erases); !ok) return propagate(ok);
  return walk_to_end(fs, dir, world, checked_through);
}

/// Nor before what a trim drops is out.
result<walked_journal> walk_and_trim(file_system& fs, const std::string& dir, const world_id& world,
                                     seq_no checked_through, const journal_options& options) {
  auto walked = walk_and_erase(fs, dir, world, checked_through);
  // A copy may have lost frames that it had not synced, but not those behind them: the log has all.
  if (!walked && walked.error().code == errc::corrupt && options.in_log)
    walked = walk_to_end(fs, dir, world, checked_through, options.in_log);
  if (!walked || !walked->last) return walked;
  // What its entries say is for who applies them to check.
  auto trim = trim_in(*walked->last);
  if (!trim || !*trim) return walked;
  const segment_walk& walk = walked->walk;
  const payload_place end{walk.segments()[walk.segment_index()], walk.offset()};
  auto is_done = options.is_copy ? result<bool>(false) : is_trimmed_by(fs, dir, world, **trim);
  if (!is_done) return propagate(is_done);
  if (*is_done) return walked;
  if (auto ok = drop_payloads(fs, dir, **trim, end); !ok) return propagate(ok);
  return walk_to_end(fs, dir, world, checked_through, options.in_log);
}

} // namespace

result<std::unique_ptr<journal>> journal::open(std::shared_ptr<file_system> fs, std::string dir,
                                               const world_id& world,
                                               const std::array<std::uint8_t, 16>& branch,
                                               seq_no checked_through,
                                               const journal_options& options) {
  ensure(options.segment_bytes >= segment_head_bytes, "a segment holds at least its head");
  if (auto ok = fs->create_directories(dir); !ok) return propagate(ok);
  auto walked = walk_and_trim(*fs, dir, world, checked_through, options);
  if (!walked) return propagate(walked);
  const segment_walk* const walk = &walked->walk;
  if (walk->last() < checked_through) {
    const std::string end = fmt::format("the journal ends at seq {}, but seq {} was durable",
                                        walk->last().value, checked_through.value);
    if (!walk->entered()) return fail(errc::corrupt, fmt::format("{}: {}", dir, end));
    return corrupt_at(segment_name(walk->segments()[walk->segment_index()]), walk->offset(), end);
  }
  auto made = std::make_unique<impl>();
  made->fs = std::move(fs);
  made->dir = std::move(dir);
  made->world = world;
  made->branch = branch;
  made->options = options;
  if (auto ok = made->adopt(*walk); !ok) return propagate(ok);
  return std::unique_ptr<journal>(new journal(std::move(made)));
}

result<void> journal::begin() {
  if (auto ok = impl_->usable(); !ok) return ok;
  if (impl_->current) return {};
  auto started = impl_->settled(impl_->start_segment());
  impl_->count();
  return started;
}

const journal_tail& journal::tail() const {
  return impl_->tail;
}
seq_no journal::last_seq() const {
  return impl_->last;
}
const digest& journal::last_frame() const {
  return impl_->last_frame;
}
seq_no journal::durable_through() const {
  return impl_->leader != nullptr ? impl_->last : impl_->durable;
}
bool journal::is_led() const {
  return impl_->leader != nullptr;
}

void journal::lead(std::shared_ptr<log_leader> leader) {
  ensure(leader != nullptr && impl_->leader == nullptr, "a journal is led once");
  ensure(leader->tail().end.head == impl_->last_frame && leader->tail().last_seq == impl_->last,
         "a copy has all that its log has when it is led");
  impl_->leader = std::move(leader);
  impl_->is_followed = false;
}

bool journal::is_refused() const {
  return impl_->is_refused && !impl_->failed;
}

void journal::follow() {
  ensure(impl_->leader == nullptr, "who leads yields before he follows");
  impl_->is_followed = true;
}

std::shared_ptr<log_leader> journal::yield() {
  impl_->is_followed = true;
  impl_->is_refused = false;
  impl_->owed.clear(); // the next leader sees to it
  impl_->is_unerased = false;
  return std::exchange(impl_->leader, nullptr);
}

namespace {

/// How long a frame of these entries is, and its header block.
struct frame_size {
  std::uint64_t all = frame_prefix_bytes;
  std::uint64_t headers = 0;
};

frame_size size_of(std::span<const entry> entries) {
  frame_size size;
  for (const auto& e : entries) {
    size.headers += 4 + e.header_bytes.size();
    size.all += 13 + e.header_bytes.size() + e.payload_bytes.size();
  }
  return size;
}

} // namespace

result<void> journal::reserve(std::span<const entry> entries) {
  if (auto ok = impl_->usable(); !ok) return ok;
  return impl_->settled(impl_->reserve(size_of(entries).all));
}

result<void> journal::append(std::span<const entry> entries, const digest& previous_root) {
  ensure(!entries.empty() && !impl_->is_followed, "a frame has entries, and is the leader's");
  seq_no seq = impl_->last;
  for (const auto& e : entries) {
    seq = seq.next();
    ensure(e.header.seq == seq, "entries continue the journal's sequence");
  }
  const frame_size size = size_of(entries);
  if (auto ok = impl_->usable(); !ok) return ok;
  if (entries.size() > max_frame_entries || size.all > max_frame_bytes
      || size.headers > max_frame_bytes)
    return fail(errc::limit_exceeded,
                fmt::format("a commit of {} entries and {} bytes is too large; split it",
                            entries.size(), size.all));
  // What is half erased when the machine stops is told from what was never whole by the frame of
  // the erasure, which says that all before it is durable.
  const auto erases = [](const entry& e) { return e.header.kind == entry_kind::erase; };
  if (std::ranges::any_of(entries, erases))
    if (auto ok = sync(); !ok) return ok;
  return impl_->settled(impl_->write_frame(entries, false, previous_root));
}

result<void> journal::append_seal(const digest& root) {
  if (auto ok = impl_->usable(); !ok) return ok;
  if (impl_->last_is_seal || impl_->last.value == 0 || impl_->is_followed) return {};
  auto sealed = impl_->settled(impl_->write_frame({}, true, root));
  if (!sealed && changed_nothing(sealed.error())) return {};
  return sealed;
}

result<void> journal::append_copy(const log_frame& frame) {
  if (auto ok = impl_->usable(); !ok) return ok;
  ensure(impl_->leader == nullptr, "a journal is filled before it is led");
  auto prefix = check_log_frame(frame);
  if (!prefix) return propagate(prefix);
  if (prefix->first_seq != impl_->last.next() || prefix->previous_frame != impl_->last_frame)
    return fail(errc::version_conflict,
                fmt::format("the log's frame of seq {} does not follow seq {}",
                            prefix->first_seq.value, impl_->last.value));
  return impl_->settled(impl_->write_copy(*prefix, frame));
}

result<void> journal::sync() {
  // What is here is whole, whatever the log refuses.
  if (impl_->failed) return impl_->usable();
  return impl_->final_failure(impl_->sync());
}

result<void> journal::may_trim() const {
  return impl_->leader != nullptr ? impl_->leader->store().may_trim() : result<void>();
}

result<void> journal::may_erase() const {
  return impl_->leader != nullptr ? impl_->leader->store().may_erase() : result<void>();
}

result<void> journal::erase(std::span<const seq_no> seqs) {
  if (auto ok = impl_->usable(); !ok) return ok;
  if (impl_->leader != nullptr) {
    auto erased = impl_->leader->erase(seqs);
    const bool is_known =
        erased
        || (!changed_nothing(erased.error()) && erased.error().code != errc::outcome_unknown
            && erased.error().code != errc::read_only);
    if (!erased && is_known) return impl_->final_failure(propagate(erased));
    // The relations are written anew whole, so nothing is left of earlier ones either.
    impl_->owed.clear();
    impl_->is_unerased = !erased;
    impl_->is_refused = !erased && erased.error().code == errc::read_only;
    if (!erased || *erased == erase_outcome::kept) owe_erasure({seqs.begin(), seqs.end()});
    if (auto ok = impl_->final_failure(impl_->sync()); !ok) return ok;
  }
  ensure(impl_->durable == impl_->last, "what is erased was said to be, and that is durable");
  return impl_->final_failure(erase_payloads(*impl_->fs, impl_->dir, impl_->world, seqs));
}

bool journal::owes_erasure() const {
  return !impl_->owed.empty();
}

void journal::owe_erasure(std::vector<seq_no> seqs) {
  impl_->owed = std::move(seqs);
}

result<void> journal::settle_erasure() {
  if (impl_->owed.empty() || impl_->leader == nullptr) return {};
  if (auto ok = may_erase(); !ok) return ok;
  auto erased = impl_->leader->erase(impl_->owed);
  if (!erased) return propagate(erased);
  impl_->is_unerased = false;
  if (*erased == erase_outcome::kept)
    return fail(errc::busy, "what was erased before is still read by a transaction on the log's "
                            "server that is older: erase again when it has ended");
  impl_->owed.clear();
  return {};
}

void journal::begin_segment() {
  impl_->options.begins_segment = true;
}

void journal::count_rewritten(std::uint64_t before, std::uint64_t now) {
  ensure(before <= impl_->full_bytes, "what was rewritten was counted");
  impl_->full_bytes = impl_->full_bytes - before + now;
  impl_->count();
}

payload_place journal::payload_of(seq_no first) const {
  const std::lock_guard hold(impl_->newest_guard);
  const auto found =
      std::ranges::find(impl_->newest, first, &std::pair<seq_no, payload_place>::first);
  ensure(found != impl_->newest.end(), "a frame is asked for soon after it was appended");
  return found->second;
}

std::uint64_t journal::bytes() const {
  return impl_->bytes_now;
}
std::size_t journal::segment_count() const {
  return impl_->segments_now;
}

result<void> journal::trim() {
  if (impl_->failed) return impl_->usable();
  return impl_->final_failure(impl_->trim());
}

result<void> read_journal(file_system& fs, const std::string& dir, const world_id& world,
                          seq_no from, bool tolerate_tail, const frame_visitor& visit) {
  auto walk = segment_walk::open(fs, dir, world, seq_no{0});
  if (!walk) return propagate(walk);
  if (auto ok = walk->seek(from); !ok) return ok;
  for (;;) {
    auto frame = walk->next();
    if (!frame) return propagate(frame);
    if (!*frame) break;
    auto more = visit(**frame);
    if (!more) return propagate(more);
    if (!*more) return {};
  }
  if (walk->torn() && !tolerate_tail)
    return corrupt_at(walk->torn()->segment, walk->torn()->offset, walk->torn()->problem);
  return {};
}

} // namespace mneme
