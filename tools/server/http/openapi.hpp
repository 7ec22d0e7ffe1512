#pragma once
/// The OpenAPI 3.1 document of `mneme serve`, made of the tables that validate requests.

#include <string>

namespace mneme::server {

/// The same for every world; made once.
const std::string& openapi_text();

} // namespace mneme::server
