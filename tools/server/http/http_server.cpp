#include "tools/server/http/http_server.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>

#include <fmt/format.h>
#include <httplib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "messages/text/lower_case.hpp"
#include "tools/server/http/connection_table.hpp"
#include "tools/server/http/http_connection.hpp"

namespace mneme::server {

namespace {

constexpr int backlog = 1024;
/// Threads beyond the connections: for those that are about to be turned away.
constexpr std::size_t spare_threads = 32;
/// So many times the longest body may be under way in all.
constexpr std::size_t bodies_at_once = 2;
/// Connections that wait for a thread: those that were broken off for others end at once, but not
/// in no time.
constexpr std::size_t most_waiting = 1024;
constexpr std::size_t large_answer = 1U << 20;

/// Set while a connection is to be turned away without a thread of its own.
thread_local bool is_overrun = false;
/// The turn of this thread's connection.
thread_local std::uint64_t arrived = 0;
/// The connection that httplib answers in this thread.
thread_local http_connection* under_way = nullptr;

/// A thread for each connection, up to a bound; beyond it a connection waits for the next one that
/// ends. Accepting never waits.
std::string not_bound(const std::string& host, int port, int cause) {
  if (cause == EADDRINUSE)
    return fmt::format(
        "another program listens on {} port {} already: end it, or name another port "
        "(--listen {}:0 takes any that is free)",
        host, port, host);
  return fmt::format("cannot listen on {} port {}{}{}", host, port, cause == 0 ? "" : ": ",
                     cause == 0 ? "" : std::generic_category().message(cause));
}

class connection_threads : public httplib::TaskQueue {
public:
  connection_threads(connection_table& table, std::size_t most) : table_(table), most_(most) {}

  void enqueue(std::function<void()> serve) override {
    accepted next{.serve = std::move(serve), .turn = table_.arrive()};
    {
      const std::scoped_lock lock(mutex_);
      if (running_ >= most_ && waiting_.size() < most_waiting)
        return waiting_.push_back(std::move(next));
      if (running_ < most_ && start(next)) return;
    }
    is_overrun = true;
    next.serve();
    is_overrun = false;
  }

  void shutdown() override {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [&] { return running_ == 0; });
  }

private:
  struct accepted {
    std::function<void()> serve;
    std::uint64_t turn = 0;
  };

  /// Under the lock.
  bool start(const accepted& first) {
    try {
      std::thread([this, first] { work(first); }).detach();
      ++running_;
      return true;
    } catch (const std::system_error&) { // no more threads
      return false;
    }
  }

  void work(accepted c) {
    for (;;) {
      arrived = c.turn;
      c.serve();
      const std::scoped_lock lock(mutex_);
      if (waiting_.empty()) {
        --running_;
        idle_.notify_all();
        return;
      }
      c = std::move(waiting_.front());
      waiting_.pop_front();
    }
  }

  connection_table& table_;
  std::mutex mutex_;
  std::condition_variable idle_;
  std::deque<accepted> waiting_;
  std::size_t most_;
  std::size_t running_ = 0;
};

/// What one request holds of something that all share.
class share_of {
public:
  explicit share_of(std::atomic<std::size_t>& all) : all_(all) {}
  share_of(const share_of&) = delete;
  share_of& operator=(const share_of&) = delete;
  ~share_of() { all_ -= own_; }
  /// What all hold then.
  std::size_t add(std::size_t size) {
    own_ += size;
    return all_ += size;
  }
  /// To `size` in all, if it is less: a request may come to several answers, one after the other.
  /// False, and nothing changes: with what others hold it would be more than `most`.
  bool raise(std::size_t size, std::size_t most, bool must) {
    if (size <= own_) return true;
    const std::size_t more = size - own_;
    const std::size_t all = all_ += more;
    if (must || all <= most || all == size) {
      own_ = size;
      return true;
    }
    all_ -= more;
    return false;
  }
  [[nodiscard]] std::size_t own() const { return own_; }

private:
  std::atomic<std::size_t>& all_;
  std::size_t own_ = 0;
};

/// Of the answer that this thread makes.
thread_local share_of* answer_under_way = nullptr;
/// That it is for.
thread_local const http_connection* connection_under_way = nullptr;

http_request request_of(const httplib::Request& from) {
  http_request r;
  r.method = from.method;
  r.path = from.path;
  r.raw_path = from.target.substr(0, from.target.find_first_of("?#"));
  for (const auto& [name, value] : from.params) r.query.emplace(name, value);
  for (const auto& [name, value] : from.headers) r.headers.emplace(lower_ascii(name), value);
  return r;
}

void put_response(http_response made, httplib::Response& to) {
  to.status = made.status;
  for (const auto& [name, value] : made.headers) to.set_header(name, value);
  if (!made.stream) {
    if (made.body.empty() && (made.status == 202 || made.status == 204)) return;
    to.body = std::move(made.body); // set_content would copy it
    to.set_header("Content-Type", made.content_type);
    return;
  }
  to.set_chunked_content_provider(
      made.content_type, [stream = std::move(made.stream)](std::size_t, httplib::DataSink& sink) {
        stream([&](std::string_view piece) {
          if (!sink.is_writable() || connection_under_way->is_left()) return false;
          return piece.empty() || sink.write(piece.data(), piece.size()); // empty would end it
        });
        sink.done();
        return true;
      });
}

std::string_view reason_of(int status) {
  switch (status) {
  case 400:
    return "Bad Request";
  case 408:
    return "Request Timeout";
  case 411:
    return "Length Required";
  case 413:
    return "Payload Too Large";
  case 431:
    return "Request Header Fields Too Large";
  default:
    return "Service Unavailable";
  }
}

/// Of an answer that httplib has no part in.
std::string as_text(const http_response& r) {
  std::string text = fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n",
                                 r.status, reason_of(r.status), r.content_type, r.body.size());
  for (const auto& [name, value] : r.headers) text += fmt::format("{}: {}\r\n", name, value);
  return text + "Connection: close\r\n\r\n" + r.body;
}

} // namespace

std::string_view http_request::header(std::string_view name) const {
  const auto found = headers.find(std::string(name));
  return found == headers.end() ? std::string_view() : found->second;
}

bool http_request::has_header(std::string_view name) const {
  return headers.contains(std::string(name));
}

class http_server::impl : public httplib::Server {
public:
  impl(http_limits limits, http_handlers handlers)
      : limits_(limits), handlers_(std::move(handlers)), table_(limits.connections) {
    new_task_queue = [this] {
      return new connection_threads(table_, limits_.connections + spare_threads);
    };
    set_tcp_nodelay(true);
    set_payload_max_length(limits_.body_bytes);
    set_keep_alive_max_count(1'000'000);
    set_keep_alive_timeout(static_cast<time_t>(limits_.idle_ms / 1000));
    // Not SO_REUSEPORT, which would let another process share the port unseen.
    set_socket_options([](socket_t s) {
      const int yes = 1;
      ::setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    const auto answer = [this](const httplib::Request& from, httplib::Response& to) {
      put_response(respond(from, nullptr), to);
    };
    const auto answer_body = [this](const httplib::Request& from, httplib::Response& to,
                                    const httplib::ContentReader& body) {
      put_response(respond(from, &body), to);
    };
    Get(".*", answer);
    Options(".*", answer);
    Post(".*", answer_body);
    Put(".*", answer_body);
    Patch(".*", answer_body);
    Delete(".*", answer_body);
    // Whoever sends on would send to a closed connection.
    set_post_routing_handler([](const httplib::Request&, httplib::Response& to) {
      if (under_way == nullptr || !under_way->is_spent()) return;
      to.headers.erase("Keep-Alive");
      if (!to.has_header("Connection")) to.set_header("Connection", "close");
    });
    set_exception_handler(
        [this](const httplib::Request&, httplib::Response& to, std::exception_ptr) {
          put_response(handlers_.refuse(500, "io", "the server could not answer"), to);
        });
    set_error_handler([this](const httplib::Request&, httplib::Response& to) {
      if (to.body.empty() && to.status >= 400)
        put_response(handlers_.refuse(to.status, "bad_request", "this is no request of HTTP/1.1"),
                     to);
    });
  }

  result<int> bind(const std::string& host, int port) {
    int bound = port;
    if (port == 0) bound = bind_to_any_port(host);
    errno = 0;
    if (bound < 0 || (port != 0 && !bind_to_port(host, port)))
      return fail(errc::io, not_bound(host, port, errno), "listen");
    ::listen(svr_sock_, backlog); // httplib's own queue holds five
    return bound;
  }

  void serve() {
    if (!table_.is_closing()) listen_after_bind();
    const std::scoped_lock lock(mutex_);
    has_served_ = true;
    ended_.notify_all();
  }

  bool hold_answer(std::size_t bytes, bool must) {
    return answer_under_way == nullptr
           || answer_under_way->raise(bytes, limits_.answer_bytes, must);
  }

  void end() {
    table_.close();
    std::unique_lock lock(mutex_);
    // httplib forgets a stop that comes before it listens.
    while (!has_served_) {
      httplib::Server::stop();
      ended_.wait_for(lock, std::chrono::milliseconds(20));
    }
  }

private:
  http_response respond(const httplib::Request& from, const httplib::ContentReader* body) {
    http_request request = request_of(from);
    if (auto refusal = handlers_.check(request)) return std::move(*refusal);
    // Held until the answer is made: what a body is parsed into is many times its size.
    share_of held(bytes_of_bodies_);
    if (body != nullptr && !request.header("content-length").empty()) {
      bool has_room = true;
      const bool whole = (*body)([&](const char* bytes, std::size_t size) {
        has_room = held.add(size) <= bodies_at_once * limits_.body_bytes;
        request.body.append(bytes, size);
        return has_room;
      });
      if (!has_room) {
        handlers_.on_refused_connection("bodies");
        return handlers_.refuse(503, "busy", "other requests are as large as may be; try again");
      }
      if (!whole) return handlers_.refuse(408, "too_slow", "the request did not come in time");
    }
    http_response made = handlers_.handle(request);
    if (!made.stream) {
      answer_is_made();
      return made;
    }
    made.stream = [this, stream = std::move(made.stream)](const piece_sender& send) {
      stream(send);
      answer_is_made();
    };
    return made;
  }

  void answer_is_made() {
    if (answer_under_way->own() >= large_answer) handlers_.on_large_answer();
  }

  void turn_away(http_connection& c, int status, std::string_view code, std::string_view message,
                 std::string_view why) {
    handlers_.on_refused_connection(why);
    c.send(as_text(handlers_.refuse(status, code, message)));
  }

  void turn_away(http_connection& c, http_connection::head was) {
    using enum http_connection::head;
    if (was == malformed)
      turn_away(c, 400, "bad_request", "this is no request of HTTP/1.1", "malformed");
    if (was == too_long)
      turn_away(c, 431, "header_too_long", "the request's headers are too long", "header_too_long");
    if (was == too_late)
      turn_away(c, 408, "too_slow", "the request did not come in time", "too_slow");
    if (was == bad_length)
      turn_away(c, 411, "bad_length", "a body needs one Content-Length, and no Transfer-Encoding",
                "bad_length");
    if (was == too_large)
      turn_away(c, 413, "line_too_long",
                fmt::format("a request has at most {} bytes", limits_.body_bytes), "too_large");
  }

  void converse(http_connection& c, connection_table::handle at) {
    while (table_.await(at)) {
      const auto head = c.next();
      if (head != http_connection::head::whole) return turn_away(c, head);
      bool is_last = false;
      share_of answer(bytes_of_answers_);
      answer_under_way = &answer;
      connection_under_way = &c;
      const bool answered = process_request(c, table_.is_closing(), is_last,
                                            [](httplib::Request& r) { r.ranges.clear(); });
      c.flush();
      answer_under_way = nullptr;
      connection_under_way = nullptr;
      if (!answered || is_last || c.is_spent()) return;
    }
  }

  bool process_and_close_socket(socket_t socket) override {
    connection_table::handle at;
    if (is_overrun || !table_.admit(socket, arrived, at)) {
      http_connection c(socket, limits_);
      turn_away(c, 503, "busy", "the server has no connection left; try again", "full");
    } else {
      handlers_.on_connection_opened();
      http_connection c(socket, limits_, &table_, at);
      under_way = &c;
      converse(c, at);
      under_way = nullptr;
      if (c.is_spent()) c.linger();
      if (table_.was_evicted(at)) handlers_.on_refused_connection("evicted");
      table_.remove(at);
      handlers_.on_connection_closed();
    }
    finish(socket);
    return true;
  }

  /// Closing with unread bytes would reset the connection, and the client would miss the answer.
  static void finish(int socket) {
    ::shutdown(socket, SHUT_WR);
    char rest[1U << 12];
    for (int i = 0; i < 64; ++i)
      if (::recv(socket, rest, sizeof rest, MSG_DONTWAIT) <= 0) break;
    ::close(socket);
  }

  http_limits limits_;
  http_handlers handlers_;
  connection_table table_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_served_ = false;
  std::atomic<std::size_t> bytes_of_bodies_ = 0; ///< of all requests under way
  std::atomic<std::size_t> bytes_of_answers_ = 0;
};

http_server::http_server(http_limits limits, http_handlers handlers)
    : impl_(std::make_unique<impl>(limits, std::move(handlers))) {
}

http_server::~http_server() = default;

result<int> http_server::bind(const std::string& host, int port) {
  return impl_->bind(host, port);
}

void http_server::run() {
  impl_->serve();
}

void http_server::stop() {
  impl_->end();
}

bool http_server::hold_answer(std::size_t bytes, bool must) {
  return impl_->hold_answer(bytes, must);
}

} // namespace mneme::server
