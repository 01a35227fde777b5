// `Span` is available from iOS 12, but the `span` property of arrays, and copies of spans into strings, came with
// iOS 26. These few functions contain both ways, so that no other code has to check availability. On Linux the newer
// way is the only one, and the check costs nothing. A string's bytes are lent in one way everywhere.

extension String {
    /// Calls `body` with the text's UTF-8 bytes, and returns the result of `body`.
    ///
    /// It does not use `utf8Span`. In optimized builds with Swift 6.3.1, the bytes of a short text were no longer valid
    /// when `body` read them (found by `Base64Tests`).
    @inlinable
    package func withUTF8Span<R: ~Copyable, E: Error>(
        _ body: (Span<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        var text = self
        // `withUTF8` supports neither typed throws nor results that cannot be copied.
        var result: Result<R, E>?
        text.withUTF8 { bytes in
            result = Result { () throws(E) -> R in try body(Span(_unsafeElements: bytes)) }
        }
        guard let result = result.take() else { preconditionFailure("The bytes of a text were not lent.") }
        return try result.get()
    }

    /// Makes a string from a copy of `bytes`, which must be valid UTF-8.
    @inlinable @inline(__always)
    package init(copyingUTF8 bytes: Span<UInt8>, isKnownASCII: Bool = false) {
        if #available(iOS 26, macOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            self.init(copying: UTF8Span(unchecked: bytes, isKnownASCII: isKnownASCII))
        } else {
            self.init(copyingUTF8Before26: bytes)
        }
    }

    /// Makes a string from a copy of valid UTF-8, on systems before iOS 26. Those systems validate the bytes again.
    @usableFromInline
    package init(copyingUTF8Before26 bytes: Span<UInt8>) {
        self = bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }
}

extension [UInt8] {
    /// Calls `body` with a span of the array's bytes, and returns the result of `body`.
    @inlinable @inline(__always)
    package func withSpan<R: ~Copyable, E: Error>(
        _ body: (Span<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        guard #available(iOS 26, macOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
            return try withSpanBefore26(body)
        }
        return try body(span)
    }

    /// Calls `body` with a span of the array's bytes, on systems before iOS 26. Nothing is copied, unless the array is
    /// stored as an `NSArray`.
    @usableFromInline
    package func withSpanBefore26<R: ~Copyable, E: Error>(
        _ body: (Span<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        let bytes = ContiguousArray(self)
        return try body(bytes.span)
    }
}
