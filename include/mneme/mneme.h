#pragma once
/* The engine for any language that can call C: libmneme.so. Requests and answers are those of the
 * line protocol (`mneme help ops`), as JSON or MessagePack.
 *
 *     mneme_engine* world = NULL;
 *     const char options[] = "{\"directory\":\"notes\"}";
 *     mneme_answer* opened = mneme_open(options, sizeof options - 1, MNEME_JSON, &world);
 *     if (!mneme_answer_ok(opened)) puts(mneme_answer_bytes(opened, NULL));
 *     mneme_answer_free(opened);
 *     const char request[] = "{\"query\":\"when is tea\"}";
 *     mneme_answer* found = mneme_call(world, "search", request, sizeof request - 1, MNEME_JSON);
 *     puts(mneme_answer_bytes(found, NULL));
 *     mneme_answer_free(found);
 *     mneme_answer_free(mneme_close(world, MNEME_JSON));
 *     mneme_free(world);
 *
 * Every function may be called from any thread. An engine does not survive fork(): a child opens
 * its own. What is returned is never null, but where memory has run out the process ends. A NULL
 * that a function cannot do without is answered with bad_value.
 *
 * Names and layouts here only grow; symbols are versioned (MNEME_1). */

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define MNEME_API __attribute__((visibility("default")))
#else
#define MNEME_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* An open world. */
typedef struct mneme_engine mneme_engine;
/* What a request came to: {"ok":true,…} or {"ok":false,"error":{"code","message","at"?,"faults"?}};
 * `faults` is a list of {"code","message","at"} where several places of it are wrong. As JSON it is
 * one line, but that of a tick, where each of the reads' answers has a line of its own. */
typedef struct mneme_answer mneme_answer;

/* Formats of requests and answers. */
enum {
  MNEME_JSON = 0,       /* UTF-8 text */
  MNEME_MESSAGEPACK = 1 /* the same values; numbers as they are, no binary and no extension */
};

/* "0.1.0"; of the library, not of a world. */
MNEME_API const char* mneme_version(void);

/* Opens a world as the object of options says, or makes one. On success `*opened` is the engine,
 * and the answer says what was opened (world, seq, and what opening repaired); else `*opened`
 * is NULL.
 *
 *     directory      of the world; or in_memory: true, and nothing is kept
 *     create         make a world where there is none (default true), in a
 *                    directory that is missing or empty
 *     read_only      beside a writer, from the journal
 *     world_name, seed, embedder, search, language     of a new world
 *     embedder_key   for a world's embedder behind an endpoint
 *     audience       of searches that name none
 *     manual_clock   time stands still until the op `clock` moves it
 *     per_request    one request, one journal frame: the same requests give the same bytes
 *     exact_near     never an approximate answer; with a seed this is the default
 *     cache_bytes, retained_seqs, readers     as in mneme/engine.hpp
 *     log            of a world that is kept in PostgreSQL: its address, which the directory keeps
 *     follow         only reads what another process writes into the log; with may_lead it takes
 *                    the lead when nobody has it
 *     shared         with other processes of the same user (default true, unless read_only,
 *                    in_memory, follow, seed, manual_clock or per_request is given): one that
 *                    has the world open is asked, by its options, and the answer says
 *                    joined: true; when it ends, this one opens the world. Arrays go to a world
 *                    that is open in this process alone (unsupported). false: busy where another
 *                    one has it open, and others find it busy */
MNEME_API mneme_answer* mneme_open(const void* options, size_t size, int format,
                                   mneme_engine** opened);

/* Runs one request in the calling thread. `op` may be NULL where the request names it. The answer
 * comes in the format of the request. */
MNEME_API mneme_answer* mneme_call(mneme_engine* engine, const char* op, const void* request,
                                   size_t size, int format);

/* Takes the answer, which is now the callee's to free; in a thread of the library. */
typedef void (*mneme_callback)(void* context, mneme_answer* answer);
/* The same in a thread of the library; `op` and `request` are copied. Every call is answered once,
 * those that mneme_close() meets before it closes, those after it with `shutdown`. Calls that are
 * under way at once may overtake each other. The library has a few threads: one that waits for
 * changes (`wait_ms` of the op `changes`) keeps one, so give it a thread of your own. */
MNEME_API void mneme_call_async(mneme_engine* engine, const char* op, const void* request,
                                size_t size, int format, mneme_callback callback, void* context);

/* A tick of many agents in arrays: who asks for what is near to which vector, and who writes what.
 * All asks see the state at its start, all writes are one commit, and what fails, fails alone. Rows
 * lie one behind the other. Texts end with a zero. Nothing of it is kept. */
typedef struct mneme_round {
  size_t struct_size; /* sizeof(mneme_round) */
  size_t dim;         /* of every vector */

  size_t asks;
  const float* queries;      /* asks × dim */
  const char* const* askers; /* asks; NULL: the host asks all of them */
  size_t k;                  /* of the nearest, at most so many for each */
  const char* find;          /* JSON: what else a find has (types, where, …), for all; or NULL */

  size_t writes;
  const char* const* texts;   /* writes */
  const char* const* writers; /* writes; NULL: the host writes all of them */
  const float* vectors;       /* writes × dim; NULL: the world's embedder makes them */
  const char* text_field;     /* which field of the data a text is; NULL: "statement" */
  const char* write;          /* JSON: what else a write has (type, data, tags, …); NULL: a Note */

  /* Answered, in the caller's arrays; NULL: not wanted. */
  uint32_t* counts;     /* asks: how many were found; 0 where it was refused */
  uint8_t* ids;         /* asks × k × 16: ids as bytes, the nearest first; zeros behind the last */
  double* distances;    /* asks × k; 0 behind the last */
  double* scores;       /* asks × k: saliences; 0 behind the last */
  uint8_t* written_ids; /* writes × 16; zeros where it was refused */
  int with_texts;       /* not 0: the answer has the medium forms of what was found */
} mneme_round;

/* Answers {"ok":true,"seq":…,"texts"?:[[text…]…],"refused":[{"read" or "write": number,
 * "error":{…}}…]}; {"ok":false,…} where the round as a whole is wrong, and nothing happened. */
MNEME_API mneme_answer* mneme_tick_arrays(mneme_engine* engine, const mneme_round* round,
                                          int format);

/* Closes the world: what was asked before is answered first. A second call answers `shutdown`, and
 * so does every request. From a callback it is unsupported. */
MNEME_API mneme_answer* mneme_close(mneme_engine* engine, int format);
/* Closes it if it is open, and gives it back. Nobody calls with it any more. NULL does nothing, and
 * a callback of its own cannot do it. */
MNEME_API void mneme_free(mneme_engine* engine);

/* 1 if the request succeeded, else 0. */
MNEME_API int mneme_answer_ok(const mneme_answer* answer);
/* Its bytes, of JSON with a zero behind them; their number where `size` is not NULL. They are there
 * until the answer is freed. */
MNEME_API const char* mneme_answer_bytes(const mneme_answer* answer, size_t* size);
MNEME_API void mneme_answer_free(mneme_answer* answer);

#ifdef __cplusplus
}
#endif
