#include "messages/text/forms.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "messages/seams/checked_seams.hpp"
#include "messages/text/time_text.hpp"
#include "messages/text/utf8_point.hpp"

namespace mneme {

namespace {

constexpr std::string_view ellipsis = "…";

/// Typed access to data; what is absent is empty, zero or the default that the schema gives it.
class data_view {
public:
  explicit data_view(const memory_data& data) : data_(data) {}

  [[nodiscard]] std::string_view text(std::string_view name,
                                      std::string_view its_default = {}) const {
    const auto* value = find<std::string>(name);
    return value != nullptr ? std::string_view(*value) : its_default;
  }
  [[nodiscard]] std::int64_t integer(std::string_view name) const {
    const auto* value = find<std::int64_t>(name);
    return value != nullptr ? *value : 0;
  }
  [[nodiscard]] double real(std::string_view name) const {
    if (const auto* value = find<double>(name)) return *value;
    return static_cast<double>(integer(name));
  }
  [[nodiscard]] bool boolean(std::string_view name) const {
    const auto* value = find<bool>(name);
    return value != nullptr && *value;
  }
  [[nodiscard]] std::optional<timestamp> time(std::string_view name) const {
    const auto* value = find<timestamp>(name);
    return value != nullptr ? std::optional(*value) : std::nullopt;
  }
  [[nodiscard]] const std::vector<std::string>& list(std::string_view name) const {
    static const std::vector<std::string> none;
    const auto* value = find<std::vector<std::string>>(name);
    return value != nullptr ? *value : none;
  }

private:
  template <class T>
  [[nodiscard]] const T* find(std::string_view name) const {
    const auto found = data_.find(name);
    return found != data_.end() ? std::get_if<T>(&found->second) : nullptr;
  }

  const memory_data& data_;
};

/// Two decimals; -0.00 is never printed.
std::string two_decimals(double v) {
  return fmt::format("{:.2f}", v == 0 ? 0.0 : v);
}

/// What medium adds to short. Absent, empty and zero parts are left out.
class part_list {
public:
  void text(std::string_view label, std::string_view value) {
    if (!value.empty()) add(label, value);
  }
  void count(std::string_view label, std::size_t n) {
    if (n != 0) add(label, fmt::to_string(n));
  }
  void time(std::string_view label, const std::optional<timestamp>& t) {
    if (t && t->ns != 0) add(label, to_string(*t));
  }
  /// Added whatever the value.
  void always(std::string_view part) { add({}, part); }

  [[nodiscard]] std::string after(std::string base) const {
    if (!joined_.empty()) base.append(" — ").append(joined_);
    return base;
  }

private:
  void add(std::string_view label, std::string_view value) {
    if (!joined_.empty()) joined_.append(", ");
    joined_.append(label).append(value);
  }

  std::string joined_;
};

std::string event_short(const data_view& d) {
  std::string text = fmt::format("{} {}", d.text("outcome"), d.text("kind"));
  if (const auto with = d.text("counterparty"); !with.empty())
    fmt::format_to(std::back_inserter(text), " with {}", with);
  if (const auto amount = d.text("cost.amount"); !amount.empty())
    fmt::format_to(std::back_inserter(text), " cost={}{}", amount, d.text("cost.asset"));
  return text;
}

std::string identity_short(const data_view& d) {
  std::string text(d.text("name"));
  if (const auto did = d.text("did"); !did.empty())
    fmt::format_to(std::back_inserter(text), " ({})", did);
  return text;
}

std::string commitment_short(const data_view& d) {
  std::string text(d.text("statement"));
  if (const auto due = d.time("due_date"))
    fmt::format_to(std::back_inserter(text), " by {}", date_text(*due));
  return text;
}

std::string chunk_short(const data_view& d) {
  const std::string_view content = d.text("content");
  return fmt::format("{}#{}: {}", d.text("path"), d.integer("chunk_index"),
                     content.substr(0, content.find('\n')));
}

std::string short_of(memory_type type, const data_view& d) {
  switch (type) {
  case memory_type::identity:
    return identity_short(d);
  case memory_type::fact:
    return fmt::format("{}({})={}", d.text("predicate"), d.text("subject"), d.text("statement"));
  case memory_type::preference:
    return fmt::format("prefers {} ({}, strength={})", d.text("topic"), d.text("polarity"),
                       two_decimals(d.real("strength_val")));
  case memory_type::belief:
    return fmt::format("{} {}", d.text("stance"), d.text("statement"));
  case memory_type::event:
    return event_short(d);
  case memory_type::goal:
    return fmt::format("[{}] {}", d.text("status"), d.text("statement"));
  case memory_type::constraint:
    return fmt::format("[{}] {} {}", d.text("strength"), d.text("polarity", "neutral"),
                       d.text("statement"));
  case memory_type::capability:
    return fmt::format("{} can {} ({})", d.text("subject"), d.text("capability"),
                       d.boolean("verified") ? "verified" : "unverified");
  case memory_type::pattern:
    return fmt::format("{} (strength={}, coverage={})", d.text("statement"),
                       two_decimals(d.real("strength")), d.integer("coverage"));
  case memory_type::commitment:
    return commitment_short(d);
  case memory_type::decision:
  case memory_type::blocker:
  case memory_type::note:
    return std::string(d.text("statement"));
  case memory_type::topic:
    return std::string(d.text("title"));
  case memory_type::chunk:
    return chunk_short(d);
  }
  return {};
}

void event_parts(part_list& parts, const data_view& d) {
  if (const auto ns = d.integer("duration"); ns != 0)
    parts.always(fmt::format("duration={}ns", ns));
  parts.count("artifacts=", d.list("artifacts").size());
  parts.text("intent=", d.text("intent_ref"));
  parts.text({}, d.text("summary"));
}

void goal_parts(part_list& parts, const data_view& d) {
  parts.time("by=", d.time("horizon_end"));
  parts.count("criteria=", d.list("success_criteria").size());
  parts.count("subgoals=", d.list("subgoals").size());
}

void identity_parts(part_list& parts, const data_view& d) {
  parts.count("wallets=", d.list("wallets").size());
  parts.text("roles=", fmt::format("{}", fmt::join(d.list("roles"), ",")));
  parts.count("keys=", d.list("public_keys").size());
}

part_list parts_of(memory_type type, const data_view& d) {
  part_list parts;
  switch (type) {
  case memory_type::identity:
    identity_parts(parts, d);
    break;
  case memory_type::fact:
    parts.time("as_of=", d.time("as_of"));
    parts.text("source=", d.text("source"));
    break;
  case memory_type::preference:
  case memory_type::decision:
    parts.text({}, d.text("rationale"));
    break;
  case memory_type::belief:
    parts.always(fmt::format("{} for / {} against", d.list("evidence_for").size(),
                             d.list("evidence_against").size()));
    break;
  case memory_type::event:
    event_parts(parts, d);
    break;
  case memory_type::goal:
    goal_parts(parts, d);
    break;
  case memory_type::constraint:
    parts.text("source=", d.text("source"));
    parts.text("trigger=", d.text("trigger"));
    break;
  case memory_type::capability:
    parts.always("last_observed=" + to_string(d.time("last_observed").value_or(timestamp{})));
    break;
  case memory_type::pattern:
    parts.count("derived from ", d.list("derived_from").size());
    break;
  case memory_type::commitment:
    parts.text({}, d.text("counterparty"));
    break;
  case memory_type::blocker:
    parts.text({}, d.text("blocked_ref"));
    break;
  case memory_type::note:
    parts.text({}, d.text("label"));
    break;
  case memory_type::topic:
    parts.text({}, d.text("summary"));
    parts.text({}, d.text("topic_kind"));
    break;
  case memory_type::chunk:
    parts.text({}, d.text("content"));
    break;
  }
  return parts;
}

/// The longest prefix that has at most `max_tokens` with the ellipsis. Counters are taken to grow
/// with the text; one that does not still gets a prefix that fits, perhaps not the longest.
result<std::string> cut_to(std::string text, std::int64_t max_tokens,
                           const token_counter& counter) {
  result<std::int64_t> counted = tokens_of(counter, text);
  if (!counted) return propagate(counted);
  if (*counted <= max_tokens) return text;
  const auto cut_at = [&](std::size_t size) {
    return std::string(text, 0, point_start(text, size)).append(ellipsis);
  };
  // A count that fails ends the search, for what it is worth: the caller hears of it.
  const auto fits = [&](std::size_t size) {
    if (counted) counted = tokens_of(counter, cut_at(size));
    return counted && *counted <= max_tokens;
  };
  // Doubling first: a short form of a megabyte is found without counting the megabyte again.
  std::size_t too_long = 64;
  while (too_long < text.size() && fits(too_long)) too_long *= 2;
  too_long = std::min(too_long, text.size());
  std::size_t good = 0;
  while (too_long - good > 1) {
    const std::size_t middle = good + (too_long - good) / 2;
    (fits(middle) ? good : too_long) = middle;
  }
  const bool any = fits(good);
  if (!counted) return propagate(counted);
  return any ? cut_at(good) : std::string();
}

result<std::string> own_or_auto(const std::optional<std::string>& own, std::string automatic,
                                std::int64_t max_tokens, std::string_view at,
                                const token_counter& counter) {
  if (!own) return cut_to(std::move(automatic), max_tokens, counter);
  auto tokens = tokens_of(counter, *own);
  if (!tokens) return propagate(tokens);
  if (*tokens > max_tokens)
    return fail(errc::form_too_long,
                fmt::format("{} tokens are over the limit of {}", *tokens, max_tokens),
                std::string(at));
  return *own;
}

} // namespace

std::string short_text(memory_type type, const memory_data& data) {
  return short_of(type, data_view(data));
}

std::string full_text(memory_type type, const memory_data& data) {
  const data_view view(data);
  return parts_of(type, view).after(short_of(type, view));
}

result<forms> render_forms(memory_type type, const memory_data& data, const forms_override& own,
                           const token_counter& counter) {
  auto short_form = own_or_auto(own.short_form, own.short_form ? "" : short_text(type, data),
                                max_short_tokens, "forms.short", counter);
  if (!short_form) return propagate(short_form);
  auto medium_form = own_or_auto(own.medium_form, own.medium_form ? "" : full_text(type, data),
                                 max_medium_tokens, "forms.medium", counter);
  if (!medium_form) return propagate(medium_form);
  return forms{std::move(*short_form), std::move(*medium_form)};
}

std::string searched_text(memory_type type, const memory_data& data) {
  const data_view view(data);
  if (type == memory_type::chunk) return std::string(view.text("content"));
  if (type == memory_type::event)
    if (const auto summary = view.text("summary"); !summary.empty()) return std::string(summary);
  return full_text(type, data);
}

std::string embedding_text(memory_type type, const memory_data& data) {
  const data_view view(data);
  if (type == memory_type::topic)
    return fmt::format("{}\n{}", view.text("title"), view.text("summary"));
  return searched_text(type, data);
}

} // namespace mneme
