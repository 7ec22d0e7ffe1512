#include "query/deadline.hpp"

#include <algorithm>
#include <utility>

namespace mneme {

namespace {

class timed_reader final : public kv_reader {
public:
  timed_reader(std::unique_ptr<kv_reader> reader, const deadline& time)
      : reader_(std::move(reader)), time_(time) {}

  result<std::optional<std::string>> get(kv_table table, std::string_view key) override {
    if (auto ok = time_.check(); !ok) return propagate(ok);
    return reader_->get(table, key);
  }
  result<std::optional<row>> first(kv_table table, std::string_view lower,
                                   std::string_view upper) override {
    if (auto ok = time_.check(); !ok) return propagate(ok);
    return reader_->first(table, lower, upper);
  }
  result<std::optional<row>> newest(kv_table table, std::string_view prefix, seq_no at) override {
    if (auto ok = time_.check(); !ok) return propagate(ok);
    return reader_->newest(table, prefix, at);
  }
  result<void> scan(kv_table table, std::string_view lower, std::string_view upper,
                    const row_visitor& visit) override {
    result<void> in_time = time_.check();
    if (!in_time) return in_time;
    std::uint64_t rows = 0;
    auto scanned = reader_->scan(table, lower, upper, [&](std::string_view k, std::string_view v) {
      in_time = time_.check(rows++);
      return in_time && visit(k, v);
    });
    if (!scanned) return scanned;
    return in_time;
  }

  result<void> may_go_on() override { return time_.check(); }

private:
  std::unique_ptr<kv_reader> reader_;
  const deadline& time_;
};

} // namespace

std::unexpected<error> late() {
  return fail(errc::deadline_exceeded, "the answer took longer than deadline_ms", "deadline_ms");
}

deadline::deadline(std::function<std::int64_t()> stopwatch, std::optional<std::int64_t> ms) {
  if (!ms || !stopwatch) return;
  stopwatch_ = std::move(stopwatch);
  ms_ = ms;
  started_ns_ = stopwatch_();
}

std::optional<std::int64_t> deadline::left_ms() const {
  if (!ms_) return std::nullopt;
  return std::max<std::int64_t>(1, *ms_ - (stopwatch_() - started_ns_) / ns_per_ms);
}

result<void> deadline::check() const {
  if (!ms_ || (stopwatch_() - started_ns_) / ns_per_ms < *ms_) return {};
  return late();
}

result<std::unique_ptr<kv_reader>> reader_in_time(const read_views& views, const deadline& time) {
  auto reader = views.store->reader();
  if (!reader || !time.is_set()) return reader;
  return std::make_unique<timed_reader>(std::move(*reader), time);
}

} // namespace mneme
