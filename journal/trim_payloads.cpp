#include "journal/trim_payloads.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "journal/segment_walk.hpp"
#include "messages/ensure.hpp"

namespace mneme {

namespace {

/// One segment without what is dropped; left alone if it has nothing of that.
class segment_rewrite {
public:
  segment_rewrite(file_system& fs, std::string dir, seq_no segment)
      : fs_(fs), dir_(std::move(dir)), segment_(segment) {}

  result<std::optional<rewritten_segment>> run(const journaled_trim& by, const payload_place& end) {
    auto reader = segment_reader::open(fs_, dir_, segment_);
    if (!reader) return propagate(reader);
    const std::string path = dir_ + "/" + reader->name();
    std::string fresh;
    rewritten_segment made;
    bool is_changed = false;
    std::uint64_t offset = segment_head_bytes;
    auto in = fs_.open(path, open_mode::read);
    if (!in) return propagate(in);
    if (auto ok = append(**in, 0, segment_head_bytes, fresh); !ok) return propagate(ok);
    while (segment_ != end.segment || offset < end.offset) {
      auto slot = reader->read(offset);
      if (!slot) return propagate(slot);
      if (slot->found == frame_slot::kind::damaged)
        return corrupt_at(reader->name(), offset, slot->problem);
      if (slot->found == frame_slot::kind::end) break;
      const journal_frame& frame = slot->frame;
      const std::uint64_t size = frame_bytes(frame.prefix);
      const std::size_t begin = fresh.size();
      if (auto ok = append(**in, offset, size, fresh); !ok) return propagate(ok);
      const bool lacks_more = has_dropped(by.trim, frame.prefix, frame.entries);
      if (lacks_more) {
        ensure(last_seq(frame.prefix) < by.trim.before, "a trim drops what is before its point");
        is_changed = true;
        fresh.resize(begin);
        fresh += without(by, frame);
      }
      note_moved(by, frame, lacks_more, begin, made.moved);
      offset += size;
    }
    if (!is_changed) return std::nullopt;
    made.bytes_before = offset;
    made.bytes = fresh.size();
    if (auto ok = replace_file(fs_, path, fresh); !ok) return propagate(ok);
    return made;
  }

private:
  static result<void> append(file& in, std::uint64_t at, std::uint64_t size, std::string& to) {
    auto bytes = in.read_at(at, static_cast<std::size_t>(size));
    if (!bytes) return propagate(bytes);
    if (bytes->size() != size) return fail(errc::corrupt, "a segment became shorter");
    to += *bytes;
    return {};
  }

  /// `begin`: where the frame begins now.
  static void note_moved(const journaled_trim& by, const journal_frame& frame, bool lacks_more,
                         std::uint64_t begin, moved_payloads& moved) {
    std::uint64_t was = first_payload(frame).offset;
    const std::uint64_t front = was - frame.offset;
    const bool is_marked = lacks_more && frame.prefix.trimmed_by.value == 0;
    std::uint64_t now = begin + front + (is_marked ? trim_mark_bytes : 0);
    seq_no seq = frame.prefix.first_seq;
    for (const raw_entry& raw : frame.entries) {
      const std::uint64_t size = payload_step(raw.payload.size());
      const bool goes = lacks_more && !lacks_payload(raw) && by.trim.drops(seq);
      if (!lacks_payload(raw) && !goes) moved.note(was, now);
      was += size;
      now += goes ? payload_step(0) : size;
      seq = seq.next();
    }
  }

  static std::string without(const journaled_trim& by, const journal_frame& frame) {
    auto made = frame_without(by, frame.prefix, frame.entries);
    ensure(made.hash == frame.hash, "what a frame lacks does not change its hash");
    return std::move(made.bytes);
  }

  file_system& fs_;
  std::string dir_;
  seq_no segment_;
};

} // namespace

result<std::optional<journaled_trim>> trim_in(const journal_frame& frame) {
  if (frame.entries.empty() || lacks_payload(frame.entries.back())) return std::nullopt;
  auto header = decode_entry_header(frame.entries.back().header);
  if (!header) return propagate(header);
  if (header->kind != entry_kind::trim) return std::nullopt;
  auto payload = decode_entry_payload(header->kind, frame.entries.back().payload);
  if (!payload) return propagate(payload);
  return journaled_trim{.at = header->seq, .trim = std::get<trim_payload>(std::move(*payload))};
}

result<journaled_trim> read_trim(file_system& fs, const std::string& dir, const world_id& world,
                                 seq_no at) {
  auto walk = segment_walk::open(fs, dir, world, seq_no{0});
  if (!walk) return propagate(walk);
  for (;;) {
    if (auto ok = walk->seek(at); !ok) return propagate(ok);
    auto frame = walk->next();
    if (!frame) return propagate(frame);
    if (!*frame || last_seq((*frame)->prefix) != at) break;
    auto found = trim_in(**frame);
    if (!found) return propagate(found);
    if (*found) return std::move(**found);
    if ((*frame)->prefix.trimmed_by <= at) break;
    at = (*frame)->prefix.trimmed_by;
  }
  return fail(errc::corrupt, fmt::format("payloads are missing, and there is no trim at seq {} "
                                         "that says so",
                                         at.value));
}

result<bool> is_trimmed_by(file_system& fs, const std::string& dir, const world_id& world,
                           const journaled_trim& by) {
  const std::string& bits = by.trim.dropped;
  ensure(!bits.empty() && bits.back() != '\0', "a trim drops something");
  const auto top = static_cast<unsigned char>(bits.back());
  const seq_no last{(bits.size() - 1) * 8 + std::bit_width(top)};
  auto walk = segment_walk::open(fs, dir, world, seq_no{0});
  if (!walk) return propagate(walk);
  auto frame = walk->locate(last);
  if (!frame) return propagate(frame);
  return *frame && (*frame)->prefix.trimmed_by == by.at;
}

result<void> drop_payloads(file_system& fs, const std::string& dir, const journaled_trim& by,
                           const payload_place& end) {
  auto segments = list_segments(fs, dir);
  if (!segments) return propagate(segments);
  for (const seq_no segment : *segments) {
    if (segment >= by.trim.before) break;
    if (auto ok = segment_rewrite(fs, dir, segment).run(by, end); !ok) return propagate(ok);
  }
  return {};
}

void moved_payloads::note(std::uint64_t was, std::uint64_t now) {
  ensure(steps_.empty() || steps_.back().was < was, "payloads move in their order");
  const bool is_as_before = steps_.empty() ? was == now : moved(was) == now;
  if (!is_as_before) steps_.push_back({was, now});
}

std::uint64_t moved_payloads::moved(std::uint64_t offset) const {
  const auto behind = std::ranges::upper_bound(steps_, offset, {}, &step::was);
  if (behind == steps_.begin()) return offset;
  return std::prev(behind)->now + (offset - std::prev(behind)->was);
}

result<std::optional<rewritten_segment>> drop_in_segment(file_system& fs, const std::string& dir,
                                                         seq_no segment, const journaled_trim& by) {
  const payload_place no_end{.segment = by.at.next(), .offset = 0};
  return segment_rewrite(fs, dir, segment).run(by, no_end);
}

result<void> check_untrimmed(file_system& fs, const std::string& dir, const world_id& world,
                             seq_no at, std::string_view key) {
  auto is_trimmed = has_trim_behind(fs, dir, world, at);
  if (!is_trimmed || !*is_trimmed) return is_trimmed ? result<void>() : propagate(is_trimmed);
  auto walk = segment_walk::open(fs, dir, world, seq_no{0});
  if (!walk) return propagate(walk);
  for (seq_no seq{1}; seq <= at;) {
    auto frame = walk->locate(seq);
    if (!frame) return propagate(frame);
    if (!*frame) break;
    const frame_prefix& p = (*frame)->prefix;
    if (p.trimmed_by > at)
      return fail(errc::seq_unavailable,
                  fmt::format("history up to seq {} was trimmed by entry {}: take that or a later "
                              "one",
                              at.value, p.trimmed_by.value),
                  std::string(key));
    seq = last_seq(p).next();
  }
  return {};
}

result<bool> has_trim_behind(file_system& fs, const std::string& dir, const world_id& world,
                             seq_no from) {
  bool found = false;
  auto walked = read_journal(fs, dir, world, from.next(), true,
                             [&](const journal_frame& frame) -> result<bool> {
                               if (last_seq(frame.prefix) <= from) return true;
                               auto trim = trim_in(frame);
                               if (!trim) return propagate(trim);
                               found = trim->has_value();
                               return !found;
                             });
  if (!walked) return propagate(walked);
  return found;
}

} // namespace mneme
