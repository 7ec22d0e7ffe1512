// Two hosts with one world, as two programs have it: the second joins the first, and goes on when
// that ends. (Both are in this one, so that there is something to run.)
#include <filesystem>
#include <iostream>

#include "mneme/shared_world.hpp"

namespace {

bool says(const std::string& answer, std::string_view part) {
  return answer.find(part) != std::string::npos;
}

} // namespace

int main() {
  std::filesystem::remove_all("shared_world");
  constexpr auto options = R"({"directory":"shared_world"})";
  auto first = mneme::shared_world::open(options);
  auto second = mneme::shared_world::open(options);
  if (!first || !second) {
    std::cerr << (first ? second.error() : first.error()) << '\n';
    return 1;
  }
  std::cout << "the second has joined: " << says(second->opened(), "\"joined\":true") << '\n';

  const auto written =
      second->call("write", R"({"type":"Note","data":{"statement":"tea is at five"}})");
  const auto found = first->call("search", R"({"query":"when is tea"})");
  std::cout << "one wrote: " << written.has_value()
            << ", the other found it: " << (found && says(*found, "tea is at five")) << '\n';

  std::cout << "the first has closed: " << first->close().has_value() << '\n';
  const auto again = second->call("search", R"({"query":"when is tea"})");
  std::cout << "the second goes on: " << (again && says(*again, "tea is at five")) << '\n';

  const auto refused = second->call("write", R"({"type":"Note","data":{"text":"tea"}})");
  std::cout << "a refusal says what and where: "
            << (!refused && says(refused.error(), "\"at\":\"data.text\"")) << '\n';
  return 0;
}
