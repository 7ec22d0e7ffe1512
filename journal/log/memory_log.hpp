#pragma once
/// A log in memory, for tests and the simulator: one server, as many connections as are wanted.
/// Its clock stands until it is moved. Thread-safe.

#include <chrono>
#include <cstdint>
#include <memory>

#include "journal/log/log_store.hpp"

namespace mneme {

class memory_log_server {
public:
  struct state;

  memory_log_server();
  ~memory_log_server();
  memory_log_server(const memory_log_server&) = delete;
  memory_log_server& operator=(const memory_log_server&) = delete;

  /// Outlives the server object: it shares what that holds.
  std::shared_ptr<log_store> connect();

  /// Of leases.
  void pass(std::chrono::milliseconds time);
  /// What no log may do and a badly kept one does: back to its first `frames`, and to the epoch
  /// that the last of them was appended in. Precondition: it has so many.
  void roll_back(std::uint64_t frames);
  /// Somebody goes on to read what was there before: erasures keep it for him.
  void read_since_before(bool is_read);
  /// That the frame with this entry was appended in. Precondition: there is one.
  [[nodiscard]] log_epoch epoch_of(seq_no seq) const;
  /// Bytes of all payload blocks and blobs, to look for what must not be there.
  [[nodiscard]] std::string everything() const;

private:
  std::shared_ptr<state> state_;
};

} // namespace mneme
