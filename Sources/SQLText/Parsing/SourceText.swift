/// A script's bytes, and the offsets of its lines.
struct SourceText {
    let bytes: [UInt8]
    private let lineStarts: [Int]

    init(_ text: String) {
        let bytes = Array(text.utf8)
        self.bytes = bytes
        lineStarts = [0] + bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
    }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// Returns the number of the line at a byte offset, from 1.
    func line(of offset: Int) -> Int {
        var low = 0
        var high = lineStarts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        return low + 1
    }

    /// Creates an error at the character `position`, from 1; 0 if the parser reports no position.
    func error(_ message: String, position: Int) -> SQLSyntaxError {
        var offset = 0
        var remaining = max(0, position - 1)
        while offset < bytes.count, remaining > 0 {
            offset += 1
            // Continuation bytes of a character, 10xxxxxx, do not count.
            while offset < bytes.count, bytes[offset] & 0xC0 == 0x80 { offset += 1 }
            remaining -= 1
        }
        return error(message, at: offset)
    }

    func error(_ message: String, at offset: Int) -> SQLSyntaxError {
        let line = line(of: offset)
        let before = bytes[lineStarts[line - 1]..<offset].count { $0 & 0xC0 != 0x80 }
        return SQLSyntaxError(message: message, line: line, column: before + 1)
    }

    func comment(_ token: SQLToken) -> SQLComment {
        let whole = text(token.bytes)
        let isDashed = whole.hasPrefix("--")
        let inner = isDashed ? whole.dropFirst(2) : whole.dropFirst(2).dropLast(2)
        let line = line(of: token.bytes.lowerBound)
        let before = bytes[lineStarts[line - 1]..<token.bytes.lowerBound]
        return SQLComment(
            text: String(inner.trimmingSpace), bytes: token.bytes, line: line, isDashed: isDashed,
            isLine: isDashed && before.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") })
    }
}

extension Substring {
    fileprivate var trimmingSpace: Substring {
        var rest = drop(while: \.isWhitespace)
        while let last = rest.last, last.isWhitespace { rest.removeLast() }
        return rest
    }
}
