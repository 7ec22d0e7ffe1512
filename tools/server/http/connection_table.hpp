#pragma once
/// The open connections of a server: who may come in, and who has to go for it. Thread-safe.

#include <cstdint>
#include <list>
#include <mutex>

namespace mneme::server {

class connection_table {
public:
  struct entry {
    int socket = -1;
    bool is_awaited = true;  ///< for bytes of the client; else its request runs
    std::uint64_t since = 0; ///< the turn from which it is waited for
    bool was_evicted = false;
  };
  using handle = std::list<entry>::iterator;

  explicit connection_table(std::size_t most) : most_(most) {}

  /// The turn of a connection that was just accepted, for admit: threads start in any order, and
  /// one that came last is not to go first.
  std::uint64_t arrive();
  /// A full table breaks off the connection that has been waited for longest, be it this one. False
  /// for this one, where the table is full of running requests, or closing.
  bool admit(int socket, std::uint64_t arrived, handle& at);
  void remove(handle at);
  /// The client is to send its next bytes. False when the server is stopping.
  bool await(handle at);
  void run(handle at);
  /// No one is let in any more; who is waited for is broken off.
  void close();

  [[nodiscard]] bool is_closing();
  [[nodiscard]] bool was_evicted(handle at);

private:
  std::mutex mutex_;
  std::list<entry> entries_;
  std::size_t most_;
  std::size_t evicted_ = 0; ///< still in the list, soon gone
  std::uint64_t turn_ = 0;
  bool closing_ = false;
};

} // namespace mneme::server
