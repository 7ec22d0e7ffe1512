#pragma once
/// An in-memory world under a manual clock, with a handful of assigned hashtags.

#include <algorithm>

#include <catch2/catch.hpp>

#include "mneme/engine.hpp"

namespace mneme::testing {

/// Two valid sets of hashtags, at different points.
inline const std::vector<std::string> set_a = {"tea",  "leaf", "cup",  "steam",
                                               "rain", "moss", "clay", "storm"};
inline const std::vector<std::string> set_b = {"tea",  "iron", "rust", "spark",
                                               "coal", "wire", "bolt", "storm"};

inline std::vector<std::string> sorted(std::vector<std::string> tags) {
  std::ranges::sort(tags);
  return tags;
}

class chroma_world {
public:
  explicit chroma_world(engine_options o = {}) : engine(open(std::move(o))) {
    for (const auto& m : assignments()) REQUIRE(engine.apply(m));
  }

  static engine_options options() {
    engine_options o;
    o.embedder_spec = "none";
    o.seed = 1;
    o.clock = std::make_shared<manual_clock>(start);
    return o;
  }
  static std::vector<mutation> assignments() {
    std::vector<mutation> items;
    const auto bind = [&](const std::string& tag, std::int64_t anchor) {
      assign_tag_request r;
      r.tag = tag;
      r.anchor = anchor;
      items.emplace_back(std::move(r));
    };
    bind("tea", 1);
    bind("storm", 7501);
    for (std::size_t i = 1; i < 7; ++i) {
      bind(set_a[i], 1000 * static_cast<std::int64_t>(i) + 1);
      bind(set_b[i], 1000 * static_cast<std::int64_t>(i) + 500);
    }
    return items;
  }

  [[nodiscard]] timestamp now() const { return time_->now(); }
  void later(double days) { time_->set({now().ns + static_cast<std::int64_t>(days * 86'400e9)}); }
  void set_time(timestamp t) { time_->set(t); }

  [[nodiscard]] write_request request(const std::string& text,
                                      const std::vector<std::string>& hashtags) const {
    write_request r;
    r.type = memory_type::note;
    r.data["statement"] = text;
    r.hashtags = hashtags;
    return r;
  }
  memory_id write(const write_request& r) {
    auto done = engine.apply(r);
    if (!done) FAIL(done.error().message);
    return done->uri->id;
  }
  memory_id write(const std::string& text, const std::vector<std::string>& hashtags) {
    return write(request(text, hashtags));
  }
  chroma_result ask(chroma_request r) {
    auto found = engine.chroma(std::move(r));
    if (!found) FAIL(found.error().message);
    return std::move(*found);
  }
  error refuse(chroma_request r) {
    auto found = engine.chroma(std::move(r));
    REQUIRE_FALSE(found);
    return found.error();
  }
  std::string kind_of(seq_no seq) { return engine.journal(seq, 1)->front().kind; }

private:
  static constexpr timestamp start{1'704'067'200'000'000'000}; // 2024-01-01T00:00:00Z

  mneme::engine open(engine_options o) {
    o.embedder_spec = "none";
    o.seed = 1;
    o.clock = time_;
    auto opened = open_in_memory(std::move(o));
    if (!opened) FAIL(opened.error().message);
    return std::move(*opened);
  }

  std::shared_ptr<manual_clock> time_ = std::make_shared<manual_clock>(start);

public:
  mneme::engine engine;
};

} // namespace mneme::testing
