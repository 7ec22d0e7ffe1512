#include "state/checkpoint/checked_load.hpp"

#include <atomic>
#include <deque>
#include <utility>

#include "state/checkpoint/side_by_side.hpp"

namespace mneme {

namespace {

struct page_check {
  bool has_parts = false;
  std::atomic<bool> is_whole{true};
};

} // namespace

std::optional<failed_load> load_checked(std::span<const image_load> images,
                                        std::vector<std::function<result<void>()>> besides) {
  auto works = std::move(besides);
  std::deque<page_check> checks(images.size());
  for (std::size_t i = 0; i < images.size(); ++i)
    for (auto& part : page_checks(images[i].bytes)) {
      checks[i].has_parts = true;
      works.emplace_back([&check = checks[i], part = std::move(part)]() -> result<void> {
        if (check.is_whole && !part()) check.is_whole = false;
        return {};
      });
    }
  if (auto done = run_side_by_side(works); !done) return failed_load{{}, done.error()};
  for (std::size_t i = 0; i < images.size(); ++i)
    if (!checks[i].is_whole)
      return failed_load{images[i].name,
                         {errc::corrupt, "the checksum of one of its pages does not match", {}}};

  std::deque<std::optional<error>> problems(images.size());
  std::vector<std::function<result<void>()>> loads;
  loads.reserve(images.size());
  for (std::size_t i = 0; i < images.size(); ++i)
    loads.emplace_back([&, i]() -> result<void> {
      image_bytes bytes = images[i].bytes;
      bytes.is_checked = bytes.is_checked || checks[i].has_parts;
      if (auto loaded = images[i].load(bytes); !loaded) problems[i] = loaded.error();
      return {};
    });
  static_cast<void>(run_side_by_side(loads));
  for (std::size_t i = 0; i < images.size(); ++i)
    if (problems[i]) return failed_load{images[i].name, std::move(*problems[i])};
  return std::nullopt;
}

} // namespace mneme
