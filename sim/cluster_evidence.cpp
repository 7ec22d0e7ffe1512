#include "sim/cluster_evidence.hpp"

#include <fmt/format.h>

#include "journal/log/log_copy.hpp"
#include "sim/operation.hpp"
#include "state/recovery/entry_check.hpp"

namespace mneme::sim {

check_result cluster_evidence::look_at_log() {
  const auto tail = site_.server.connect()->tail();
  if (!tail || tail->epoch == log_epoch{}) return {};
  const auto [known, is_new] = holders_.try_emplace(tail->epoch, tail->holder);
  if (!is_new && !tail->holder.empty() && known->second != tail->holder)
    return wrong("one leader", fmt::format("epoch {} is of {} and of {}", tail->epoch.value,
                                           known->second, tail->holder));
  return {};
}

check_result cluster_evidence::acknowledged(cluster_write& write, seq_no seq) {
  const auto tail = site_.server.connect()->tail();
  if (!tail || tail->last_seq < seq)
    return wrong("durable", fmt::format("{} acknowledged seq {}, and the log ends at {}", write.by,
                                        seq.value, tail ? tail->last_seq.value : 0));
  const log_epoch epoch = site_.server.epoch_of(seq);
  if (holders_[epoch] != write.by)
    return wrong("one leader",
                 fmt::format("{} acknowledged seq {}, which was appended in epoch {} by {}",
                             write.by, seq.value, epoch.value, holders_[epoch]));
  write.is = promise::kept;
  write.seq = seq;
  return {};
}

check_result cluster_evidence::check_roots(cluster_node& node) {
  const root_set now = node.state().published_roots();
  if (now.seq == node.seen) return {};
  if (now.seq < node.seen)
    return wrong("roots", fmt::format("{} went back from seq {} to {}", node.name(),
                                      node.seen.value, now.seq.value));
  node.seen = now.seq;
  const auto [known, is_new] = roots_.try_emplace(now.seq, now.overall);
  if (is_new || known->second == now.overall) return {};
  return wrong("roots", fmt::format("{} has root {} at seq {}, where it was {}", node.name(),
                                    to_hex(now.overall), now.seq.value, to_hex(known->second)));
}

check_result cluster_evidence::check_log() {
  const auto log = site_.server.connect();
  std::uint64_t at = 0;
  digest previous;
  std::map<std::uint64_t, std::uint64_t> frame_of; ///< by number
  std::map<std::uint64_t, seq_no> last_of;
  log_epoch epoch;
  for (;;) {
    const auto frames = log->read(at, 256, 8ULL << 20);
    if (!frames || frames->empty()) break;
    for (const auto& frame : *frames) {
      ++at;
      const auto opened = open_log_frame(frame);
      if (!opened) return wrong("log", opened.error().message);
      const auto entries = open_entries(*opened);
      if (!entries) return wrong("log", entries.error().message);
      if (opened->prefix.previous_frame != previous)
        return wrong("log", fmt::format("frame {} does not follow the one before", at));
      previous = frame.hash;
      const auto root = roots_.find({opened->prefix.first_seq.value - 1});
      if (root != roots_.end() && root->second != opened->prefix.previous_root)
        return wrong("roots",
                     fmt::format("frame {} says that the root at seq {} is {}, and a copy "
                                 "had {}",
                                 at, root->first.value, to_hex(opened->prefix.previous_root),
                                 to_hex(root->second)));
      for (const entry& e : *entries) {
        if (const auto* trim = std::get_if<trim_payload>(&e.payload)) in_log_[e.header.seq] = *trim;
        const auto number = number_in(e);
        if (!number) continue;
        if (const auto [first, is_new] = frame_of.try_emplace(*number, at);
            !is_new && first->second != at)
          return wrong("exactly once", fmt::format("write {} is in the frames {} and {}", *number,
                                                   first->second, at));
        last_of[*number] = e.header.seq;
      }
      if (entries->empty()) continue;
      const log_epoch its = site_.server.epoch_of(frame.last_seq);
      if (its < epoch) return wrong("log", "an older epoch appended behind a newer one");
      epoch = its;
    }
  }
  for (const auto& [number, write] : writes) {
    const bool is_there = frame_of.contains(number);
    if (write.is == promise::refused && is_there)
      return wrong("refused", fmt::format("write {} was refused, and is in the log at seq {}",
                                          number, last_of[number].value));
    if (write.is == promise::kept && !write.text.empty() && !is_there)
      return wrong("lost", fmt::format("write {}, which {} acknowledged at seq {}, is not there",
                                       number, write.by, write.seq.value));
    if (write.is == promise::kept && !write.text.empty() && last_of[number] > write.seq)
      return wrong("lost", fmt::format("write {} was acknowledged at seq {} and ends at {}", number,
                                       write.seq.value, last_of[number].value));
  }
  return {};
}

check_result cluster_evidence::check_erased(cluster_node& node) const {
  const std::string in_log = site_.server.everything();
  for (const auto& text : erased) {
    if (in_log.contains(text)) return wrong("erased", text + " is in the log");
    if (auto ok = check_lacks(node, text, "erased"); !ok) return ok;
  }
  return {};
}

check_result cluster_evidence::check_lacks(cluster_node& node, const std::string& text,
                                           const char* oracle) const {
  const std::string dir = journal_directory(std::string(world_directory));
  const auto names = node.files().files->list(dir);
  if (!names) return {};
  for (const auto& name : *names) {
    const auto bytes = node.files().files->testing_bytes(fmt::format("{}/{}", dir, name));
    if (bytes && bytes->contains(text))
      return wrong(oracle, fmt::format("{} is in {} of {}", text, name, node.name()));
  }
  return {};
}

check_result cluster_evidence::check_trimmed(cluster_node& node) const {
  const std::string in_log = site_.server.everything();
  for (const auto& [at, trim] : in_log_)
    for (const auto& [number, write] : writes) {
      if (write.is != promise::kept || write.text.empty() || !trim.drops(write.seq)) continue;
      if (auto ok = check_lacks(node, write.text, "trimmed"); !ok) return ok;
      if (trims.contains(at) && in_log.contains(write.text))
        return wrong("trimmed", fmt::format("{}, which the trim at seq {} drops, is in the log",
                                            write.text, at.value));
    }
  return {};
}

void cluster_evidence::forget_behind(seq_no last) {
  std::erase_if(roots_, [&](const auto& known) { return known.first > last; });
  // Claims are forgotten, too: an epoch may come again.
  const auto tail = site_.server.connect()->tail();
  std::erase_if(holders_, [&](const auto& known) { return known.first > tail->epoch; });
  for (auto& [number, write] : writes)
    if (write.is == promise::kept && write.seq > last) write.is = promise::none;
}

} // namespace mneme::sim
