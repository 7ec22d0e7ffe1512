#include "query/rendering.hpp"

#include <algorithm>

#include "messages/forms.hpp"

namespace mneme {

rendered_text render(const memory& m, form_kind form, const token_counter& counter) {
  rendered_text out;
  switch (form) {
  case form_kind::short_form:
    out.text = m.version.forms.short_form;
    break;
  case form_kind::medium:
    out.text = m.version.forms.medium_form;
    break;
  case form_kind::full:
    out.text = full_text(m.version.type, m.version.data);
    break;
  }
  out.tokens = std::max<std::int64_t>(0, counter.count(out.text));
  return out;
}

} // namespace mneme
