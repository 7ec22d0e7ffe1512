#include "tools/protocol/scope_json.hpp"
#include "tools/protocol/near_name.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/protocol/base64.hpp"

namespace mneme::protocol {

namespace {

constexpr std::array frame_keys = {key_shape{"verb", &shapes::text, true},
                                   key_shape{"refs", &shapes::texts}};
constexpr shape frame_shape{.kind = shape_kind::object, .name = "{verb, refs}", .keys = frame_keys};
constexpr std::array selector_keys = {
    key_shape{"types", &shapes::texts}, key_shape{"tags", &shapes::texts},
    key_shape{"ids", &shapes::texts}, key_shape{"frame", &frame_shape}};
constexpr shape selector_shape{
    .kind = shape_kind::object, .name = "{types, tags, ids, frame}", .keys = selector_keys};

/// As the op prove answers them; what is recomputed may be left out.
constexpr std::array proof_keys = {key_shape{"path", &shapes::text, true},
                                   key_shape{"value_hash", &shapes::text, true},
                                   key_shape{"siblings", &shapes::texts, true},
                                   key_shape{"namespace", &shapes::text},
                                   key_shape{"key", &shapes::text},
                                   key_shape{"present", &shapes::boolean}};
constexpr shape scope_proof_shape{.kind = shape_kind::object, .keys = proof_keys};
constexpr shape scope_proofs_shape{
    .kind = shape_kind::list, .name = "[proof…]", .item = &scope_proof_shape};

constexpr std::array scope_keys = {
    key_shape{"actor", &shapes::text, true},
    key_shape{"snapshot_root", &shapes::text, true},
    key_shape{"include", &selector_shape, true},
    key_shape{"expires_at", &shapes::time, true},
    key_shape{"budget_tokens", &shapes::integer, true},
    key_shape{"granted_by", &shapes::text, true},
    key_shape{"granted_to", &shapes::text, true},
    key_shape{"schema", &shapes::integer},
    key_shape{"exclude", &selector_shape},
    key_shape{"proofs", &scope_proofs_shape},
    key_shape{"writable", &shapes::boolean},
    key_shape{"signature", &shapes::text},
};

scope_selector read_selector(value_reader& in, std::string_view key) {
  scope_selector s;
  in.object(key, [&](value_reader& given) {
    given.items("types", [&](const json& item, const json_path& at) {
      const auto type = parse_enum<memory_type>(item.get_ref<const std::string&>());
      if (type)
        s.types.push_back(*type);
      else
        given.fail_at(at, errc::bad_value, not_a_memory_type(item.get_ref<const std::string&>()));
    });
    s.tags = given.texts("tags").value_or(std::vector<std::string>{});
    given.items("ids", [&](const json& item, const json_path& at) {
      auto id = parse_memory_id(item.get_ref<const std::string&>());
      if (id)
        s.ids.push_back(*id);
      else
        given.fail_at(at, id.error().code, id.error().message);
    });
    given.object("frame", [&](value_reader& frame) {
      s.frame = frame_selector{.action = frame.name<verb>("verb").value_or(verb::find),
                               .refs = frame.texts("refs").value_or(std::vector<std::string>{})};
    });
  });
  return s;
}

std::vector<tree_proof> read_tree_proofs(value_reader& in) {
  std::vector<tree_proof> proofs;
  in.items("proofs", [&](const json& item, const json_path& at) {
    value_reader p(item, at, in.faults());
    tree_proof proof{.path = p.hash("path").value_or(digest{}),
                     .value_hash = p.hash("value_hash").value_or(digest{}),
                     .other = {},
                     .siblings = {}};
    p.items("siblings", [&](const json& sibling, const json_path& where) {
      auto hash = parse_digest(sibling.get_ref<const std::string&>());
      if (hash)
        proof.siblings.push_back(*hash);
      else
        p.fail_at(where, hash.error().code, hash.error().message);
    });
    proofs.push_back(std::move(proof));
  });
  return proofs;
}

mneme::scope read_members(value_reader& in) {
  mneme::scope s;
  s.schema = in.integer("schema").value_or(scope_schema);
  s.actor = in.text_or("actor", "");
  s.snapshot_root = in.hash("snapshot_root").value_or(digest{});
  s.include = read_selector(in, "include");
  s.exclude = read_selector(in, "exclude");
  if (in.find("proofs") != nullptr) s.proofs = read_tree_proofs(in);
  s.expires_at = in.time("expires_at").value_or(timestamp{});
  s.budget_tokens = in.integer("budget_tokens").value_or(0);
  if (s.budget_tokens < 0)
    in.fail_key("budget_tokens", errc::out_of_range, "budget_tokens must not be negative");
  s.granted_by = in.text_or("granted_by", "");
  s.granted_to = in.text_or("granted_to", "");
  s.writable = in.flag("writable");
  if (const auto bytes = in.bytes("signature")) {
    if (bytes->size() == s.signature.size())
      std::copy(bytes->begin(), bytes->end(), s.signature.begin());
    else
      in.fail_key("signature", errc::bad_value, "a signature has 64 bytes, as base64");
  }
  return s;
}

json selector_json(const scope_selector& s) {
  json types = json::array();
  for (const auto type : s.types) types.push_back(to_string(type));
  json ids = json::array();
  for (const auto& id : s.ids) ids.push_back(to_string(id));
  json j{{"types", std::move(types)}, {"tags", s.tags}, {"ids", std::move(ids)}};
  if (s.frame) j["frame"] = {{"verb", to_string(s.frame->action)}, {"refs", s.frame->refs}};
  return j;
}

template <class Bytes>
std::string bytes_text(const Bytes& bytes) {
  return to_base64({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

} // namespace

constexpr shape shapes::scope{.kind = shape_kind::object, .name = "{scope}", .keys = scope_keys};

std::shared_ptr<const mneme::scope> read_scope(value_reader& in) {
  std::shared_ptr<const mneme::scope> found;
  in.object("scope", [&](value_reader& given) {
    found = std::make_shared<const mneme::scope>(read_members(given));
  });
  return found;
}

result<std::shared_ptr<const mneme::scope>> scope_of(const json& request, const json_path& at) {
  fault_list faults;
  value_reader in(request, at, faults);
  auto found = read_scope(in);
  return finish(faults, std::move(found));
}

result<mneme::scope> read_scope_document(const json& document) {
  const json_path at;
  if (!document.is_object()) return wrong_type("a scope", document, at);
  if (auto ok = check_members(document, scope_keys, false, at); !ok) return propagate(ok);
  fault_list faults;
  value_reader in(document, at, faults);
  mneme::scope s = read_members(in);
  return finish(faults, std::move(s));
}

json scope_json(const mneme::scope& s) {
  json j{{"schema", s.schema},
         {"actor", s.actor},
         {"snapshot_root", to_hex(s.snapshot_root)},
         {"include", selector_json(s.include)},
         {"exclude", selector_json(s.exclude)}};
  if (s.proofs) {
    json proofs = json::array();
    for (const auto& p : *s.proofs) {
      json siblings = json::array();
      for (const auto& sibling : p.siblings) siblings.push_back(to_hex(sibling));
      proofs.push_back({{"path", to_hex(p.path)},
                        {"value_hash", to_hex(p.value_hash.value_or(digest{}))},
                        {"siblings", std::move(siblings)}});
    }
    j["proofs"] = std::move(proofs);
  }
  j["expires_at"] = to_string(s.expires_at);
  j["budget_tokens"] = s.budget_tokens;
  j["granted_by"] = s.granted_by;
  j["granted_to"] = s.granted_to;
  j["writable"] = s.writable;
  j["signature"] = bytes_text(s.signature);
  return j;
}

result<ed25519_key> read_key(std::string_view text, const std::string& at) {
  auto bytes = from_base64(text);
  ed25519_key key{};
  if (!bytes || bytes->size() != key.size())
    return fail(errc::bad_value, "a key is 32 bytes as base64", at);
  std::copy(bytes->begin(), bytes->end(), key.begin());
  return key;
}

result<std::shared_ptr<key_resolver>> read_keys(const json& document) {
  const json_path at;
  if (!document.is_object()) return wrong_type("an object of agents and keys", document, at);
  std::map<std::string, ed25519_key, std::less<>> keys;
  for (const auto& [agent, text] : document.items()) {
    if (!text.is_string()) return wrong_type("base64 of a key", text, at.key(agent));
    auto key = read_key(text.get_ref<const std::string&>(), at.key(agent).text());
    if (!key) return propagate(key);
    keys.emplace(agent, *key);
  }
  return make_key_resolver(std::move(keys));
}

std::string key_text(const ed25519_key& key) {
  return bytes_text(key);
}

} // namespace mneme::protocol
