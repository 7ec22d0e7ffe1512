#pragma once
/// A world that several programs share, for a host in C++: who comes first has it open, the others
/// ask that one through a socket in the world's directory, and when it ends another takes it over.
///
/// An `engine` (mneme/engine.hpp) has its world for itself, and finds one that another process has
/// open `busy`: what it is given and gives are objects of this process (a clock, an embedder,
/// actors, records by pointer). Only requests that are text can be asked of another process: those
/// of the line protocol (`mneme help ops`), as the C interface has them. Links with libmneme.so.

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "mneme/mneme.h"

namespace mneme {

class shared_world {
public:
  /// The answer, as JSON; refused: {"ok":false,"error":{"code","message","at"?}}.
  using answer = std::expected<std::string, std::string>;

  /// By the options of mneme_open, as JSON: {"directory":"notes"}. What that answers stays in
  /// `opened`: "joined":true where another program has the world open.
  static std::expected<shared_world, std::string> open(std::string_view options) {
    mneme_engine* made = nullptr;
    auto opened = text_of(mneme_open(options.data(), options.size(), MNEME_JSON, &made));
    if (!opened) return std::unexpected(std::move(opened.error()));
    return shared_world(made, std::move(*opened));
  }

  [[nodiscard]] const std::string& opened() const noexcept { return opened_; }

  /// From any thread.
  [[nodiscard]] answer call(const char* op, std::string_view request = "{}") const {
    return text_of(mneme_call(world_.get(), op, request.data(), request.size(), MNEME_JSON));
  }

  /// What was asked before is answered first. A second time, and every call then, is `shutdown`.
  answer close() { return text_of(mneme_close(world_.get(), MNEME_JSON)); }

private:
  struct give_back {
    void operator()(mneme_engine* world) const noexcept { mneme_free(world); }
  };

  shared_world(mneme_engine* world, std::string opened)
      : world_(world), opened_(std::move(opened)) {}

  static answer text_of(mneme_answer* made) {
    std::size_t size = 0;
    const char* const bytes = mneme_answer_bytes(made, &size);
    const bool is_ok = mneme_answer_ok(made) == 1;
    std::string text(bytes, size);
    mneme_answer_free(made);
    if (is_ok) return text;
    return std::unexpected(std::move(text));
  }

  std::unique_ptr<mneme_engine, give_back> world_;
  std::string opened_;
};

} // namespace mneme
