#pragma once
/// Everything that replay must give back byte for byte, as text: heads, versions, vectors,
/// activation, edges and roots as of the published seq, in key order.

#include <string>

#include "state/world.hpp"

namespace mneme {

result<std::string> canonical_dump(world& w);

} // namespace mneme
