#pragma once
/// Topics that importers make of what they read: written once, and revised where the source says
/// something else than at the last import, so that the values of a field are its history.

#include <string>
#include <vector>

#include "tools/import/import_sink.hpp"

namespace mneme::importing {

struct topic_source {
  memory_id id;
  std::string actor;
  std::string title;
  std::string summary;
  std::string kind;
  std::vector<field_input> fields;  ///< each name once
  std::vector<memory_id> part_of{}; ///< topics that it is a part of
  bool is_overview = false;         ///< tells of the import alone: overview_tag when it is made
};

/// Sets a field that is valid from `since` (absent: now).
void add_field(topic_source& topic, std::string name, json_value value,
               std::optional<topic_field_type> type = {}, std::optional<timestamp> since = {});
void add_field(topic_source& topic, std::string name, const std::vector<std::string>& texts,
               std::optional<timestamp> since = {});

/// A field is revised if the source says something else than the last import did: what was revised
/// here in between stays until then. A tombstoned topic stays away.
result<void> put_topic(engine& target, import_sink& sink, import_report& report, topic_source topic,
                       const std::string& where);

} // namespace mneme::importing
