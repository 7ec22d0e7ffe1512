// Errors of the engine as errors of an actor system, and the configuration that such a system
// needs.

#include <charconv>

#include <caf/actor_system_config.hpp>

#include "mneme/caf.hpp"

namespace mneme {

namespace {

const auto category = caf::atom("mneme");

std::string render_error(std::uint8_t code, caf::atom_value, const caf::message& context) {
  std::string text(to_string(static_cast<errc>(code)));
  if (context.size() > 0 && context.match_element<std::string>(0))
    text += ": " + context.get_as<std::string>(0);
  return text;
}

} // namespace

void configure(caf::actor_system_config& config) {
  // `stealing`, the default, polls: a hop takes 113 µs instead of 13.
  config.set("scheduler.policy", caf::atom("sharing"));
  config.add_error_category(category, render_error);
}

bool is_configured(const caf::actor_system_config& config) {
  return config.error_renderers.contains(category);
}

namespace {

/// Faults as texts, which any message may hold: of each its code by number, what and where.
constexpr std::size_t texts_of_fault = 3;

std::vector<std::string> as_texts(const std::vector<error>& faults) {
  std::vector<std::string> texts;
  for (const error& fault : faults)
    for (const std::string& text :
         {std::to_string(static_cast<unsigned>(fault.code)), fault.message, fault.at})
      texts.push_back(text);
  return texts;
}

std::vector<error> from_texts(const std::vector<std::string>& texts) {
  std::vector<error> faults;
  for (std::size_t i = 0; i + texts_of_fault <= texts.size(); i += texts_of_fault) {
    std::uint8_t code = 0;
    const std::string& text = texts[i];
    const auto read = std::from_chars(text.data(), text.data() + text.size(), code);
    if (read.ec == std::errc{})
      faults.push_back({static_cast<errc>(code), texts[i + 1], texts[i + 2]});
  }
  return faults;
}

} // namespace

caf::error to_caf_error(const error& e) {
  return caf::error(static_cast<std::uint8_t>(e.code), category,
                    caf::make_message(e.message, e.at, as_texts(e.faults)));
}

error to_error(const caf::error& e) {
  if (e.category() != category)
    return {errc::shutdown, "the engine did not answer (" + to_string(e) + ")", {}};
  error out{static_cast<errc>(e.code()), {}, {}};
  const auto& context = e.context();
  if (context.size() > 0 && context.match_element<std::string>(0))
    out.message = context.get_as<std::string>(0);
  if (context.size() > 1 && context.match_element<std::string>(1))
    out.at = context.get_as<std::string>(1);
  if (context.size() > 2 && context.match_element<std::vector<std::string>>(2))
    out.faults = from_texts(context.get_as<std::vector<std::string>>(2));
  return out;
}

} // namespace mneme
