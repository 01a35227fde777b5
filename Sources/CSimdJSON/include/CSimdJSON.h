#pragma once
// The extern "C" face of simdjson's DOM parser (simdjson 3.0.1, doc/dom.md and doc/tape.md). No exception crosses it.

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define CSIMDJSON_NOEXCEPT noexcept
#else
#define CSIMDJSON_NOEXCEPT
#endif

/// A parsed document: its tape and its string buffer. It does not refer to the input.
typedef struct csimdjson_document csimdjson_document;

enum csimdjson_status {
  CSIMDJSON_OK = 0,
  /// The input is not JSON, or is deeper than allowed, or holds a number that fits no 64-bit type.
  CSIMDJSON_REFUSED = 1,
  CSIMDJSON_NO_MEMORY = 2,
};

/// Parses `length` bytes, which need no padding, and sets `*document` when it answers `CSIMDJSON_OK`; the caller then
/// owns it. `depth_max` counts as simdjson does: that many containers, of which the innermost is empty.
int csimdjson_parse(const uint8_t *bytes, size_t length, size_t depth_max, csimdjson_document **document)
    CSIMDJSON_NOEXCEPT;

/// Frees a document; `NULL` is allowed.
void csimdjson_free(csimdjson_document *document) CSIMDJSON_NOEXCEPT;

/// The tape's words, as doc/tape.md lays them out; word 0 is the root and holds the index of the last word.
const uint64_t *csimdjson_tape(const csimdjson_document *document) CSIMDJSON_NOEXCEPT;

/// The strings that the tape points to: each a 32-bit length in the machine's order, the UTF-8 bytes, and a zero byte.
/// At least eight bytes may be read from the start of any of them.
const uint8_t *csimdjson_strings(const csimdjson_document *document) CSIMDJSON_NOEXCEPT;

#ifdef __cplusplus
}
#endif
