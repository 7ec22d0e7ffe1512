// A frame's two parts: what is hashed, and what may be erased.
#include "journal/log/log_frame.hpp"

#include "tests/journal/journal_site.hpp"
#include "tests/journal/log/log_rules.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

encoded_frame three_entries() {
  std::vector<entry> entries;
  for (std::uint64_t seq = 5; seq < 8; ++seq)
    entries.push_back(raw_bytes_entry(seq_no{seq}, "head " + std::to_string(seq),
                                      "payload " + std::to_string(seq)));
  return encode_frame(entries, seq_no{5}, false, sha256_of("before"), root_at(seq_no{4}),
                      seq_no{4});
}

} // namespace

TEST_CASE("a frame is split where its payloads begin", "[log]") {
  const auto whole = three_entries();
  const auto frame = split_frame(whole.bytes);
  REQUIRE(frame);
  CHECK(frame->head + frame->payloads == whole.bytes);
  CHECK(frame->head.size() == whole.payloads_at);
  CHECK(frame->hash == whole.hash);
  CHECK(frame->last_seq == seq_no{7});
  const auto prefix = check_log_frame(*frame);
  REQUIRE(prefix);
  CHECK(prefix->first_seq == seq_no{5});

  const auto seal = encode_frame({}, seq_no{8}, true, whole.hash, root_at(seq_no{7}), seq_no{7});
  const auto split = split_frame(seal.bytes);
  REQUIRE(split);
  CHECK(split->last_seq == seq_no{7});
  CHECK(split->payloads.empty());
  CHECK(check_log_frame(*split));
}

TEST_CASE("what is no frame is refused", "[log]") {
  const auto whole = three_entries();
  CHECK_FALSE(split_frame(whole.bytes + "x"));
  CHECK_FALSE(split_frame(std::string_view(whole.bytes).substr(0, whole.bytes.size() - 1)));
  CHECK_FALSE(split_frame(""));
  const auto frame = *split_frame(whole.bytes);
  const auto is_damaged = [](const log_frame& other) {
    const auto checked = check_log_frame(other);
    REQUIRE_FALSE(checked);
    CHECK(checked.error().code == errc::corrupt);
  };
  auto other = frame;
  other.head.back() ^= 1;
  is_damaged(other);
  other = frame;
  other.head.pop_back();
  is_damaged(other);
  other = frame;
  other.hash = sha256_of("another");
  is_damaged(other);
  other = frame;
  other.last_seq = seq_no{8};
  is_damaged(other);
  other = frame;
  other.payloads.pop_back();
  is_damaged(other);
}

TEST_CASE("what a trim drops goes from a frame, and its hash stays", "[log]") {
  const auto whole = *split_frame(three_entries().bytes);
  journaled_trim by{.at = {20}, .trim = {}};
  by.trim.before = {9};
  auto frame = whole;
  CHECK(*drop_in_log_frame(by, frame) == false);
  CHECK(frame == whole);
  by.trim.drop({6});
  CHECK(*drop_in_log_frame(by, frame));
  CHECK(*drop_in_log_frame(by, frame) == false);
  CHECK(frame.hash == whole.hash);
  CHECK(frame.head.size() == whole.head.size() + trim_mark_bytes);
  const auto prefix = *check_log_frame(frame);
  CHECK(prefix.trimmed_by == by.at);
  CHECK_FALSE(frame.payloads.contains("payload 6"));
  CHECK(frame.payloads.contains("payload 7"));
  // It is not appended so; what is dropped has nothing that could be erased.
  CHECK_FALSE(split_frame(frame.head + frame.payloads));
  const std::vector<seq_no> seqs{{6}, {7}};
  CHECK(*erase_in_block(prefix, frame.payloads, seqs));
  CHECK_FALSE(frame.payloads.contains("payload 7"));
  CHECK(check_log_frame(frame));
  auto other = frame;
  other.payloads.pop_back();
  CHECK_FALSE(drop_in_log_frame(by, other));
  by.trim.before = {6};
  by.trim.drop({5});
  CHECK_FALSE(drop_in_log_frame(by, frame)); // behind the trim's point
}

TEST_CASE("payloads are erased in their block", "[log]") {
  auto frame = *split_frame(three_entries().bytes);
  const auto prefix = *check_log_frame(frame);
  const auto length = frame.payloads.size();
  const std::vector<seq_no> others{{1}, {4}, {8}, {900}};
  CHECK(*erase_in_block(prefix, frame.payloads, others) == false);
  const std::vector<seq_no> middle{{1}, {6}, {8}};
  CHECK(*erase_in_block(prefix, frame.payloads, middle));
  CHECK(*erase_in_block(prefix, frame.payloads, middle) == false);
  CHECK(frame.payloads.size() == length);
  CHECK(frame.payloads.find("payload 6") == std::string::npos);
  CHECK(frame.payloads.find("payload 5") != std::string::npos);
  const auto entries = decode_frame_body(
      prefix, std::string_view(frame.head).substr(frame_prefix_bytes), frame.payloads);
  REQUIRE(entries);
  CHECK((*entries)[1].erased);
  CHECK_FALSE((*entries)[0].erased);
  CHECK((*entries)[2].payload == "payload 7");
  // A length that leads out of the block is no reason to write there.
  frame.payloads[4] = '\x7F';
  CHECK_FALSE(erase_in_block(prefix, frame.payloads, middle));
  frame.payloads.pop_back();
  CHECK_FALSE(erase_in_block(prefix, frame.payloads, middle));
}
