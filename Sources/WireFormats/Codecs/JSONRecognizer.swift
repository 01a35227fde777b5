import StrictJSON

/// Recognizes JSON text that is already in the form in which the server stores it: no white space, keys in ascending
/// order, no needless escapes. Nearly all stored JSON is of this kind, and recognizing it takes one pass and allocates
/// no memory.
///
/// JSON that is not recognized may still be valid: `WireForm` then parses it completely. Numbers need not be in their
/// shortest form, because the protocol does not require it.
struct JSONRecognizer {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0
    private let element: Element

    /// The type that every element of the outermost array must have. Its cases have no associated values, so that
    /// comparing them is cheap: this is done once for each element.
    enum Element {
        case any, bool, int, double, string
        /// Elements of any other type, such as dates. Only an empty array of them is recognized.
        case other

        init(_ kind: AttributeType.Kind) {
            self =
                switch kind {
                case .bool: .bool
                case .int: .int
                case .double: .double
                case .string: .string
                case .codable: .any
                case .decimal, .date, .uuid, .data, .enumeration, .array, .reference: .other
                }
        }
    }

    /// The most digits before the decimal point that a recognized number may have. With at most 18 digits and an
    /// exponent of at most 200, a number cannot overflow an `Int64` or a `Double`. Longer numbers go to the full
    /// parser.
    private static let digitsMax = 18
    private static let exponentMax = 200

    private init(_ bytes: UnsafeRawBufferPointer, element: Element) {
        (self.bytes, self.element) = (bytes, element)
    }

    /// Returns true if `bytes` are one array with elements of the type `element`, in the form in which the server
    /// stores JSON.
    static func isArray(of element: Element, _ bytes: UnsafeRawBufferPointer) -> Bool {
        var recognizer = JSONRecognizer(bytes, element: element)
        return recognizer.array(depth: 1) && recognizer.offset == bytes.count
    }

    /// Returns true if `bytes` are one object or one array, with any contents, in the form in which the server stores
    /// JSON.
    static func isContainer(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var recognizer = JSONRecognizer(bytes, element: .any)
        guard let first = bytes.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return false }
        return recognizer.value(depth: 1) && recognizer.offset == bytes.count
    }

    private var byte: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func takes(_ wanted: UInt8) -> Bool {
        guard byte == wanted else { return false }
        offset &+= 1
        return true
    }

    /// Passes over a JSON value. Returns true if the value is in the form in which the server stores JSON.
    ///
    /// - Parameter depth: the nesting depth that the value has if it is an array or an object.
    private mutating func value(depth: Int) -> Bool {
        switch byte {
        case UInt8(ascii: "\""): return string()
        case UInt8(ascii: "{"): return object(depth: depth)
        case UInt8(ascii: "["): return array(depth: depth)
        case UInt8(ascii: "t"): return literal("true")
        case UInt8(ascii: "f"): return literal("false")
        case UInt8(ascii: "n"): return literal("null")
        default: return number(isWhole: false)
        }
    }

    private mutating func array(depth: Int) -> Bool {
        guard depth <= WireForm.depthMax, takes(UInt8(ascii: "[")) else { return false }
        if takes(UInt8(ascii: "]")) { return true }
        repeat {
            guard depth == 1 ? outermostElement() : value(depth: depth &+ 1) else { return false }
        } while takes(UInt8(ascii: ","))
        return takes(UInt8(ascii: "]"))
    }

    private mutating func outermostElement() -> Bool {
        switch element {
        case .any: value(depth: 2)
        case .bool: byte == UInt8(ascii: "t") ? literal("true") : literal("false")
        case .int: number(isWhole: true)
        case .double: number(isWhole: false)
        case .string: string()
        case .other: false
        }
    }

    private mutating func object(depth: Int) -> Bool {
        guard depth <= WireForm.depthMax, takes(UInt8(ascii: "{")) else { return false }
        if takes(UInt8(ascii: "}")) { return true }
        var before: Range<Int>?
        repeat {
            let start = offset &+ 1
            guard plainString() else { return false }
            let key = start..<offset &- 1
            // Keys must be ascending, so no key is there twice.
            if let before, !Bytes.precedes(slice(before), slice(key)) { return false }
            before = key
            guard takes(UInt8(ascii: ":")), value(depth: depth &+ 1) else { return false }
        } while takes(UInt8(ascii: ","))
        return takes(UInt8(ascii: "}"))
    }

    private func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[range])
    }

    private mutating func literal(_ literal: StaticString) -> Bool {
        let end = offset &+ literal.utf8CodeUnitCount
        guard end <= bytes.count else { return false }
        let wanted = UnsafeRawBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount)
        guard Bytes.equal(slice(offset..<end), wanted) else { return false }
        offset = end
        return true
    }

    /// Passes over a string without escapes. Returns true if there was one.
    private mutating func plainString() -> Bool {
        guard takes(UInt8(ascii: "\"")) else { return false }
        while let byte, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { offset &+= 1 }
        return takes(UInt8(ascii: "\""))
    }

    private mutating func string() -> Bool {
        guard takes(UInt8(ascii: "\"")) else { return false }
        while let byte, byte >= 0x20 {
            offset &+= 1
            if byte == UInt8(ascii: "\"") { return true }
            if byte == UInt8(ascii: "\\"), !escape() { return false }
        }
        return false
    }

    /// Passes over the rest of an escape, from the character after the backslash. Returns true if the server's own
    /// writer makes such an escape. Escapes of U+0000 and of surrogates are not accepted.
    private mutating func escape() -> Bool {
        guard let kind = byte else { return false }
        offset &+= 1
        switch kind {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"),
            UInt8(ascii: "r"), UInt8(ascii: "t"):
            return true
        case UInt8(ascii: "u"):
            guard offset &+ 4 <= bytes.count, bytes[offset] == UInt8(ascii: "0"), bytes[offset &+ 1] == bytes[offset],
                let high = Hex.value(bytes[offset &+ 2]), let low = Hex.value(bytes[offset &+ 3]), high < 2
            else { return false }
            offset &+= 4
            return high | low != 0
        default: return false
        }
    }

    private mutating func number(isWhole: Bool) -> Bool {
        let isNegative = takes(UInt8(ascii: "-"))
        let start = offset
        guard let first = byte, let digits = digits(), digits <= JSONRecognizer.digitsMax else { return false }
        if first == UInt8(ascii: "0"), digits > 1 { return false }
        let isPlain = byte != UInt8(ascii: ".") && byte.map { $0 | 0x20 } != UInt8(ascii: "e")
        if isPlain { return !(isNegative && bytes[start] == UInt8(ascii: "0")) }
        if isWhole { return false }
        if takes(UInt8(ascii: ".")), self.digits() == nil { return false }
        guard byte.map({ $0 | 0x20 }) == UInt8(ascii: "e") else { return true }
        offset &+= 1
        if !takes(UInt8(ascii: "-")) { _ = takes(UInt8(ascii: "+")) }
        let exponent = offset
        guard let count = self.digits(), count <= 3 else { return false }
        let value = (exponent..<exponent &+ count).reduce(0) { $0 &* 10 &+ Int(bytes[$1] &- UInt8(ascii: "0")) }
        return value <= JSONRecognizer.exponentMax
    }

    /// Passes over digits and returns their number; `nil` if there is none.
    private mutating func digits() -> Int? {
        let start = offset
        while let byte, byte &- UInt8(ascii: "0") < 10 { offset &+= 1 }
        return offset > start ? offset &- start : nil
    }
}
