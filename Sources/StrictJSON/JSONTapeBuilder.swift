/// Writes a tape (the array of words that represents a document) in simdjson's layout (doc/tape.md), value by value.
struct JSONTapeBuilder: ~Copyable {
    private let memory: JSONTapeMemory
    private let words: UnsafeMutablePointer<UInt64>
    private let strings: UnsafeMutablePointer<UInt8>
    private var wordsCount = 1
    private var stringsCount = 0
    /// The arrays and objects that are not closed yet, outermost first. Each has the tape index at which it starts, and
    /// the number of its elements or members so far.
    private var open: [(start: Int, count: Int)] = []

    /// Reserves the memory for a text's tape and for its strings.
    ///
    /// - Parameter textSize: the text's size in bytes, which bounds both. A value takes at most one word on the tape
    ///   for each byte of its text, separator included: the number in `1,` takes two words. A string takes at most two
    ///   bytes in the string buffer for each byte of its text: `"",` takes five.
    init(textSize: Int) {
        words = .allocate(capacity: textSize + 4)
        // Code may read eight bytes from the start of any string.
        strings = .allocate(capacity: textSize * 2 + 16)
        memory = JSONTapeMemory(owning: JSONTape(words: UnsafePointer(words), strings: UnsafePointer(strings)))
    }

    /// Completes the tape, and returns the memory that contains it. Called when the document's outermost value is
    /// complete.
    consuming func finished() -> JSONTapeMemory {
        words[0] = JSONTapeBuilder.word(UInt8(ascii: "r"), UInt64(wordsCount))
        words[wordsCount] = JSONTapeBuilder.word(UInt8(ascii: "r"), 0)
        return memory
    }

    mutating func beginContainer(_ tag: UInt8) {
        countValue()
        open.append((wordsCount, 0))
        append(tag, 0)
    }

    mutating func endContainer(_ tag: UInt8) {
        guard let (start, count) = open.popLast() else { return }
        append(tag, UInt64(start))
        words[start] |= UInt64(min(count, 0xFF_FFFF)) << 32 | UInt64(wordsCount)
    }

    mutating func literal(_ tag: UInt8) {
        countValue()
        append(tag, 0)
    }

    mutating func number(_ number: JSONTextScanner.Number) {
        countValue()
        switch number {
        case .int(let value):
            append(JSONTape.Tag.int, 0)
            append(bits: UInt64(bitPattern: value))
        case .uint(let value):
            append(JSONTape.Tag.uint, 0)
            append(bits: value)
        case .double(let value):
            append(JSONTape.Tag.double, 0)
            append(bits: value.bitPattern)
        }
    }

    /// Appends a string value, with its escapes replaced by the characters.
    ///
    /// - Parameter text: the valid text between the quotes.
    mutating func string(_ text: Slice<UnsafeRawBufferPointer>) {
        countValue()
        key(text)
    }

    /// Appends an object's key. It is stored like a string value, but does not count as one of the object's values.
    mutating func key(_ text: Slice<UnsafeRawBufferPointer>) {
        append(JSONTape.Tag.string, UInt64(stringsCount))
        let start = stringsCount + 4
        var end = start
        var index = text.startIndex
        while index < text.endIndex {
            if text[index] == UInt8(ascii: "\\") {
                let scalar = JSONTapeBuilder.unescape(text, &index)
                for byte in UTF8.encode(scalar).unsafelyUnwrapped {
                    strings[end] = byte
                    end += 1
                }
            } else {
                strings[end] = text[index]
                end += 1
                index += 1
            }
        }
        UnsafeMutableRawPointer(strings + stringsCount).storeBytes(of: UInt32(end - start), as: UInt32.self)
        strings[end] = 0
        stringsCount = end + 1
    }

    private mutating func countValue() {
        if !open.isEmpty { open[open.count - 1].count += 1 }
    }

    private mutating func append(_ tag: UInt8, _ payload: UInt64) { append(bits: JSONTapeBuilder.word(tag, payload)) }

    private mutating func append(bits: UInt64) {
        words[wordsCount] = bits
        wordsCount += 1
    }

    private static func word(_ tag: UInt8, _ payload: UInt64) -> UInt64 { UInt64(tag) << 56 | payload }

    /// Returns the character that an escape stands for (RFC 8259, section 7).
    ///
    /// - Parameter index: the index of the escape's backslash; afterwards that of the byte after the escape.
    private static func unescape(_ text: Slice<UnsafeRawBufferPointer>, _ index: inout Int) -> Unicode.Scalar {
        let kind = text[index + 1]
        guard kind == UInt8(ascii: "u") else {
            index += 2
            return switch kind {
            case UInt8(ascii: "b"): "\u{8}"
            case UInt8(ascii: "f"): "\u{C}"
            case UInt8(ascii: "n"): "\n"
            case UInt8(ascii: "r"): "\r"
            case UInt8(ascii: "t"): "\t"
            default: Unicode.Scalar(kind)
            }
        }
        let first = unit(text, index + 2)
        index += 6
        guard UTF16.isLeadSurrogate(first) else { return Unicode.Scalar(first) ?? "\u{FFFD}" }
        let second = unit(text, index + 2)
        index += 6
        return UTF16.decode(UTF16.EncodedScalar([first, second]))
    }

    private static func unit(_ text: Slice<UnsafeRawBufferPointer>, _ start: Int) -> UInt16 {
        (start..<start + 4).reduce(0) { unit, index in unit << 4 | UInt16(Hex.value(text[index]) ?? 0) }
    }
}
