#include "tools/protocol/weights_json.hpp"

#include <array>

#include <nlohmann/json.hpp>

#include "tools/protocol/answer_json.hpp"
#include "tools/protocol/request_deadline.hpp"
#include "tools/protocol/value_reader.hpp"
#include "tools/protocol/write_faults.hpp"

namespace mneme::protocol {

namespace {

constexpr std::array set_weights_table = {
    key_shape{"weights", &shapes::text}, key_shape{"reset", &shapes::boolean},
    key_shape{"actor", &shapes::text}, key_shape{"deadline_ms", &shapes::integer}};
constexpr std::array weights_table = {
    key_shape{"at_seq", &shapes::integer}, key_shape{"at_least", &shapes::integer},
    key_shape{"at", &shapes::time}, key_shape{"deadline_ms", &shapes::integer}};

} // namespace

std::span<const key_shape> set_weights_keys() noexcept {
  return set_weights_table;
}
std::span<const key_shape> weights_keys() noexcept {
  return weights_table;
}

result<mutation> read_set_weights(const json& request, const json_path& at, fault_list faults) {
  value_reader in(request, at, faults);
  set_weights_request r;
  r.weights = in.text("weights");
  r.reset = in.flag("reset");
  r.actor = in.text_or("actor", "");
  return finish_write(faults, std::move(r), at);
}

json set_weights_result_json(const mutation_result& r) {
  return {{"weights", r.weights}, {"changed", r.changed}, {"seq", r.seq.value}};
}

result<json> run_weights(session& s, const json& request) {
  fault_list faults;
  const json_path document;
  value_reader in(request, document, faults);
  const auto at_seq = in.seq("at_seq");
  const request_deadline time(s, read_deadline(in));
  if (faults) return faults.refusal();
  auto held = s.target().weights(at_seq);
  if (!held) return propagate(held);
  json answer{{"weights", to_string(held->weights)}};
  if (held->since) {
    answer["since"] = held->since->value;
    answer["set_at"] = to_string(held->set_at);
    answer["set_by"] = held->set_by;
    if (held->is_reset) answer["reset"] = true;
  }
  answer["at_seq"] = held->at_seq.value;
  return time.in_time(std::move(answer));
}

} // namespace mneme::protocol
