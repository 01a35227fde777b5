/// A buffer for the values of a command's parameters in libpq's format. It is reused for one command after the other.
struct Bindings {
    /// The buffer, which is as large as the largest command so far needed.
    private var bytes: [UInt8] = []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []
    private var values: [UnsafePointer<CChar>?] = []

    private static let binary: Int32 = 1
    /// The smallest size of the buffer for a command's values, in bytes. It is enough for most commands.
    private static let sizeMin = 1024

    /// Encodes `parameters`, and passes their values, lengths and formats to `body`. The pointers to the values are
    /// valid until `body` returns.
    ///
    /// - Returns: the result of `body`.
    mutating func bind(
        _ parameters: [Parameter],
        _ body: (_ values: [UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]) -> Bool
    ) -> Bool {
        lengths.removeAll(keepingCapacity: true)
        for parameter in parameters { lengths.append(Int32(parameter.byteCount)) }
        while formats.count < parameters.count { formats.append(Bindings.binary) }
        // One byte more, so that an empty value still has an address: libpq sends a null pointer as NULL.
        let size = lengths.reduce(1) { $0 + Int($1) }
        if bytes.count < size { bytes = [UInt8](repeating: 0, count: max(size, Bindings.sizeMin)) }
        values.removeAll(keepingCapacity: true)
        return bytes.withUnsafeMutableBytes { bytes in
            var rest = bytes
            for (index, parameter) in parameters.enumerated() {
                parameter.write(to: rest)
                values.append(
                    parameter.isNull ? nil : UnsafePointer(rest.baseAddress?.assumingMemoryBound(to: CChar.self)))
                rest = UnsafeMutableRawBufferPointer(rebasing: rest[Int(lengths[index])...])
            }
            return body(values, lengths, formats)
        }
    }
}
