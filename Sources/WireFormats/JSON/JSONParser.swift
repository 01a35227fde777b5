#if SimdJSON && os(Linux)
    internal import CSimdJSON
#endif

/// What turns JSON text into a tape. Each parser takes the same texts and makes the same tape of them; `JSONDocument`
/// checks afterwards what none of them does.
package enum JSONParser: String, CaseIterable, Sendable {
    #if SimdJSON && os(Linux)
        /// simdjson from Debian: what servers run. The package's trait `SimdJSON` includes it.
        case simdjson
    #endif
    /// Plain Swift, for wherever simdjson is not: some twenty times slower.
    case portable

    /// The fastest that there is.
    package static let preferred = allCases[0]

    /// - Parameter bytes: not empty.
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

/// Owns what a tape points to.
struct JSONTapeMemory: ~Copyable {
    let tape: JSONTape
    /// simdjson's document, where it is that which has the memory.
    private let document: OpaquePointer?

    /// - Parameter tape: in memory that was allocated for it alone, and is freed here.
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
