#include "network/http_client.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

#include <curl/curl.h>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

constexpr std::size_t max_body_bytes = 64U << 20;
constexpr long connect_timeout_ms = 5000;
constexpr int poll_ms = 1000;

void start_library() {
  static std::once_flag once;
  std::call_once(once,
                 [] { ensure(curl_global_init(CURL_GLOBAL_DEFAULT) == 0, "libcurl starts"); });
}

/// What libcurl calls for each piece of an answer; fewer bytes than given end the transfer.
std::size_t take_body(char* data, std::size_t, std::size_t size, void* into) {
  auto& body = *static_cast<std::string*>(into);
  if (size > max_body_bytes - body.size()) return 0;
  body.append(data, size);
  return size;
}

struct header_list {
  curl_slist* first = nullptr;

  header_list() = default;
  ~header_list() { curl_slist_free_all(first); }
  header_list(const header_list&) = delete;
  header_list& operator=(const header_list&) = delete;
  void add(const std::string& line) { first = curl_slist_append(first, line.c_str()); }
};

} // namespace

struct http_client::impl {
  CURLM* multi = nullptr;
  CURL* easy = nullptr;
  std::atomic<bool> stopped{false};

  void configure(const http_request& r, const header_list& headers, std::string& body,
                 char* problem) const {
    curl_easy_reset(easy); // keeps connections
    curl_easy_setopt(easy, CURLOPT_URL, r.url.c_str());
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, connect_timeout_ms);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(r.timeout_ms));
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers.first);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(r.body.size()));
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, r.body.c_str());
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &take_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &body);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, problem);
  }

  /// Runs the configured transfer to its end, or until stopped.
  CURLcode run() const {
    int running = 1;
    while (running > 0 && !stopped) {
      if (curl_multi_perform(multi, &running) != CURLM_OK) return CURLE_FAILED_INIT;
      if (running > 0) curl_multi_poll(multi, nullptr, 0, poll_ms, nullptr);
    }
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi, &left))
      if (message->msg == CURLMSG_DONE) return message->data.result;
    return CURLE_ABORTED_BY_CALLBACK;
  }
};

http_client::http_client() : impl_(std::make_unique<impl>()) {
  start_library();
  impl_->multi = curl_multi_init();
  impl_->easy = curl_easy_init();
  ensure(impl_->multi != nullptr && impl_->easy != nullptr, "libcurl has memory");
}

http_client::~http_client() {
  curl_easy_cleanup(impl_->easy);
  curl_multi_cleanup(impl_->multi);
}

result<http_answer> http_client::post(const http_request& request) {
  header_list headers;
  headers.add("Content-Type: application/json");
  headers.add("Accept: application/json");
  headers.add("Expect:"); // no pause before larger bodies
  if (!request.key.empty()) headers.add("Authorization: Bearer " + request.key);
  http_answer answer;
  char problem[CURL_ERROR_SIZE] = {};
  impl_->configure(request, headers, answer.body, problem);
  curl_multi_add_handle(impl_->multi, impl_->easy);
  const CURLcode code = impl_->run();
  curl_easy_getinfo(impl_->easy, CURLINFO_RESPONSE_CODE, &answer.status);
  curl_multi_remove_handle(impl_->multi, impl_->easy);
  curl_easy_reset(impl_->easy); // it pointed to locals
  if (impl_->stopped) return fail(errc::shutdown, "the embedder was stopped");
  if (code == CURLE_WRITE_ERROR)
    return fail(errc::io, request.url + " answers with more than 64 MiB");
  if (code != CURLE_OK)
    return fail(errc::io, request.url + " does not answer: "
                              + (problem[0] != '\0' ? problem : curl_easy_strerror(code)));
  return answer;
}

void http_client::stop() {
  impl_->stopped = true;
  curl_multi_wakeup(impl_->multi);
}

} // namespace mneme
