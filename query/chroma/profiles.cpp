#include "query/chroma/profiles.hpp"

#include <map>
#include <mutex>

#include <fmt/format.h>

#include "messages/validate/validate.hpp"
#include "query/chroma/time_words.hpp"

namespace mneme {

namespace {

constexpr std::string_view default_profile_name = "default";
constexpr std::string_view knowledge_patch_name = "knowledge_patch";

class default_profile final : public query_profile {
public:
  [[nodiscard]] result<void> parse_input(chroma_request& request,
                                         const profile_context& context) const override {
    const std::string& text = *request.text;
    request.hashtags = context.suggest(text);
    if (request.hashtags.empty())
      return fail(errc::query_profile_error, "the text names no assigned hashtag", "text");
    if (!request.k) request.k = result_count_in(text);
    if (request.k && *request.k < 1)
      return fail(errc::query_profile_error, "the text asks for no results", "text");
    if (!request.temporal_range) request.temporal_range = time_range_in(text, context.now);
    return {};
  }
};

} // namespace

std::shared_ptr<const query_profile> make_default_profile() {
  return std::make_shared<default_profile>();
}

bool query_profile::takes_hashtags() const {
  return false;
}
void query_profile::post_process(chroma_result&, const chroma_request&) const {
}
bool query_profile::has_custom_scoring() const {
  return false;
}
double query_profile::custom_scoring(const chroma_row&, const chroma_request&) const {
  return 0;
}

struct profile_registry::state {
  mutable std::mutex guard;
  std::map<std::string, std::shared_ptr<const query_profile>, std::less<>> profiles;
  std::string chosen{default_profile_name};
};

profile_registry::profile_registry() : state_(std::make_unique<state>()) {
  const auto plain = make_default_profile();
  state_->profiles.emplace(default_profile_name, plain);
  state_->profiles.emplace(knowledge_patch_name, make_knowledge_patch_profile(plain));
}
profile_registry::~profile_registry() = default;

result<void> profile_registry::add(std::string name, std::shared_ptr<const query_profile> profile) {
  if (is_blank(name) || !is_utf8(name) || profile == nullptr)
    return fail(errc::bad_value, "a profile has a name", "profile");
  const std::lock_guard hold(state_->guard);
  if (!state_->profiles.try_emplace(name, std::move(profile)).second)
    return fail(errc::already_exists, fmt::format("there is a profile \"{}\"", name), "profile");
  return {};
}

result<void> profile_registry::set_default(std::string_view name) {
  const std::lock_guard hold(state_->guard);
  if (!state_->profiles.contains(name))
    return fail(errc::query_profile_error, fmt::format("there is no profile \"{}\"", name),
                "profile");
  state_->chosen = name;
  return {};
}

std::string profile_registry::default_name() const {
  const std::lock_guard hold(state_->guard);
  return state_->chosen;
}

std::shared_ptr<const query_profile> profile_registry::find(std::string_view name) const {
  const std::lock_guard hold(state_->guard);
  const auto found = state_->profiles.find(name);
  return found == state_->profiles.end() ? nullptr : found->second;
}

} // namespace mneme
