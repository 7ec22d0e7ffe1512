#pragma once
/// A memory is named by its id or by a uri, wherever a request names one that is there: what wants
/// a uri takes `id`, or an id as `uri`, too, and means the version that is current then.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "messages/validate/fault_list.hpp"
#include "mneme/engine.hpp"
#include "tools/protocol/json_path.hpp"
#include "tools/protocol/json_text.hpp"

namespace mneme::protocol {

/// Does the request, or one in a list of it, want a uri and give an id?
bool names_by_id(const json& request);
/// What is wrong with a uri that stands for an `id` of the request is said at that.
error named_as_asked(error e, const json& request, const json_path& at);
/// The id of an id or of a uri.
result<memory_id> id_named(std::string_view text);

/// Puts a uri in place of every such id, as who acts sees it: not_found and erased as get answers.
/// What an earlier item brings is named by its id, too.
class name_resolver {
public:
  /// Borrows the engine.
  name_resolver(engine& target, std::optional<std::string> in_sight_of)
      : target_(target), in_sight_of_(std::move(in_sight_of)) {}

  /// One request, or all items of a batch in their order, whatever their shape. What names nothing
  /// is noted at `uri`, and stands there.
  void resolve(json& request, const json_path& at, fault_list& faults);
  /// Takes note of the id that a request gives to what it brings.
  void note_made(const json& request);

private:
  void resolve_one(json& request, const json_path& at, fault_list& faults);
  /// Of one that names a memory in any way: its actor sees it.
  void check_seen(const json& request, const json_path& at, fault_list& faults);
  result<std::string> uri_of(const memory_id& id, const json& request);
  result<std::string> uri_named(const std::string& name, const json& request);

  engine& target_;
  std::optional<std::string> in_sight_of_;
  std::map<memory_id, memory_type> made_;
};

} // namespace mneme::protocol
