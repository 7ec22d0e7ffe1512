#pragma once
/// Dated documents, whatever they come from: lines of `docs` (import.hpp).

#include <functional>

#include "tools/import/import.hpp"
#include "tools/import/source_file.hpp"

namespace mneme::importing {

using document_visitor = std::function<result<void>(const source_line&)>;
/// Gives every document to the visitor, and returns what that refuses with.
using document_source = std::function<result<void>(const document_visitor& put)>;

result<void> import_documents(engine& target, const import_request& request, import_report& report,
                              const document_source& documents);

} // namespace mneme::importing
