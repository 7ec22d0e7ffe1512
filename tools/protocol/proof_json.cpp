#include "tools/protocol/proof_json.hpp"

#include <array>

#include <nlohmann/json.hpp>

#include "messages/text/hex.hpp"
#include "tools/protocol/answer_json.hpp"
#include "tools/protocol/base64.hpp"
#include "tools/protocol/memory_name.hpp"
#include "tools/protocol/scope_json.hpp"
#include "tools/protocol/value_reader.hpp"

namespace mneme::protocol {

namespace {

constexpr std::array edge_key_table = {key_shape{"src", &shapes::text, true},
                                       key_shape{"type", &shapes::text, true},
                                       key_shape{"dst", &shapes::text, true}};
constexpr shape edge_key_shape{.kind = shape_kind::object, .keys = edge_key_table};
constexpr shape edge_list{
    .kind = shape_kind::list, .name = "[{src, type, dst}…]", .item = &edge_key_shape};
constexpr std::array field_key_table = {key_shape{"topic", &shapes::text, true},
                                        key_shape{"name", &shapes::text, true}};
constexpr shape field_key_shape{.kind = shape_kind::object, .keys = field_key_table};
constexpr shape field_list{
    .kind = shape_kind::list, .name = "[{topic, name}…]", .item = &field_key_shape};
constexpr shape seq_list{.kind = shape_kind::list, .name = "[integer…]", .item = &shapes::integer};
constexpr std::array prove_table = {
    key_shape{"ids", &shapes::texts},          key_shape{"edges", &edge_list},
    key_shape{"fields", &field_list},          key_shape{"seqs", &seq_list},
    key_shape{"root", &shapes::text},          key_shape{"actor", &shapes::text},
    key_shape{"scope", &shapes::scope},        key_shape{"at_least", &shapes::integer},
    key_shape{"deadline_ms", &shapes::integer}};

constexpr std::array state_root_table = {key_shape{"edges", &shapes::text, true},
                                         key_shape{"fields", &shapes::text, true},
                                         key_shape{"memories", &shapes::text, true}};
constexpr shape state_roots_shape{.kind = shape_kind::object, .keys = state_root_table};
constexpr std::array other_leaf_table = {key_shape{"path", &shapes::text, true},
                                         key_shape{"value_hash", &shapes::text, true}};
constexpr shape other_leaf_shape{.kind = shape_kind::object, .keys = other_leaf_table};
constexpr std::array state_proof_table = {
    key_shape{"namespace", &shapes::text, true}, key_shape{"key", &shapes::text, true},
    key_shape{"path", &shapes::text, true},      key_shape{"present", &shapes::boolean, true},
    key_shape{"value_hash", &shapes::text},      key_shape{"siblings", &shapes::texts, true},
    key_shape{"other_leaf", &other_leaf_shape}};
constexpr std::array entry_proof_table = {
    key_shape{"namespace", &shapes::text, true}, key_shape{"seq", &shapes::integer, true},
    key_shape{"header", &shapes::text, true}, key_shape{"siblings", &shapes::texts, true}};

constexpr std::string_view journal_namespace = "journal";

bool is_entry_proof(const json& proof) {
  return proof.is_object() && proof.value("namespace", json()) == journal_namespace;
}

result<void> check_proof(const json& value, const json&, const json_path& at) {
  if (!value.is_object()) return wrong_type("an object", value, at);
  if (is_entry_proof(value)) return check_members(value, entry_proof_table, false, at);
  return check_members(value, state_proof_table, false, at);
}

constexpr shape proof_shape{
    .kind = shape_kind::custom, .check = check_proof, .json_schema = R"({"type":"object"})"};
constexpr shape proofs_shape{.kind = shape_kind::list, .item = &proof_shape};
/// Of a world on a log, beside every answer: nothing that is proven.
constexpr shape position_shape{
    .kind = shape_kind::custom,
    .check = [](const json&, const json&, const json_path&) { return result<void>(); },
    .json_schema = R"({"type":"object"})"};
constexpr std::array bundle_table = {key_shape{"ok", &shapes::boolean},
                                     key_shape{"root", &shapes::text, true},
                                     key_shape{"seq", &shapes::integer, true},
                                     key_shape{"world_id", &shapes::text, true},
                                     key_shape{"journal_root", &shapes::text, true},
                                     key_shape{"state_roots", &state_roots_shape, true},
                                     key_shape{"proofs", &proofs_shape, true},
                                     key_shape{"log_position", &position_shape}};

std::optional<std::string> bytes_of_hex(std::string_view text) {
  const auto value = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
  };
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = value(text[i]);
    const int low = value(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes.push_back(static_cast<char>(high * 16 + low));
  }
  return bytes;
}

json hashes_json(const std::vector<digest>& hashes) {
  json list = json::array();
  for (const auto& hash : hashes) list.push_back(to_hex(hash));
  return list;
}

std::vector<digest> read_hashes(value_reader& in, std::string_view key) {
  std::vector<digest> hashes;
  in.items(key, [&](const json& item, const json_path& at) {
    auto hash = parse_digest(item.get_ref<const std::string&>());
    if (hash)
      hashes.push_back(*hash);
    else
      in.fail_at(at, hash.error().code, hash.error().message);
  });
  return hashes;
}

entry_proof read_entry_proof(value_reader& in) {
  return {.seq = in.seq("seq").value_or(seq_no{}),
          .header = in.bytes("header").value_or(""),
          .siblings = read_hashes(in, "siblings")};
}

state_proof read_state_proof(value_reader& in) {
  state_proof p;
  const auto ns = parse_state_namespace(in.text_or("namespace", ""));
  if (!ns) in.fail_key("namespace", errc::bad_value, "edges, fields, memories or journal");
  p.ns = ns.value_or(state_namespace::memories);
  const auto key = bytes_of_hex(in.text_or("key", ""));
  if (!key) in.fail_key("key", errc::bad_value, "a key is written as lower-case hex");
  p.key = key.value_or("");
  p.proof.path = in.hash("path").value_or(digest{});
  p.proof.value_hash = in.hash("value_hash");
  if (p.proof.value_hash.has_value() != in.flag("present"))
    in.fail_key("present", errc::bad_value, "present says whether there is a value_hash");
  p.proof.siblings = read_hashes(in, "siblings");
  in.object("other_leaf", [&](value_reader& leaf) {
    p.proof.other = tree_leaf{.path = leaf.hash("path").value_or(digest{}),
                              .value_hash = leaf.hash("value_hash").value_or(digest{})};
  });
  return p;
}

json state_proof_json(const state_proof& state) {
  const tree_proof& p = state.proof;
  json item{{"namespace", to_string(state.ns)},
            {"key", hex_of(state.key)},
            {"path", to_hex(p.path)},
            {"present", p.value_hash.has_value()}};
  if (p.value_hash) item["value_hash"] = to_hex(*p.value_hash);
  item["siblings"] = hashes_json(p.siblings);
  if (p.other)
    item["other_leaf"] = {{"path", to_hex(p.other->path)},
                          {"value_hash", to_hex(p.other->value_hash)}};
  return item;
}

json entry_proof_json(const entry_proof& entry) {
  return {{"namespace", journal_namespace},
          {"seq", entry.seq.value},
          {"header", to_base64(entry.header)},
          {"siblings", hashes_json(entry.siblings)}};
}

/// A proof has one spelling, so that nobody can change a byte of it unnoticed: no upper case, no
/// null, nothing that is read as something else. Only the order of keys is free.
result<void> check_spelling(const json& given, const json& plain, const json_path& at) {
  if (nlohmann::json(given) == nlohmann::json(plain)) return {};
  return fail(errc::bad_value, "it is not spelled as prove spells it", at.text());
}

} // namespace

std::span<const key_shape> prove_keys() noexcept {
  return prove_table;
}

result<prove_request> read_prove(const json& request, const json_path& at) {
  fault_list faults;
  value_reader in(request, at, faults);
  prove_request r;
  if (!in.find("ids") && !in.find("edges") && !in.find("fields") && !in.find("seqs"))
    return fail(errc::missing_key, "give ids, edges, fields or seqs to prove",
                at.key("ids").text());
  in.items("ids", [&](const json& item, const json_path& here) {
    auto id = id_named(item.get_ref<const std::string&>());
    if (id)
      r.ids.push_back(*id);
    else
      in.fail_at(here, id.error().code, id.error().message);
  });
  in.items("edges", [&](const json& item, const json_path& here) {
    value_reader edge(item, here, faults);
    const auto type = static_cast<edge_type>(edge.edge_type_byte("type"));
    r.edges.push_back({.src = edge.id_or_uri("src").value_or(memory_id{}),
                       .type = type,
                       .dst = edge.id_or_uri("dst").value_or(memory_id{})});
  });
  in.items("fields", [&](const json& item, const json_path& here) {
    value_reader field(item, here, faults);
    r.fields.emplace_back(field.id_or_uri("topic").value_or(memory_id{}),
                          field.text_or("name", ""));
  });
  in.items("seqs", [&](const json& item, const json_path& here) {
    const auto seq = item.get<std::int64_t>();
    if (seq < 1) in.fail_at(here, errc::out_of_range, "the first entry is 1");
    r.seqs.push_back({static_cast<std::uint64_t>(seq)});
  });
  r.root = in.hash("root");
  r.actor = in.text("actor");
  r.scope = read_scope(in);
  r.deadline_ms = in.integer("deadline_ms");
  return finish(faults, std::move(r));
}

json proof_json(const proof_bundle& bundle) {
  json answer = roots_json(bundle.roots);
  json proofs = json::array();
  for (const auto& state : bundle.states) proofs.push_back(state_proof_json(state));
  for (const auto& entry : bundle.entries) proofs.push_back(entry_proof_json(entry));
  answer["proofs"] = std::move(proofs);
  return answer;
}

result<proof_bundle> read_proof(const json& answer) {
  const json_path document;
  if (!answer.is_object()) return wrong_type("an answer of prove", answer, document);
  if (auto ok = check_members(answer, bundle_table, false, document); !ok) return propagate(ok);
  fault_list faults;
  value_reader in(answer, document, faults);
  proof_bundle bundle;
  bundle.roots.overall = in.hash("root").value_or(digest{});
  bundle.roots.seq = in.seq("seq").value_or(seq_no{});
  bundle.roots.journal_root = in.hash("journal_root").value_or(digest{});
  const auto world = bytes_of_hex(in.text_or("world_id", ""));
  if (!world || world->size() != bundle.roots.world.bytes.size())
    in.fail_key("world_id", errc::bad_value, "a world id is written as 32 hex digits");
  else
    std::copy(world->begin(), world->end(), bundle.roots.world.bytes.begin());
  in.object("state_roots", [&](value_reader& roots) {
    for (std::size_t i = 0; i < bundle.roots.state_roots.size(); ++i)
      bundle.roots.state_roots[i] =
          roots.hash(to_string(static_cast<state_namespace>(i))).value_or(digest{});
  });
  in.items("proofs", [&](const json& item, const json_path& at) {
    value_reader proof(item, at, faults);
    json plain;
    if (is_entry_proof(item)) {
      bundle.entries.push_back(read_entry_proof(proof));
      plain = entry_proof_json(bundle.entries.back());
    } else {
      bundle.states.push_back(read_state_proof(proof));
      plain = state_proof_json(bundle.states.back());
    }
    if (auto ok = check_spelling(item, plain, at); !ok) faults.add(std::move(ok.error()));
  });
  if (faults) return faults.refusal();
  if (const auto ok = answer.find("ok"); ok != answer.end() && *ok != true)
    return fail(errc::bad_value, "it is no answer of prove", "ok");
  json rest = json::object();
  for (const auto& [key, value] : answer.get_ref<const json::object_t&>())
    if (key != "proofs" && key != "ok" && key != "log_position") rest[key] = value;
  if (auto ok = check_spelling(rest, roots_json(bundle.roots), document); !ok) return propagate(ok);
  return bundle;
}

result<void> verify_proofs(const proof_bundle& bundle) {
  if (auto ok = verify(bundle); !ok) return ok;
  if (bundle.states.empty() && bundle.entries.empty())
    return fail(errc::proof_mismatch, "there are no proofs: nothing is proven", "proofs");
  return {};
}

} // namespace mneme::protocol
