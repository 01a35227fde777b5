internal import SourceFacts
internal import SwiftSyntax

internal import struct SourceFacts.SourceLocation

/// A file's text, and which line each of its bytes is in.
struct SourceText {
    let name: String
    let text: String
    /// Offsets in UTF-8, of each line's first byte.
    private let lineStarts: [Int]

    /// A byte order mark is left out, as the compiler does.
    init(name: String, text: String) {
        self.name = name
        self.text = text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
        var starts = [0]
        var previous: UInt8 = 0
        for (offset, byte) in self.text.utf8.enumerated() {
            // CR LF ends one line.
            if previous == UInt8(ascii: "\n") || (previous == UInt8(ascii: "\r") && byte != UInt8(ascii: "\n")) {
                starts.append(offset)
            }
            previous = byte
        }
        lineStarts = starts
    }

    /// Where a node is written, without what stands before it.
    func location(of node: some SyntaxProtocol) -> SourceLocation {
        location(at: node.positionAfterSkippingLeadingTrivia)
    }

    func location(at position: AbsolutePosition) -> SourceLocation {
        var low = 0
        var high = lineStarts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= position.utf8Offset { low = middle } else { high = middle }
        }
        return SourceLocation(file: name, line: low + 1)
    }
}
