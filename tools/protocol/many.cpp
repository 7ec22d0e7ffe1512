#include "tools/protocol/many.hpp"

#include "tools/protocol/receipt.hpp"

namespace mneme::protocol {

result<void> check_item_of(std::string_view op, std::span<const key_shape> keys, const json& value,
                           const json_path& at) {
  if (!value.is_object()) return wrong_type(fmt::format("a {} request", op), value, at);
  const auto named = value.find("op");
  if (named != value.end() && !named->is_null() && *named != op)
    return fail(errc::bad_value, fmt::format("the items of {0}_many are {0} requests", op),
                at.key("op").text());
  if (auto ok = check_no_receipt(value, at); !ok) return ok;
  return check_members(value, keys, true, at);
}

} // namespace mneme::protocol
