#pragma once
/// Stands between a client and a server on a unix socket, and can lose an answer: what the client
/// sent arrives and is done, and instead of the answer the connection ends.

#include <atomic>
#include <string>
#include <thread>

namespace mneme::testing {

class answer_thief {
public:
  /// Listens in a directory of its own for who would go to the server's socket in `server`.
  explicit answer_thief(std::string server);
  ~answer_thief();
  answer_thief(const answer_thief&) = delete;
  answer_thief& operator=(const answer_thief&) = delete;

  /// The directory that a client is given.
  [[nodiscard]] const std::string& directory() const { return directory_; }
  /// The next so many answers are lost.
  void steal(int answers) { to_steal_ = answers; }
  [[nodiscard]] int left() const { return to_steal_; }

private:
  void serve();
  /// Until one of the two ends, or an answer was lost.
  void pass_on(int client, int server);

  std::string server_;
  std::string directory_;
  int listener_ = -1;
  int stop_[2] = {-1, -1};
  std::atomic<int> to_steal_ = 0;
  std::thread thread_;
};

} // namespace mneme::testing
