internal import SourceFacts
internal import SwiftSyntax

internal import struct SourceFacts.SourceLocation

/// The text of a file, with the line of each byte.
struct SourceText {
    let name: String
    let text: String
    /// The offset in UTF-8 of each line's first byte.
    private let lineStarts: [Int]

    /// Reads a text without its byte order mark, as the compiler does.
    init(name: String, text: String) {
        self.name = name
        self.text = text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
        var starts = [0]
        var previous: UInt8 = 0
        for (offset, byte) in self.text.utf8.enumerated() {
            // CR LF ends a single line.
            if previous == UInt8(ascii: "\n") || (previous == UInt8(ascii: "\r") && byte != UInt8(ascii: "\n")) {
                starts.append(offset)
            }
            previous = byte
        }
        lineStarts = starts
    }

    /// Returns the location of a node, without the comments and spaces before it.
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
