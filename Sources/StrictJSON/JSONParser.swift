#if SimdJSON && os(Linux)
    internal import CSimdJSON
#endif

/// A parser that turns JSON text into a tape: an array of 64-bit words with one or two words for each value. All
/// parsers accept the same texts and make the same tape. Some rules, such as the ban on duplicate keys, are checked
/// afterwards by `JSONDocument`.
package enum JSONParser: String, CaseIterable, Sendable {
    #if SimdJSON && os(Linux)
        /// The C++ library simdjson as packaged by Debian, for servers. It is compiled in with the package's trait
        /// `SimdJSON`.
        case simdjson
    #endif
    /// A parser in plain Swift, for systems without simdjson: some twenty times slower.
    case portable

    /// The fastest parser that is available.
    package static let preferred = allCases[0]

    /// Parses a text into a tape (an array of words that represents the document).
    ///
    /// - Parameter bytes: the text, which must not be empty.
    func parse(_ bytes: UnsafeRawBufferPointer, depthMax: Int) throws(JSONError) -> JSONTapeMemory {
        switch self {
        #if SimdJSON && os(Linux)
            case .simdjson: try JSONParser.parseWithSimdJSON(bytes, depthMax: depthMax)
        #endif
        case .portable: try JSONReader.tape(of: bytes, depthMax: depthMax)
        }
    }

    #if SimdJSON && os(Linux)
        private static func parseWithSimdJSON(
            _ bytes: UnsafeRawBufferPointer, depthMax: Int
        ) throws(JSONError) -> JSONTapeMemory {
            guard let start = bytes.baseAddress else { throw .empty }
            var parsed: OpaquePointer?
            // simdjson's depth n admits n - 1 containers around a scalar or n around nothing: the document checks the
            // tape again.
            let status = csimdjson_parse(start.assumingMemoryBound(to: UInt8.self), bytes.count, depthMax + 1, &parsed)
            if let parsed { return JSONTapeMemory(simdjson: parsed) }
            if status == CSIMDJSON_NO_MEMORY.rawValue { throw .outOfMemory }
            throw JSONReader.fault(in: bytes, depthMax: depthMax) ?? .malformed
        }
    #endif
}

/// The owner of the memory of a tape, the array of words into which a JSON text was parsed.
struct JSONTapeMemory: ~Copyable {
    let tape: JSONTape
    /// The simdjson document that owns the memory; `nil` if this instance owns the memory itself.
    private let document: OpaquePointer?

    /// Takes over the memory of a tape, and frees it when this instance's lifetime ends.
    ///
    /// - Parameter tape: a tape in memory that was allocated for this tape alone.
    init(owning tape: JSONTape) {
        self.tape = tape
        document = nil
    }

    #if SimdJSON && os(Linux)
        init(simdjson document: OpaquePointer) {
            tape = JSONTape(words: csimdjson_tape(document), strings: csimdjson_strings(document))
            self.document = document
        }
    #endif

    deinit {
        #if SimdJSON && os(Linux)
            if let document {
                csimdjson_free(document)
                return
            }
        #endif
        tape.words.deallocate()
        tape.strings.deallocate()
    }
}
