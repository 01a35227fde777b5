extension JSONWriter {
    package mutating func int(_ value: Int64) {
        comma()
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        digits(value.magnitude)
        wroteValue()
    }

    package mutating func int(_ value: Int) { int(Int64(value)) }

    mutating func uint(_ value: UInt64) {
        comma()
        digits(value)
        wroteValue()
    }

    /// Writes the shortest decimal that reads back as the same `Double`; `-0.0` is written as `0.0`.
    ///
    /// - Precondition: `value` is finite; JSON has no other numbers.
    package mutating func double(_ value: Double) {
        precondition(value.isFinite, "JSON cannot hold a number that is not finite.")
        // `description` gives the fewest digits that read back, closest to the exact value: "0.1", "500.0", "1e+16",
        // "5e-324", all of them JSON numbers. Adding 0.0 turns -0.0 into 0.0 and changes nothing else.
        raw(json: (value + 0.0).description)
    }

    /// Writes, in quotes, the text that `write` appends to the span: at most `countMax` bytes, none of which needs an
    /// escape.
    @inlinable @inline(__always)
    package mutating func quoted(_ countMax: Int, _ write: (inout OutputSpan<UInt8>) -> Void) {
        comma()
        bytes.append(addingCapacity: countMax + 2) { span in
            span.append(UInt8(ascii: "\""))
            write(&span)
            span.append(UInt8(ascii: "\""))
        }
        wroteValue()
    }

    private mutating func digits(_ value: UInt64) {
        if value < 10 { return bytes.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value)) }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var start = 20
            var rest = value
            repeat {
                start &-= 1
                digits.initializeElement(at: start, to: UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10))
                rest /= 10
            } while rest > 0
            append(UnsafeBufferPointer(rebasing: digits[start...]))
        }
    }
}
