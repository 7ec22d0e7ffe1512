#pragma once
/// What a client may send by mistake, or on purpose.

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/protocol/json_text.hpp"

namespace mneme::tests {

inline std::vector<protocol::json> odd_values() {
  std::vector<protocol::json> all;
  for (const char* text : {"null", "true", "0", "-1", "1e300", "9223372036854775807", "\"\"",
                           "\"*\"", "\"\\u0000\"", "[]", "[null]", "[[]]", "[{}]", "{}",
                           R"({"":null})", R"({"eq":{"in":[]}})", R"([{"role":1,"content":[1]}])",
                           R"([{"memory_id":{},"text":[]}])", R"([{"data":{},"type":3}])"})
    all.push_back(protocol::parse_json(text).value());
  all.push_back(std::string(3'000, 'a'));
  return all;
}

} // namespace mneme::tests
