#include "tools/server/mcp/mcp_stdio.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include <nlohmann/json.hpp>

namespace mneme::server {

namespace {

class stdio_session {
public:
  stdio_session(mcp_server& server, door& to, const client& who,
                const std::function<bool(const std::string&)>& write_line,
                const std::function<void()>& stop_waiting)
      : server_(server),
        to_(to),
        who_(who),
        write_line_(write_line),
        stop_waiting_(stop_waiting),
        worker_([this] { work(); }) {}

  ~stdio_session() {
    {
      const std::scoped_lock lock(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
    worker_.join();
    stop_waiting_();
    if (teller_.joinable()) teller_.join();
  }

  /// False when nobody reads the output any more.
  bool take(const std::string& line) {
    auto message = protocol::parse_json(line);
    if (!message)
      return send(rpc_error(id_of_unread(line), rpc_code::parse_error, message.error().message));
    switch (kind_of(*message)) {
    case rpc_kind::request:
      return request(std::move(*message));
    case rpc_kind::notification:
      if ((*message)["method"] == "notifications/cancelled") cancel(*message);
      return true;
    case rpc_kind::response:
      return true; // this server asks nothing
    case rpc_kind::invalid:
      return send(
          rpc_error(id_of(*message), rpc_code::invalid_request, "not a message of JSON-RPC 2.0"));
    }
    return true;
  }

  bool send(const json& message) {
    const std::scoped_lock lock(writing_);
    return write_line_(protocol::print(message));
  }

private:
  bool request(json message) {
    const auto method = message["method"].get<std::string>();
    if (method == "ping") return send(rpc_result(message["id"], json::object()));
    if (method != "initialize" && !initialized_)
      return send(rpc_error(message["id"], rpc_code::invalid_request, "initialize comes first"));
    initialized_ = true;
    const std::scoped_lock lock(mutex_);
    waiting_.push_back(std::move(message));
    changed_.notify_all();
    return true;
  }

  /// What waits is dropped; what runs is finished, but not answered.
  void cancel(const json& message) {
    const json params = message.value("params", json::object());
    if (!params.is_object() || !params.contains("requestId")) return;
    const std::scoped_lock lock(mutex_);
    const json& id = params["requestId"];
    std::erase_if(waiting_,
                  [&](const json& m) { return m["id"] == id && m["method"] != "initialize"; });
    if (running_ == id) is_cancelled_ = true;
  }

  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return ended_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      const json message = std::move(waiting_.front());
      waiting_.pop_front();
      running_ = message["id"];
      is_cancelled_ = false;
      lock.unlock();
      const json answer =
          server_.handle(who_, message, [&](const json& note) { send(note); }, &feed_);
      lock.lock();
      const bool is_wanted = !is_cancelled_;
      running_ = nullptr;
      lock.unlock();
      if (is_wanted) send(answer);
      if (feed_.has_begun() && !teller_.joinable()) teller_ = std::thread([this] { tell(); });
      lock.lock();
    }
  }

  /// Tells of changes as they come, in a thread of its own.
  void tell() {
    constexpr std::int64_t wait_ms = 10'000;
    constexpr std::chrono::milliseconds between_tries{100}; // where it was refused, say
    for (;;) {
      const auto notes = feed_.poll(to_, who_, wait_ms);
      for (const json& note : notes) send(note);
      if (!feed_.has_begun()) feed_.begin(to_, who_); // it rested for longer than is kept
      std::unique_lock lock(mutex_);
      if (notes.empty()) changed_.wait_for(lock, between_tries, [&] { return ended_; });
      if (ended_) return;
    }
  }

  mcp_server& server_;
  door& to_;
  const client& who_;
  const std::function<bool(const std::string&)>& write_line_;
  const std::function<void()>& stop_waiting_;
  resource_feed feed_;
  std::thread teller_; ///< of the worker, until that has ended
  std::mutex writing_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<json> waiting_;
  json running_; ///< id of the request under way, or null
  bool is_cancelled_ = false;
  bool ended_ = false;
  bool initialized_ = false; ///< of the reading thread
  std::thread worker_;       ///< last: it uses all of the above
};

bool is_blank(const std::string& line) {
  return line.find_first_not_of(" \t\r") == std::string::npos;
}

} // namespace

void serve_stdio(mcp_server& server, door& to, const client& who, line_input& input,
                 const std::function<bool(const std::string&)>& write_line,
                 const std::function<void()>& stop_waiting) {
  stdio_session session(server, to, who, write_line, stop_waiting);
  std::string line;
  for (;;) {
    const auto got = input.next(line);
    if (got == line_input::outcome::end) return;
    bool is_heard = true;
    if (got == line_input::outcome::too_long)
      is_heard = session.send(rpc_error(id_of_ends(line, input.tail()), rpc_code::parse_error,
                                        "the line is too long: it has more than 16 MiB"));
    else if (!is_blank(line))
      is_heard = session.take(line);
    if (!is_heard) return;
  }
}

} // namespace mneme::server
