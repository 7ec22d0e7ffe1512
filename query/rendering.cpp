#include "query/rendering.hpp"

#include "messages/seams/checked_seams.hpp"
#include "messages/text/forms.hpp"

namespace mneme {

rendered_text render(const memory& m, form_kind form, const token_counter& counter) {
  switch (form) {
  case form_kind::short_form:
    return counted(m.version->forms.short_form, counter);
  case form_kind::medium:
    return counted(m.version->forms.medium_form, counter);
  case form_kind::full:
    break;
  }
  return counted(full_text(m.version->type, m.version->data), counter);
}

rendered_text counted(std::string text, const token_counter& counter) {
  // A read does not fail with the host's counter: the default's estimate stands in.
  constexpr std::size_t bytes_per_token = 4;
  const auto tokens = tokens_of(counter, text)
                          .value_or(static_cast<std::int64_t>((text.size() + bytes_per_token - 1)
                                                              / bytes_per_token));
  return {.text = std::move(text), .tokens = tokens};
}

} // namespace mneme
