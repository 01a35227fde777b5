/// A JSON text (RFC 8259) that has been read completely and found valid: UTF-8, one value, no key twice in an object.
///
/// Nodes refer to the document and keep it alive. Immutable once made; it does not refer to the bytes that it was read
/// from. It reserves about 10 bytes of address space per byte of input, of which only the part that the values need is
/// touched.
package final class JSONDocument {
    /// The limits on a document's size and depth.
    package struct Limits: Sendable {
        /// The greatest size of the input, in bytes. It must be less than 2^31, because 32 bits have to suffice for an
        /// index on the tape (the array of words into which the input is parsed).
        package var bytesMax: Int
        /// The greatest depth to which arrays and objects may be nested; `[]` has depth one.
        package var depthMax: Int

        /// Sets the limits.
        ///
        /// - Precondition: `bytesMax` is less than 2^31. `depthMax` is at most 1,024, because it also limits the depth
        ///   of recursive functions.
        package init(bytesMax: Int = 64 << 20, depthMax: Int = 64) {
            precondition(
                bytesMax < 1 << 31 && depthMax <= 1024, "The JSON limits are beyond what the reader can hold.")
            self.bytesMax = bytesMax
            self.depthMax = depthMax
        }
    }

    private let memory: JSONTapeMemory
    @usableFromInline package let tape: JSONTape

    /// Parses the JSON text in `bytes`. The document does not refer to `bytes` afterwards.
    ///
    /// O(n) in the bytes, or O(n log n) if many keys of one object have to be compared. If the text is refused, it is
    /// read a second time, byte by byte, to find the position of its fault.
    ///
    /// - Throws: `JSONError` if `bytes` are not a valid document, or exceed a limit.
    package convenience init(parsing bytes: UnsafeRawBufferPointer, limits: Limits = Limits()) throws(JSONError) {
        try self.init(parsing: bytes, limits: limits, with: .preferred)
    }

    package convenience init(parsing bytes: Span<UInt8>, limits: Limits = Limits()) throws(JSONError) {
        self.init(try JSONDocument.parsed(bytes, limits))
    }

    /// Parses `bytes` with the given parser instead of the preferred one.
    package convenience init(
        parsing bytes: UnsafeRawBufferPointer, limits: Limits = Limits(), with parser: JSONParser
    ) throws(JSONError) {
        self.init(try JSONDocument.parsed(bytes, limits, parser))
    }

    private init(_ memory: consuming JSONTapeMemory) {
        tape = memory.tape
        self.memory = memory
    }

    package convenience init(parsing bytes: [UInt8], limits: Limits = Limits()) throws(JSONError) {
        self.init(
            try bytes.withSpan { bytes throws(JSONError) in try JSONDocument.parsed(bytes, limits) })
    }

    /// Parses the JSON text `text`.
    package convenience init(parsing text: String, limits: Limits = Limits()) throws(JSONError) {
        self.init(
            try text.withUTF8Span { bytes throws(JSONError) in try JSONDocument.parsed(bytes, limits) })
    }

    /// The node of the document's outermost value.
    package var root: JSONNode { JSONNode(document: self, index: JSONTape.rootIndex) }

    private static func parsed(_ bytes: Span<UInt8>, _ limits: Limits) throws(JSONError) -> JSONTapeMemory {
        try bytes.withUnsafeBytes { buffer throws(JSONError) in try parsed(buffer, limits, .preferred) }
    }

    private static func parsed(
        _ bytes: UnsafeRawBufferPointer, _ limits: Limits, _ parser: JSONParser
    ) throws(JSONError) -> JSONTapeMemory {
        guard bytes.count <= limits.bytesMax else { throw .tooLarge(bytes: bytes.count, max: limits.bytesMax) }
        guard !bytes.isEmpty else { throw .empty }
        let memory = try parser.parse(bytes, depthMax: limits.depthMax)
        switch memory.tape.firstFault(depthMax: limits.depthMax) {
        case nil: return memory
        case .tooDeep: throw JSONReader.fault(in: bytes, depthMax: limits.depthMax) ?? .malformed
        case .duplicateKey(let index): throw .duplicateKey(path: memory.tape.path(to: index))
        }
    }
}
