#include "network/embedding_json.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "messages/validate/validate.hpp"

namespace mneme {

namespace {

using nlohmann::json;

constexpr std::size_t max_error_bytes = 200;

std::unexpected<error> no_answer(std::string why) {
  return fail(errc::io, "the embedder's answer is not one of embeddings: " + std::move(why));
}

/// Parses without exceptions; discarded where it is not JSON.
json parse(std::string_view body) {
  return json::parse(body, nullptr, false);
}

result<std::vector<float>> read_vector(const json& item, std::uint32_t dim) {
  const auto found = item.find("embedding");
  if (found == item.end() || !found->is_array())
    return no_answer("an item has no list \"embedding\"");
  const auto size = found->size();
  if (size == 0 || size > max_vector_dim)
    return fail(errc::dim_mismatch,
                fmt::format("the embedder answered with a vector of {} numbers", size));
  if (dim != 0 && size != dim)
    return fail(errc::dim_mismatch,
                fmt::format("the embedder answered with {} numbers, not {}", size, dim));
  std::vector<float> values;
  values.reserve(size);
  for (const json& number : *found) {
    if (!number.is_number()) return no_answer("an embedding holds something other than numbers");
    const double x = number.get<double>();
    if (!std::isfinite(x) || std::abs(x) > std::numeric_limits<float>::max())
      return fail(errc::bad_vector, "the embedder answered with a number that is not finite");
    values.push_back(static_cast<float>(x));
  }
  if (std::ranges::all_of(values, [](float x) { return x == 0; }))
    return fail(errc::bad_vector, "the embedder answered with a zero vector");
  return values;
}

/// Where an item belongs: its "index", or its place where it has none.
std::size_t index_of(const json& item, std::size_t place) {
  const auto found = item.find("index");
  if (found == item.end()) return place;
  if (!found->is_number_unsigned()) return std::numeric_limits<std::size_t>::max();
  return found->get<std::size_t>();
}

} // namespace

std::string embedding_request_json(std::string_view model, std::span<const std::string> texts) {
  json body = {{"encoding_format", "float"}, {"input", json::array()}};
  for (const auto& text : texts) body["input"].push_back(text);
  if (!model.empty()) body["model"] = model;
  return body.dump(-1, ' ', false, json::error_handler_t::replace);
}

result<std::vector<std::vector<float>>>
read_embedding_answer(std::string_view body, std::size_t count, std::uint32_t dim) {
  const json answer = parse(body);
  if (!answer.is_object()) return no_answer("it is no JSON object");
  const auto data = answer.find("data");
  if (data == answer.end() || !data->is_array()) return no_answer("it has no list \"data\"");
  if (data->size() != count)
    return no_answer(fmt::format("{} vectors for {} texts", data->size(), count));
  std::vector<std::vector<float>> vectors(count);
  std::size_t place = 0;
  for (const json& item : *data) {
    if (!item.is_object()) return no_answer("an item is no object");
    const std::size_t index = index_of(item, place++);
    if (index >= count || !vectors[index].empty())
      return no_answer("an \"index\" is no text's, or there twice");
    auto values = read_vector(item, dim);
    if (!values) return propagate(values);
    dim = static_cast<std::uint32_t>(values->size());
    vectors[index] = std::move(*values);
  }
  return vectors;
}

std::string embedding_error_text(std::string_view body) {
  std::string text(body);
  if (const json answer = parse(body); answer.is_object()) {
    const auto said = answer.find("error");
    if (said != answer.end() && said->is_string()) text = said->get<std::string>();
    if (said != answer.end() && said->is_object()) {
      const auto message = said->find("message");
      if (message != said->end() && message->is_string()) text = message->get<std::string>();
    }
  }
  text.resize(std::min(text.size(), max_error_bytes));
  for (char& c : text)
    if (c < ' ' || c == '\x7F') c = ' '; // bytes of other than ASCII text too
  return text;
}

} // namespace mneme
