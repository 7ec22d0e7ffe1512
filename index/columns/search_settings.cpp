#include "index/columns/search_settings.hpp"

#include <algorithm>
#include <utility>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

constexpr std::size_t saved_setting_bytes = 8 + 8 + 4 + 4;

seq_no since(const std::shared_ptr<const search_setting>& s) {
  return s->since;
}

} // namespace

void search_settings::put(search_setting setting) {
  const std::lock_guard hold(guard_);
  ensure(settings_.empty() || settings_.back()->since < setting.since, "settings come in order");
  settings_.push_back(std::make_shared<const search_setting>(std::move(setting)));
}

void search_settings::retain_from(seq_no seq) {
  const std::lock_guard hold(guard_);
  const auto behind = std::ranges::upper_bound(settings_, seq, {}, since);
  if (behind - settings_.begin() > 1) settings_.erase(settings_.begin(), behind - 1);
}

std::shared_ptr<const search_setting> search_settings::find(seq_no at) const {
  const std::lock_guard hold(guard_);
  const auto behind = std::ranges::upper_bound(settings_, at, {}, since);
  return behind == settings_.begin() ? nullptr : *(behind - 1);
}

void search_settings::save(image_writer& out, seq_no at) const {
  const std::lock_guard hold(guard_);
  const auto behind = std::ranges::upper_bound(settings_, at, {}, since);
  out.put(static_cast<std::uint64_t>(behind - settings_.begin()));
  for (auto it = settings_.begin(); it != behind; ++it) {
    out.put((*it)->since.value);
    out.put((*it)->at.ns);
    out.put_text((*it)->by);
    out.put_text((*it)->weights);
  }
}

bool search_settings::load(image_reader& in, seq_no at) {
  const std::uint64_t count = in.get_count(saved_setting_bytes);
  seq_no before;
  for (std::uint64_t i = 0; i < count; ++i) {
    search_setting s;
    s.since.value = in.get<std::uint64_t>();
    s.at.ns = in.get<std::int64_t>();
    s.by = in.get_text();
    s.weights = in.get_text();
    if (!in.ok() || s.since <= before || s.since > at) return false;
    before = s.since;
    put(std::move(s));
  }
  return in.ok();
}

} // namespace mneme
