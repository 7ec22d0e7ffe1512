/* A host in C: it writes, searches, closes, and finds again what it wrote. */
#include "mneme/mneme.h"

#include <stdio.h>
#include <string.h>

static int failures = 0;

static void expect(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "not so: %s\n", what);
  ++failures;
}

/* Does the answer succeed, and say so? It is freed. */
static int says(mneme_answer* answer, const char* text) {
  size_t size = 0;
  const char* bytes = mneme_answer_bytes(answer, &size);
  const int found = mneme_answer_ok(answer) && strlen(bytes) == size && strstr(bytes, text) != NULL;
  if (!found) fprintf(stderr, "%s\n", bytes);
  mneme_answer_free(answer);
  return found;
}

static mneme_engine* open_notes(void) {
  static const char options[] = "{\"directory\":\"notes\",\"embedder\":\"none\"}";
  mneme_engine* world = NULL;
  expect(says(mneme_open(options, strlen(options), MNEME_JSON, &world), "\"seq\":"), "it opens");
  return world;
}

static mneme_answer* call(mneme_engine* world, const char* op, const char* request) {
  return mneme_call(world, op, request, strlen(request), MNEME_JSON);
}

static void keep(void* context, mneme_answer* answer) {
  *(mneme_answer**)context = answer;
}

int main(void) {
  mneme_engine* world = open_notes();
  mneme_answer* later = NULL;
  if (world == NULL) return 1;
  expect(strlen(mneme_version()) > 0, "the library has a version");
  expect(
      says(call(world, "write", "{\"type\":\"Note\",\"data\":{\"statement\":\"tea is at five\"}}"),
           "\"version\":1"),
      "it writes");
  mneme_call_async(world, "search", "{\"query\":\"tea\"}", strlen("{\"query\":\"tea\"}"),
                   MNEME_JSON, keep, &later);
  expect(says(mneme_close(world, MNEME_JSON), "\"seq\":1"), "it closes");
  expect(later != NULL && says(later, "tea is at five"), "what was asked before is answered first");
  mneme_free(world);

  world = open_notes();
  if (world == NULL) return 1;
  expect(says(call(world, NULL, "{\"op\":\"search\",\"query\":\"tea\"}"), "tea is at five"),
         "it is there again");
  mneme_free(world);
  return failures == 0 ? 0 : 1;
}
