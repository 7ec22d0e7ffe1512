#include "tools/server/mcp/resource_feed.hpp"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "mneme/types.hpp"
#include "tools/protocol/shape.hpp"
#include "tools/server/mcp/mcp_message.hpp"
#include "tools/server/mcp/mcp_server.hpp"

namespace mneme::server {

namespace {

/// Changes that show in the list of resources: a memory comes or goes, or its newest version does.
constexpr std::array<std::string_view, 9> listed_kinds = {"written",  "updated", "tombstoned",
                                                          "restored", "erased",  "archived",
                                                          "merged",   "hidden",  "unarchived"};

/// The memory that a uri of a resource names; empty: none.
std::string id_in(const std::string& uri) {
  constexpr std::string_view newest = "mneme://memory/";
  if (uri.starts_with(newest)) return uri.substr(newest.size());
  const auto parsed = parse_memory_uri(unescaped_uri(uri));
  return parsed ? to_string(parsed->id) : std::string();
}

} // namespace

void resource_feed::begin(door& to, const client& who) {
  if (has_begun()) return;
  const answer now = to.run(who, "changes", {{"limit", 1}});
  const std::scoped_lock lock(guard_);
  if (is_ok(now) && !since_) since_ = now.body["next"].get<std::uint64_t>();
}

bool resource_feed::has_begun() const {
  const std::scoped_lock lock(guard_);
  return since_.has_value();
}

bool resource_feed::subscribe(const std::string& uri) {
  const std::scoped_lock lock(guard_);
  if (uris_.size() >= most_uris && !uris_.contains(uri)) return false;
  uris_.insert(uri);
  return true;
}

void resource_feed::unsubscribe(const std::string& uri) {
  const std::scoped_lock lock(guard_);
  uris_.erase(uri);
}

std::vector<json> resource_feed::poll(door& to, const client& who, std::int64_t wait_ms) {
  std::uint64_t since = 0;
  {
    const std::scoped_lock lock(guard_);
    if (!since_) return {};
    since = *since_;
  }
  constexpr int most = 1'000;
  const answer page =
      to.run(who, "changes", {{"since", since}, {"limit", most}, {"wait_ms", wait_ms}});
  const std::scoped_lock lock(guard_);
  if (is_ok(page)) {
    since_ = page.body["next"].get<std::uint64_t>();
    return notes_of(page.body["changes"]);
  }
  // It rested for longer than is kept: whatever it knows may have changed.
  if (page.body["error"]["code"] != "seq_unavailable") return {};
  since_.reset();
  return {rpc_notification("notifications/resources/list_changed", json::object())};
}

std::vector<json> resource_feed::notes_of(const json& changes) const {
  std::set<std::string> ids;
  bool lists_differ = false;
  for (const auto& c : changes) {
    if (protocol::is_given(c, "id")) ids.insert(c["id"].get<std::string>());
    lists_differ =
        lists_differ
        || std::ranges::find(listed_kinds, c["kind"].get<std::string_view>()) != listed_kinds.end();
  }
  std::vector<json> notes;
  for (const auto& uri : uris_) {
    const bool is_of_all = uri == context_uri || uri == root_uri || uri == knowledge_graph_uri;
    if (is_of_all ? !changes.empty() : ids.contains(id_in(uri)))
      notes.push_back(rpc_notification("notifications/resources/updated", {{"uri", uri}}));
  }
  if (lists_differ)
    notes.push_back(rpc_notification("notifications/resources/list_changed", json::object()));
  return notes;
}

} // namespace mneme::server
