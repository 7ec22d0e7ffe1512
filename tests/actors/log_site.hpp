#pragma once
/// Engines on one log in memory, each behind a network of its own that tests make bad.

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "journal/log/faulty_log.hpp"
#include "journal/log/memory_log.hpp"
#include "storage/file.hpp"
#include "tests/actors/engine_site.hpp"
#include "tests/storage/temporary_directory.hpp"

namespace mneme::testing {

/// What is between one engine and the log; changed from any thread.
struct log_network {
  std::mutex guard;
  bool is_cut = false;
  log_faults faults;
};

/// A connection over such a network; of one thread at a time, as any.
class networked_log final : public log_store {
public:
  networked_log(std::shared_ptr<log_store> to, std::shared_ptr<log_network> over,
                std::uint64_t seed)
      : log_(std::move(to), seed, log_faults{}), network_(std::move(over)) {}

  result<void> create(std::string_view founding) override { return now().create(founding); }
  result<std::string> founding() override { return now().founding(); }
  result<log_tail> tail() override { return now().tail(); }
  result<append_outcome> append(const log_point& expect, log_epoch epoch,
                                std::chrono::milliseconds ttl, const log_frame& frame) override {
    return now().append(expect, epoch, ttl, frame);
  }
  result<std::vector<log_frame>> read(std::uint64_t from, std::size_t max_frames,
                                      std::uint64_t max_bytes) override {
    return now().read(from, max_frames, max_bytes);
  }
  result<claim_answer> claim(log_epoch newest, std::string_view holder,
                             std::chrono::milliseconds ttl) override {
    return now().claim(newest, holder, ttl);
  }
  result<bool> renew(log_epoch epoch, std::chrono::milliseconds ttl) override {
    return now().renew(epoch, ttl);
  }
  result<void> may_trim() override { return now().may_trim(); }
  result<void> may_erase() override { return now().may_erase(); }
  result<erase_outcome> erase(std::span<const seq_no> seqs, log_epoch epoch) override {
    return now().erase(seqs, epoch);
  }
  result<std::uint64_t> trim(const journaled_trim& by, std::uint64_t from,
                             log_epoch epoch) override {
    return now().trim(by, from, epoch);
  }
  result<digest> put_blob(std::string_view bytes) override { return now().put_blob(bytes); }
  result<std::string> get_blob(const digest& hash) override { return now().get_blob(hash); }

private:
  faulty_log& now() {
    const std::lock_guard hold(network_->guard);
    log_.cut_off(network_->is_cut);
    log_.change(network_->faults);
    return log_;
  }

  faulty_log log_;
  std::shared_ptr<log_network> network_;
};

class log_site {
public:
  static constexpr const char* address = "memory://log";

  memory_log_server server;
  temporary_directory root;

  [[nodiscard]] std::string at(const std::string& name) const { return root.path() + "/" + name; }

  [[nodiscard]] engine_options options(const std::string& name) {
    engine_options o;
    o.directory = at(name);
    o.embedder_spec = "none";
    o.log = address;
    o.logs = [this,
              over = network(name)](std::string_view asked) -> result<std::shared_ptr<log_store>> {
      if (asked != address) return fail(errc::bad_value, "there is no such log");
      return std::make_shared<networked_log>(server.connect(), over, ++connections_);
    };
    return o;
  }
  engine open(const std::string& name) { return opened(options(name)); }

  void cut_off(const std::string& name, bool is_cut) {
    const auto its = network(name);
    const std::lock_guard hold(its->guard);
    its->is_cut = is_cut;
  }
  void change(const std::string& name, const log_faults& faults) {
    const auto its = network(name);
    const std::lock_guard hold(its->guard);
    its->faults = faults;
  }
  void heal(const std::string& name) {
    cut_off(name, false);
    change(name, {});
  }
  void lose(const std::string& name) { std::filesystem::remove_all(at(name)); }
  [[nodiscard]] std::size_t frames() { return server.connect()->tail()->end.frames; }
  /// How many files of the directory have these bytes.
  [[nodiscard]] std::size_t in_files(const std::string& name, const std::string& bytes) const {
    std::size_t found = 0;
    for (const auto& f : std::filesystem::recursive_directory_iterator(at(name))) {
      if (!f.is_regular_file()) continue;
      auto held = read_file(*make_posix_file_system(), f.path().string());
      if (held && held->contains(bytes)) ++found;
    }
    return found;
  }

private:
  std::shared_ptr<log_network> network(const std::string& name) {
    auto& its = networks_[name];
    if (its == nullptr) its = std::make_shared<log_network>();
    return its;
  }

  std::map<std::string, std::shared_ptr<log_network>> networks_;
  std::atomic<std::uint64_t> connections_ = 0;
};

inline result<mutation_result> note(engine& e, const std::string& text) {
  write_request r;
  r.type = memory_type::note;
  r.data["statement"] = text;
  return e.apply(std::move(r));
}

inline std::string root_of(engine& e) {
  return to_hex(e.root()->overall);
}

template <class Answer>
std::string code_of(const result<Answer>& answer) {
  if (answer) return "ok";
  UNSCOPED_INFO(answer.error().message);
  return std::string(to_string(answer.error().code));
}

} // namespace mneme::testing
