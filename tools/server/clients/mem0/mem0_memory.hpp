#pragma once
/// A memory as Mem0 has it, and as the engine keeps it: a Note put under a drawn key into the
/// namespace of its owners, with what Mem0 says beside the text as its payload.

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "tools/server/clients/engine_call.hpp"
#include "tools/server/clients/mem0/mem0_owners.hpp"

namespace mneme::server::mem0 {

struct mem0_memory {
  std::string id;
  std::string uri;
  std::int64_t version = 0;
  std::string text;
  mem0_owners owners;
  json metadata = nullptr;     ///< an object, or null
  std::string role;            ///< of the message that it was
  std::string name;            ///< of who said it; may be empty
  std::string timestamp;       ///< when it was, if the client said so
  std::string expiration_date; ///< its last day; may be empty
  std::string created_at;
  std::string updated_at;
  std::string hash;
};

/// Key in the engine's metadata that says: not all that is flat in Mem0's is there too.
inline constexpr std::string_view mem0_partial_key = "mem0:partial";
/// May it be there? A list or an object never is.
bool is_mem0_shown(std::string_view key, const json& value);

/// Of the engine's record; nothing: it is none of Mem0's.
std::optional<mem0_memory> read_mem0_memory(const json& record);
/// As clients get it.
json mem0_json(const mem0_memory& m);

/// Requests that write it: with a new key, or as the next version.
json mem0_put(const mem0_memory& m, const std::string& name_space, const std::string& key);
void add_mem0_update(json& items, const mem0_memory& m, bool metadata_changed);

/// The owners that a body or filter names, as user_id and its like.
outcome<mem0_owners> mem0_owners_in(const json& object);
/// What a body says of a memory beside its text, taken into `m`: metadata, timestamp,
/// expiration_date.
outcome<void> take_mem0_details(const json& body, mem0_memory& m);
/// The memories that the messages of a body become, one for each message that says something.
outcome<std::vector<mem0_memory>> mem0_messages(const json& body);

/// The past of a memory, the oldest event first, of the engine's `history`, newest first.
json mem0_history(const json& history, const mem0_owners& owners);

} // namespace mneme::server::mem0
