#include "tools/server/access/permission.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/protocol/json_path.hpp"
#include "tools/protocol/op_table.hpp"

namespace mneme::server {

namespace {

using protocol::is_given;
using protocol::json_path;

enum class effect : std::uint8_t {
  reads,   ///< changes nothing
  touches, ///< a read that reinforces unless told not to
  writes,
  host, ///< of the world as a whole: not for an actor's key
};

struct op_effect {
  std::string_view op;
  effect does{};
};

/// Every op that is not of the host alone. A new op is the host's until it stands here.
constexpr std::array effects = {
    op_effect{"get", effect::reads},
    op_effect{"resolve", effect::reads},
    op_effect{"get_edge", effect::reads},
    op_effect{"edges", effect::reads},
    op_effect{"list", effect::reads},
    op_effect{"history", effect::reads},
    op_effect{"changes", effect::reads},
    op_effect{"namespaces", effect::reads},
    op_effect{"actors", effect::reads},
    op_effect{"stale_of", effect::reads},
    op_effect{"find", effect::reads},
    op_effect{"find_many", effect::reads},
    op_effect{"context", effect::reads},
    op_effect{"load_compact", effect::reads},
    op_effect{"search", effect::reads},
    op_effect{"search_many", effect::reads},
    op_effect{"point", effect::reads},
    op_effect{"suggest_hashtags", effect::reads},
    op_effect{"tags", effect::reads},
    op_effect{"weights", effect::reads},
    op_effect{"root", effect::reads},
    op_effect{"absent", effect::reads},
    op_effect{"replay_receipt", effect::reads},
    op_effect{"prove", effect::reads},
    op_effect{"tick", effect::reads},
    op_effect{"retrieve", effect::touches},
    op_effect{"retrieve_many", effect::reads},
    op_effect{"chroma", effect::touches},
    op_effect{"chroma_many", effect::reads},
    op_effect{"write", effect::writes},
    op_effect{"put", effect::writes},
    op_effect{"delete_by", effect::writes},
    op_effect{"update", effect::writes},
    op_effect{"update_head", effect::writes},
    op_effect{"tombstone", effect::writes},
    op_effect{"restore", effect::writes},
    op_effect{"add_edge", effect::writes},
    op_effect{"remove_edge", effect::writes},
    op_effect{"assign_tag", effect::writes},
    op_effect{"ingest", effect::writes},
    op_effect{"unarchive", effect::writes},
    op_effect{"batch", effect::writes},
    op_effect{"compact", effect::writes},
    op_effect{"attest", effect::writes},
    op_effect{"promote", effect::writes},
    op_effect{"forget_matching", effect::writes},
    op_effect{"supersede_matching", effect::writes},
};
/// Ops of the host that change nothing.
constexpr std::array<std::string_view, 3> host_reads = {"journal", "stats", "verify"};
/// What has no scope and shows nothing of any memory.
constexpr std::array<std::string_view, 5> unscoped = {"root", "point", "suggest_hashtags", "tags",
                                                      "weights"};
/// Keys that hold a list of requests. The items of find_many and its like are of the op without
/// "_many"; those of batch and tick name theirs.
constexpr std::array<std::string_view, 3> list_keys = {"items", "reads", "writes"};
/// Keys that say who acted.
constexpr std::array<std::string_view, 3> acting_keys = {"actor", "created_by", "by"};

effect effect_of(std::string_view op) {
  const auto found = std::ranges::find(effects, op, &op_effect::op);
  return found == effects.end() ? effect::host : found->does;
}

bool has_key(const protocol::op_spec& op, std::string_view key) {
  return std::ranges::find(op.keys, key, &protocol::key_shape::name) != op.keys.end();
}

/// What refused a request, if anything did.
class narrowing {
public:
  explicit narrowing(const client& who) : who_(who) {}

  void request(json& r, std::string_view op_of_list, const json_path& at) {
    if (refusal_ || !r.is_object()) return;
    std::string name(op_of_list);
    if (is_given(r, "op")) {
      if (!r["op"].is_string()) return;
      name = r["op"].get<std::string>();
    }
    const auto* op = protocol::find_op(name);
    if (op == nullptr) return;
    check_effect(r, *op, at);
    check_actor(r, *op, at);
    check_scope(r, *op, at);
    lists(r, *op, at);
    if (name == "replay_receipt") replayed(r, at);
  }

  std::optional<answer> refusal() { return std::move(refusal_); }

private:
  void refuse(int status, std::string_view code, const std::string& message, const json_path& at) {
    if (!refusal_) refusal_ = refused(status, code, message, at.text());
  }
  void forbid(const std::string& message, const json_path& at) {
    refuse(403, "forbidden", message, at);
  }

  void check_effect(json& r, const protocol::op_spec& op, const json_path& at) {
    const effect does = effect_of(op.name);
    if (does == effect::host && !who_.is_host())
      return forbid(fmt::format("\"{}\" is for a key of the host", op.name), at.key("op"));
    if (!who_.read_only) return;
    // To look into branches they are opened, which writes there.
    const bool has_dry_run =
        (does == effect::writes && has_key(op, "dry_run")) || op.name == "trim"
        || (op.name == "erase" && !(is_given(r, "with_branches") && r["with_branches"] == true));
    const bool is_only_shown = has_dry_run && is_given(r, "dry_run") && r["dry_run"] == true;
    const bool reads_all = std::ranges::find(host_reads, op.name) != host_reads.end()
                           || does == effect::reads || is_only_shown;
    if (!reads_all && does != effect::touches)
      return refuse(403, "read_only", "this key may only read", at.key("op"));
    if (op.name == "find" && is_given(r, "late_binding") && r["late_binding"] == true)
      return refuse(403, "read_only", "a late-binding find writes; this key may only read",
                    at.key("late_binding"));
    if (does != effect::touches) return;
    if (is_given(r, "touch") && r["touch"] == true)
      return refuse(403, "read_only", "touch writes; this key may only read", at.key("touch"));
    if (!is_given(r, "touch") || r["touch"].is_boolean()) r["touch"] = false;
  }

  void check_actor(json& r, const protocol::op_spec& op, const json_path& at) {
    if (who_.is_host()) return;
    for (const auto key : acting_keys)
      if (is_given(r, key) && r[std::string(key)].is_string() && r[std::string(key)] != who_.actor)
        return refuse(403, "actor_mismatch", fmt::format("this key is of \"{}\"", who_.actor),
                      at.key(key));
    // What is no text is the engine's to refuse.
    if (has_key(op, "actor") && (!is_given(r, "actor") || r["actor"].is_string()))
      r["actor"] = who_.actor;
    if (op.name == "prove" && is_given(r, "seqs"))
      forbid("proofs of journal entries are for a key of the host", at.key("seqs"));
  }

  void check_scope(json& r, const protocol::op_spec& op, const json_path& at) {
    if (who_.scope.empty()) return;
    const bool is_list = std::ranges::any_of(
        list_keys, [&](auto key) { return has_key(op, key) && !has_key(op, "scope"); });
    if (is_list || std::ranges::find(unscoped, op.name) != unscoped.end()) return;
    if (!has_key(op, "scope"))
      return forbid(fmt::format("\"{}\" takes no scope, and this key has one", op.name),
                    at.key("op"));
    if (is_given(r, "scope")) return forbid("this key has a scope of its own", at.key("scope"));
    if (!in_batch_) r["scope"] = json::parse(who_.scope);
  }

  void lists(json& r, const protocol::op_spec& op, const json_path& at) {
    constexpr std::string_view many = "_many";
    const auto one = op.name.ends_with(many) ? op.name.substr(0, op.name.size() - many.size()) : "";
    const bool is_whole = at.text().empty(); // a batch stands in no list
    in_batch_ = op.name == "batch" && is_whole;
    for (const auto key : list_keys) {
      if (!has_key(op, key) || !is_given(r, key) || !r[std::string(key)].is_array()) continue;
      json& items = r[std::string(key)];
      for (std::size_t i = 0; i < items.size(); ++i) request(items[i], one, at.key(key).item(i));
    }
    in_batch_ = false;
  }

  /// What a receipt says was asked is asked again as it is: this key must be allowed to, in just
  /// these words, which its hash covers.
  void replayed(const json& r, const json_path& at) {
    if (refusal_ || !is_given(r, "receipt") || !r["receipt"].is_object()) return;
    const json& receipt = r["receipt"];
    if (!is_given(receipt, "op") || !receipt["op"].is_string() || !is_given(receipt, "request")
        || !receipt["request"].is_object())
      return;
    const auto inside = at.key("receipt");
    const auto in_request = inside.key("request");
    json asked = receipt["request"];
    if (asked.contains("op"))
      return forbid("an op stands beside the request", in_request.key("op"));
    request(asked, receipt["op"].get_ref<const std::string&>(), in_request);
    if (asked != receipt["request"]) forbid("the receipt is of what another key asked", in_request);
  }

  const client& who_;
  bool in_batch_ = false; ///< the scope of a batch stands beside its items
  std::optional<answer> refusal_;
};

} // namespace

bool is_read(std::string_view op) {
  constexpr std::string_view many = "_many";
  if (op == "tick") return false;
  if (op.ends_with(many)) op.remove_suffix(many.size());
  return effect_of(op) == effect::reads || std::ranges::find(host_reads, op) != host_reads.end();
}

std::optional<answer> narrow(json& request, std::string_view op, const client& who) {
  if (who.is_host() && !who.read_only && who.scope.empty()) return std::nullopt;
  narrowing all(who);
  all.request(request, op, json_path{});
  return all.refusal();
}

std::optional<std::string> sight_of(const client& who) {
  if (who.is_host() || !who.scope.empty()) return std::nullopt;
  return who.actor;
}

void withhold(json& answer, const client& who) {
  if (who.is_host()) return;
  const auto take_out = [](json& of) {
    if (!of.is_object()) return;
    for (const char* key : {"candidates_scanned", "plan"}) of.erase(key);
  };
  take_out(answer);
  for (const char* list : {"results", "reads"}) // of find_many and its like, and of a tick
    if (is_given(answer, list) && answer[list].is_array())
      for (auto& item : answer[list]) take_out(item);
}

} // namespace mneme::server
