#include "CSimdJSON.h"

#include <memory>
#include <new>
#include <simdjson.h>

using namespace simdjson;

struct csimdjson_document {
  dom::document document;
};

namespace {

// A parser keeps about six bytes of scratch for each byte of the longest input it has seen. Inputs up to this size
// share one parser per thread; a longer one gets its own, so that no thread holds on to megabytes.
constexpr size_t shared_input_max = 1 << 18;

error_code parse_into(
    dom::parser &parser, dom::document &document, const uint8_t *bytes, size_t length, size_t depth_max) {
  // doc/dom.md: the capacity and the depth are fixed by allocate(); parse() only grows the capacity.
  if (parser.capacity() < length || parser.max_depth() != depth_max) {
    size_t capacity = length < 4096 ? 4096 : length;
    if (auto error = parser.allocate(capacity, depth_max)) { return error; }
  }
  // The last argument makes simdjson copy the input to where it may read SIMDJSON_PADDING bytes past the end.
  return parser.parse_into_document(document, bytes, length, true).error();
}

}  // namespace

int csimdjson_parse(
    const uint8_t *bytes, size_t length, size_t depth_max, csimdjson_document **document) noexcept {
  std::unique_ptr<csimdjson_document> parsed(new (std::nothrow) csimdjson_document());
  if (!parsed) { return CSIMDJSON_NO_MEMORY; }
  error_code error;
  if (length <= shared_input_max) {
    thread_local dom::parser parser;
    error = parse_into(parser, parsed->document, bytes, length, depth_max);
  } else {
    dom::parser parser;
    error = parse_into(parser, parsed->document, bytes, length, depth_max);
  }
  if (error == MEMALLOC) { return CSIMDJSON_NO_MEMORY; }
  if (error) { return CSIMDJSON_REFUSED; }
  *document = parsed.release();
  return CSIMDJSON_OK;
}

void csimdjson_free(csimdjson_document *document) noexcept { delete document; }

const uint64_t *csimdjson_tape(const csimdjson_document *document) noexcept { return document->document.tape.get(); }

const uint8_t *csimdjson_strings(const csimdjson_document *document) noexcept {
  return document->document.string_buf.get();
}
