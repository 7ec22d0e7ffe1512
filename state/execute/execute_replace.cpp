// An update that changes a span of a memory's text, as the update of the whole that it is.

#include "messages/ensure.hpp"
#include "state/execute/execution.hpp"

namespace mneme {

namespace {

/// The memory's current version, with what the batch has done to it.
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

/// Where `part` stands in `text`, overlapping ones too.
std::size_t times_in(std::string_view text, std::string_view part) {
  std::size_t times = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++times;
  return times;
}

/// Precondition: the old text is there.
void replace_in(std::string& text, const text_replacement& r) {
  const auto at = text.find(r.from);
  ensure(at != std::string::npos, "what is replaced is there");
  text.replace(at, r.from.size(), r.to);
}

/// Puts the new text in its only place.
result<void> replace_in(memory_data& data, const text_replacement& r) {
  std::size_t times = 0;
  std::string* place = nullptr;
  for (auto& [name, value] : data) {
    if (!r.field.empty() && name != r.field) continue;
    auto* text = std::get_if<std::string>(&value);
    if (text == nullptr) continue;
    const std::size_t here = times_in(*text, r.from);
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
  replace_in(*place, r);
  return {};
}

} // namespace

result<update_request> replacement_of(execution& x, const update_request& r, const head& h) {
  auto present = current_version(x, h);
  if (!present) return propagate(present);
  update_request whole = r;
  whole.replace.reset();
  whole.data = std::move(present->data);
  if (auto ok = replace_in(whole.data, *r.replace); !ok) return propagate(ok);
  // A form of the caller's own that has the span more than once says nobody knows what then: the
  // engine makes one of the new text.
  const auto keep_form = [&](std::optional<std::string>& form, bool is_own, std::string& text) {
    const std::size_t times = times_in(text, r.replace->from);
    if (form || !is_own || times > 1) return;
    if (times == 1) replace_in(text, *r.replace);
    form = std::move(text);
  };
  keep_form(whole.forms.short_form, present->short_overridden, present->forms.short_form);
  keep_form(whole.forms.medium_form, present->medium_overridden, present->forms.medium_form);
  if (!whole.valid_from) whole.valid_from = present->valid_from;
  if (!whole.valid_until) whole.valid_until = present->valid_until;
  if (!whole.expires_at) whole.expires_at = present->expires_at;
  whole.confidence = present->confidence;
  whole.provenance = std::move(present->provenance);
  return whole;
}

} // namespace mneme
