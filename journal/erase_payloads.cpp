#include "journal/erase_payloads.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "journal/segment_walk.hpp"
#include "journal/trim_payloads.hpp"
#include "messages/ensure.hpp"

namespace mneme {

namespace {

/// The segment that is written to.
struct open_segment {
  std::string name;
  std::unique_ptr<file> out;
  bool is_dirty = false;

  result<void> end() {
    if (!std::exchange(is_dirty, false)) return {};
    return out->sync();
  }
};

/// What stands before a payload's bytes.
struct payload_front {
  bool is_there = true; ///< no trim has dropped it
  std::uint32_t bytes = 0;
};

/// Of the payload whose front stands at `at`.
result<payload_front> read_front(file& in, std::uint64_t at) {
  auto raw = in.read_at(at, payload_entry_bytes);
  if (!raw) return propagate(raw);
  if (raw->size() != payload_entry_bytes) return fail(errc::corrupt, "a payload that ends early");
  payload_front front;
  front.is_there = raw->front() != static_cast<char>(payload_state::trimmed);
  if (!front.is_there) return front;
  for (std::size_t i = 0; i < sizeof front.bytes; ++i) // behind the state
    front.bytes |= std::uint32_t{static_cast<unsigned char>((*raw)[1 + i])} << (8 * i);
  return front;
}

/// State and bytes; between them length and checksum stay. Also of one that says that it is erased:
/// the bytes behind it may not have been when the machine stopped.
result<void> erase_one(file& out, std::uint64_t at, std::uint32_t bytes) {
  const char state = static_cast<char>(payload_state::erased);
  if (auto ok = out.write_at(at, {&state, 1}); !ok) return ok;
  return out.write_at(at + payload_entry_bytes, std::string(bytes, '\0'));
}

/// Of the frame's entries those that `seqs` begins with; it then begins behind them.
result<void> erase_in(open_segment& in, const journal_frame& frame, std::span<const seq_no>& seqs) {
  ensure(!seqs.empty() && frame.prefix.first_seq <= seqs.front(),
         "the frame has the first of them");
  std::uint64_t at = first_payload(frame).offset - payload_entry_bytes;
  for (seq_no seq = frame.prefix.first_seq; seq <= last_seq(frame.prefix) && !seqs.empty();
       seq = seq.next()) {
    auto front = read_front(*in.out, at);
    if (!front) return propagate(front);
    if (seqs.front() == seq) {
      seqs = seqs.subspan(1);
      if (front->is_there) {
        in.is_dirty = true;
        if (auto ok = erase_one(*in.out, at, front->bytes); !ok) return ok;
      }
    }
    at += payload_step(front->bytes);
  }
  return {};
}

} // namespace

std::vector<seq_no> each_once(std::vector<seq_no> seqs) {
  std::ranges::sort(seqs);
  seqs.erase(std::ranges::unique(seqs).begin(), seqs.end());
  return seqs;
}

result<std::vector<seq_no>> erased_by(const journal_frame& frame) {
  std::vector<seq_no> seqs;
  for (const auto& raw : frame.entries) {
    if (raw.erased || raw.trimmed) continue;
    auto header = decode_entry_header(raw.header);
    if (!header) return propagate(header);
    if (header->kind != entry_kind::erase) continue;
    auto payload = decode_entry_payload(header->kind, raw.payload);
    if (!payload) return propagate(payload);
    const auto& its = std::get<erase_payload>(*payload).seqs;
    seqs.insert(seqs.end(), its.begin(), its.end());
  }
  return each_once(std::move(seqs));
}

result<void> erase_payloads(file_system& fs, const std::string& dir, const world_id& world,
                            std::span<const seq_no> seqs) {
  ensure(std::ranges::adjacent_find(seqs, std::ranges::greater_equal{}, &seq_no::value)
             == seqs.end(),
         "what is erased is named in order, each once");
  auto walk = segment_walk::open(fs, dir, world, seq_no{0});
  if (!walk) return propagate(walk);
  open_segment in;
  while (!seqs.empty()) {
    const seq_no wanted = seqs.front();
    auto frame = walk->locate(wanted);
    if (!frame) return propagate(frame);
    if (!*frame)
      return fail(errc::corrupt, "the journal has no entry " + std::to_string(wanted.value)
                                     + ", which is to be erased");
    if ((*frame)->segment != in.name) {
      if (auto ok = in.end(); !ok) return ok;
      if (auto ok = make_own(fs, dir + "/" + (*frame)->segment); !ok) return ok;
      auto out = fs.open(dir + "/" + (*frame)->segment, open_mode::read_write);
      if (!out) return propagate(out);
      in = {.name = (*frame)->segment, .out = std::move(*out)};
    }
    if (auto ok = erase_in(in, **frame, seqs); !ok) return ok;
  }
  return in.end();
}

result<last_erasure> erased_by_last(file_system& fs, const std::string& dir,
                                    const world_id& world) {
  auto walk = segment_walk::open(fs, dir, world, seq_no{0});
  if (!walk) return propagate(walk);
  if (auto ok = walk->seek(seq_no{~0ULL}); !ok) return propagate(ok);
  last_erasure found{.seqs = {}, .at = walk->last()};
  if (found.at.value == 0) return found;
  auto whole = segment_walk::open(fs, dir, world, seq_no{0});
  if (!whole) return propagate(whole);
  if (auto ok = whole->seek(found.at); !ok) return propagate(ok);
  auto frame = whole->next();
  if (!frame) return propagate(frame);
  if (!*frame) return found;
  auto seqs = erased_by(**frame);
  if (!seqs) return propagate(seqs);
  found.seqs = std::move(*seqs);
  auto trim = trim_in(**frame);
  if (!trim) return propagate(trim);
  found.is_trim = trim->has_value();
  return found;
}

} // namespace mneme
