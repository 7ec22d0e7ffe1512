#include "tools/protocol/absence_proof.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/protocol/json_text.hpp"
#include "tools/protocol/proof_json.hpp"

namespace mneme::protocol {

namespace {

/// What an item of `ids` or `fields` names, as the state has it.
struct named_item {
  state_namespace ns{};
  std::string key;
  bool present = false;
};

result<named_item> read_item(const json& item, const char* list, const std::string& at) {
  const bool is_field = std::string_view(list) == "fields";
  const char* id_key = is_field ? "topic" : "id";
  const bool is_whole = item.is_object() && item.contains(id_key) && item[id_key].is_string()
                        && item.contains("present") && item["present"].is_boolean()
                        && (!is_field || (item.contains("name") && item["name"].is_string()));
  if (!is_whole) return fail(errc::bad_value, "it is no item of an answer of absent", at);
  const auto id = parse_memory_id(item[id_key].get_ref<const std::string&>());
  if (!id) return fail(errc::bad_value, "it names no memory", at);
  named_item named{.ns = is_field ? state_namespace::fields : state_namespace::memories,
                   .key = std::string(id->raw()),
                   .present = item["present"].get<bool>()};
  if (is_field) named.key += item["name"].get_ref<const std::string&>();
  return named;
}

result<std::vector<named_item>> named_in(const json& answer) {
  std::vector<named_item> all;
  for (const char* list : {"ids", "fields"}) {
    if (!answer.contains(list)) continue;
    if (!answer[list].is_array()) return fail(errc::wrong_type, "it is no list", list);
    for (std::size_t i = 0; i < answer[list].size(); ++i) {
      auto one = read_item(answer[list][i], list, fmt::format("{}[{}]", list, i));
      if (!one) return propagate(one);
      all.push_back(std::move(*one));
    }
  }
  return all;
}

result<void> check_claims(const json& answer, const proof_bundle& bundle) {
  const auto differs = [](const char* what, std::string at) {
    return fail(errc::proof_mismatch, fmt::format("{} the proofs", what), std::move(at));
  };
  if (!answer["absent"].is_boolean()) return fail(errc::bad_value, "it is true or false", "absent");
  if (answer.value("seq", json()) != json(bundle.roots.seq.value))
    return differs("the seq is not that of", "seq");
  if (answer.value("root", json()) != json(to_hex(bundle.roots.overall)))
    return differs("the root is not that of", "root");
  auto named = named_in(answer);
  if (!named) return propagate(named);
  if (named->size() != bundle.states.size() || !bundle.entries.empty())
    return differs("what is named is not what is proven by", "proof.proofs");
  bool is_any_there = false;
  for (std::size_t i = 0; i < named->size(); ++i) {
    const named_item& claim = (*named)[i];
    const state_proof& proven = bundle.states[i];
    const std::string at = fmt::format("proof.proofs[{}]", i);
    if (claim.ns != proven.ns || claim.key != proven.key)
      return differs("what is named is not what is proven by", at);
    if (claim.present != proven.proof.value_hash.has_value())
      return differs("whether it is there is not as in", at);
    is_any_there = is_any_there || claim.present;
  }
  // A question may have found it besides.
  const bool absent = answer["absent"].get<bool>();
  if (absent ? is_any_there : !is_any_there && !answer.contains("searched"))
    return differs("whether all of it is absent is not as in", "absent");
  return {};
}

std::string name_of(const state_proof& item) {
  memory_id id;
  const std::size_t size = id.bytes.size();
  if (item.ns == state_namespace::edges || item.key.size() < size)
    return fmt::format("{} {:02x}", to_string(item.ns),
                       fmt::join(std::vector<std::uint8_t>(item.key.begin(), item.key.end()), ""));
  std::copy_n(item.key.begin(), size, id.bytes.begin());
  if (item.ns == state_namespace::memories) return to_string(id);
  // A name may be anything, and is not to read like the end of its line.
  return fmt::format("field {} of {}", print(json(item.key.substr(size))), to_string(id));
}

} // namespace

result<proof_bundle> read_proven(const json& answer) {
  if (!answer.is_object() || !answer.contains("absent")) return read_proof(answer);
  if (!answer.contains("proof"))
    return fail(errc::missing_key, "absent gives proofs of ids and fields alone: name some",
                "proof");
  auto bundle = read_proof(answer["proof"]);
  if (!bundle) return bundle;
  if (auto ok = check_claims(answer, *bundle); !ok) return propagate(ok);
  return bundle;
}

std::vector<std::string> proven_items(const proof_bundle& bundle) {
  std::vector<std::string> all;
  all.reserve(bundle.states.size() + bundle.entries.size());
  for (const auto& item : bundle.states)
    all.push_back(
        fmt::format("{} is {}", name_of(item), item.proof.value_hash ? "present" : "absent"));
  for (const auto& entry : bundle.entries)
    all.push_back(fmt::format("entry {} is in the journal", entry.seq.value));
  return all;
}

} // namespace mneme::protocol
