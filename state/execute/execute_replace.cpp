// An update that changes a span of a memory's text, as the update of the whole that it is.

#include <algorithm>

#include "messages/ensure.hpp"
#include "messages/text/composed.hpp"
#include "state/execute/execution.hpp"

namespace mneme {

result<version> current_version(execution& x, const head& h) {
  for (auto e = x.out.entries.rbegin(); e != x.out.entries.rend(); ++e) {
    const version* made = nullptr;
    if (const auto* w = std::get_if<write_payload>(&e->payload)) made = &w->version;
    if (const auto* u = std::get_if<update_payload>(&e->payload)) made = &u->version;
    if (made != nullptr && made->id == h.id) return *made;
  }
  if (x.seams.pending == nullptr) return x.state.topic_version(h);
  auto found = x.seams.pending->version_of(h.id, h.current_version);
  if (!found) return propagate(found);
  if (!found->has_value())
    return fail(errc::corrupt, "the current version of " + to_string(h.id) + " is missing");
  return std::move(**found);
}

namespace {

/// The old text in the ways in which its accents may be spelled: a caller does not see which of
/// them a memory has.
class old_text {
public:
  explicit old_text(const std::string& given)
      : spellings_{given, composed(given), decomposed(given)} {
    std::ranges::sort(spellings_);
    const auto same = std::ranges::unique(spellings_);
    spellings_.erase(same.begin(), same.end());
  }

  /// How often it stands in `text`, overlapping ones too.
  [[nodiscard]] std::size_t times_in(std::string_view text) const {
    std::size_t times = 0;
    for (const auto& one : spellings_)
      for (auto at = text.find(one); at != std::string_view::npos; at = text.find(one, at + 1))
        ++times;
    return times;
  }
  /// Precondition: it stands in `text`.
  void replace_in(std::string& text, std::string_view to) const {
    ensure(times_in(text) > 0, "what is replaced is there");
    for (const auto& one : spellings_)
      if (const auto at = text.find(one); at != std::string::npos) {
        text.replace(at, one.size(), to);
        return;
      }
  }

private:
  std::vector<std::string> spellings_;
};

/// Puts the new text in its only place.
result<void> replace_in(memory_data& data, const text_replacement& r, const old_text& old) {
  std::size_t times = 0;
  std::string* place = nullptr;
  for (auto& [name, value] : data) {
    if (!r.field.empty() && name != r.field) continue;
    auto* text = std::get_if<std::string>(&value);
    if (text == nullptr) continue;
    const std::size_t here = old.times_in(*text);
    if (here > 0) place = text;
    times += here;
  }
  if (!r.field.empty() && !data.contains(r.field))
    return fail(errc::not_found, "the memory has no field " + r.field, "replace.field");
  if (times == 0) return fail(errc::not_found, "the old text is not there", "replace.old");
  if (times > 1)
    return fail(errc::bad_value,
                "the old text is there " + std::to_string(times) + " times: give more of it",
                "replace.old");
  old.replace_in(*place, r.to);
  return {};
}

} // namespace

result<update_request> replacement_of(execution& x, const update_request& r, const head& h) {
  auto present = current_version(x, h);
  if (!present) return propagate(present);
  update_request whole = r;
  whole.replace.reset();
  whole.data = std::move(present->data);
  const old_text old(r.replace->from);
  if (auto ok = replace_in(whole.data, *r.replace, old); !ok) return propagate(ok);
  // A form of the caller's own that has the span more than once says nobody knows what then: the
  // engine makes one of the new text.
  const auto keep_form = [&](std::optional<std::string>& form, bool is_own, std::string& text) {
    const std::size_t times = old.times_in(text);
    if (form || !is_own || times > 1) return;
    if (times == 1) old.replace_in(text, r.replace->to);
    form = std::move(text);
  };
  keep_form(whole.forms.short_form, present->short_overridden, present->forms.short_form);
  keep_form(whole.forms.medium_form, present->medium_overridden, present->forms.medium_form);
  if (!whole.valid_from) whole.valid_from = present->valid_from;
  if (!whole.valid_until) whole.valid_until = present->valid_until;
  if (!whole.expires_at) whole.expires_at = present->expires_at;
  if (whole.payload.empty()) whole.payload = std::move(present->payload);
  whole.confidence = present->confidence;
  whole.provenance = std::move(present->provenance);
  return whole;
}

} // namespace mneme
