#include "query/rendering.hpp"

#include "messages/seams/checked_seams.hpp"
#include "messages/text/forms.hpp"

namespace mneme {

rendered_text render(const memory& m, form_kind form, const token_counter& counter) {
  rendered_text out;
  switch (form) {
  case form_kind::short_form:
    out.text = m.version->forms.short_form;
    break;
  case form_kind::medium:
    out.text = m.version->forms.medium_form;
    break;
  case form_kind::full:
    out.text = full_text(m.version->type, m.version->data);
    break;
  }
  // A read does not fail with the host's counter: the default's estimate stands in.
  constexpr std::size_t bytes_per_token = 4;
  out.tokens = tokens_of(counter, out.text)
                   .value_or(static_cast<std::int64_t>((out.text.size() + bytes_per_token - 1)
                                                       / bytes_per_token));
  return out;
}

} // namespace mneme
