#include "tools/protocol/trim_json.hpp"

#include <array>

#include <nlohmann/json.hpp>

#include "tools/protocol/value_reader.hpp"

namespace mneme::protocol {

namespace {

constexpr std::array trim_table = {
    key_shape{"before", &shapes::integer},     key_shape{"before_time", &shapes::time},
    key_shape{"reason", &shapes::text},        key_shape{"by", &shapes::text},
    key_shape{"versions", &shapes::boolean},   key_shape{"dry_run", &shapes::boolean},
    key_shape{"deadline_ms", &shapes::integer}};

} // namespace

std::span<const key_shape> trim_keys() noexcept {
  return trim_table;
}

json trim_answer(const trim_report& done, bool dry_run) {
  json answer{{"before", done.before.value},
              {"dropped", done.dropped},
              {"dropped_bytes", done.dropped_bytes},
              {"versions", done.versions},
              {"carried", done.carried},
              {"saved_bytes", done.saved_bytes},
              {"journal_bytes_before", done.journal_bytes_before},
              {"journal_bytes", done.journal_bytes},
              {"dry_run", dry_run},
              {"changed", done.at.value != 0}};
  if (done.at.value != 0) answer["seq"] = done.at.value;
  return answer;
}

result<json> run_trim(session& s, const json& request) {
  fault_list faults;
  const json_path document;
  value_reader in(request, document, faults);
  trim_options options;
  options.before = in.seq("before");
  options.before_time = in.time("before_time");
  options.reason = in.text_or("reason", "");
  options.by = in.text_or("by", "");
  options.dry_run = in.flag("dry_run");
  options.versions = in.flag("versions");
  if (faults) return faults.refusal();
  auto done = s.target().trim(options, deadline_of(request));
  if (!done) return propagate(done);
  return trim_answer(*done, options.dry_run);
}

} // namespace mneme::protocol
