#pragma once
/// What every log must do, as rules that are checked over any implementation of the seam.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "journal/log/log_store.hpp"

namespace mneme::testing {

/// Where logs of one implementation live. A fresh one for each rule.
class log_site {
public:
  virtual ~log_site() = default;
  /// A connection of its own to the same log.
  virtual std::shared_ptr<log_store> connect() = 0;
  /// Lets so much of the log's time pass.
  virtual void pass(std::chrono::milliseconds time) = 0;
  /// Whether these bytes are anywhere in what the log keeps.
  virtual bool holds(const std::string& bytes) = 0;
};

struct log_rule {
  std::string says;
  void (*check)(log_site& site);
};
const std::vector<log_rule>& log_rules();

/// What follows `tail`: one frame with an entry for each payload, or a seal without any.
log_frame frame_behind(const log_tail& tail, const std::vector<std::string>& payloads);

} // namespace mneme::testing
