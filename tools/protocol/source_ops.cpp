#include "tools/protocol/source_ops.hpp"

#include <array>

#include <nlohmann/json.hpp>

#include "tools/protocol/answer_json.hpp"
#include "tools/protocol/request_deadline.hpp"
#include "tools/protocol/value_reader.hpp"

namespace mneme::protocol {

namespace {

constexpr std::array ingest_source_table = {
    key_shape{"path", &shapes::text, true},    key_shape{"actor", &shapes::text},
    key_shape{"audience", &shapes::text},      key_shape{"visibility", &shapes::text},
    key_shape{"source_class", &shapes::text},  key_shape{"bring_back_erased", &shapes::boolean},
    key_shape{"deadline_ms", &shapes::integer}};
constexpr std::array promote_table = {
    key_shape{"chunk", &shapes::text, true}, key_shape{"memory", &shapes::text, true},
    key_shape{"actor", &shapes::text}, key_shape{"deadline_ms", &shapes::integer}};

} // namespace

std::span<const key_shape> ingest_source_keys() noexcept {
  return ingest_source_table;
}
std::span<const key_shape> promote_keys() noexcept {
  return promote_table;
}

result<json> run_ingest_source(session& s, const json& request) {
  fault_list faults;
  const json_path document;
  value_reader in(request, document, faults);
  source_request r{.path = in.text_or("path", ""),
                   .actor = in.text_or("actor", ""),
                   .audience = in.name<lifecycle_audience>("audience"),
                   .visibility = in.name<visibility>("visibility"),
                   .source_class = in.name<source_class>("source_class"),
                   .brings_back_erased = in.flag("bring_back_erased"),
                   .in_time = {}};
  const request_deadline time(s, read_deadline(in));
  r.in_time = [&time] { return time.check(); };
  if (faults) return faults.refusal();
  if (!s.ingest_source())
    return fail(
        errc::unsupported,
        "a process that has a world open reads no files for another one: end it, or close the "
        "world there, and ingest then",
        "op");
  auto done = s.ingest_source()(s.target(), r);
  if (!done) return propagate(done);
  return json{{"files", done->files},
              {"added", done->added},
              {"updated", done->updated},
              {"unchanged", done->unchanged},
              {"removed", done->removed},
              {"left_out", done->left_out},
              {"changed", done->added + done->updated + done->removed > 0},
              {"seq", s.target().published().value}};
}

result<json> run_promote(session& s, const json& request) {
  fault_list faults;
  const json_path document;
  value_reader in(request, document, faults);
  const promote_request r{.chunk = in.id_or_uri("chunk").value_or(memory_id{}),
                          .memory = in.id_or_uri("memory").value_or(memory_id{}),
                          .actor = in.text_or("actor", "")};
  if (faults) return faults.refusal();
  auto done = s.target().promote(r, deadline_of(request), s.in_sight_of());
  if (!done) return propagate(done);
  return version_result_json(*done);
}

} // namespace mneme::protocol
