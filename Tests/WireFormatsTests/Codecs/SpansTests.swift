import StrictJSON
import Testing
import WireFormats

/// Tests of the bytes that texts and arrays lend, and of the fallback of systems before iOS 26, which lend no spans.
struct SpansTests {
    static let texts = [
        "", "a", "fifteen bytes :", "sixteen bytes : ", "\u{0}", "é", "e\u{301}", "𝄞👩‍👩‍👧‍👦",
        String(repeating: "no longer a small one ", count: 100), String(repeating: "ß\u{0}", count: 1000),
    ]

    @Test(arguments: texts)
    func aTextAndAnArrayLendTheirBytes(text: String) {
        let lent = text.withUTF8Span { span in span.indices.map { span[$0] } }
        #expect(lent == Array(text.utf8))
        let bytes = Array(text.utf8).withSpanBefore26 { span in span.indices.map { span[$0] } }
        #expect(bytes == Array(text.utf8))
    }

    @Test(arguments: texts)
    func theOlderWayCopiesTheSameText(text: String) {
        let copy = text.withUTF8Span { String(copyingUTF8Before26: $0) }
        #expect(Array(copy.utf8) == Array(text.utf8))
    }

    private enum Refusal: Error, Equatable { case bytes(Int) }

    /// A value that cannot be copied, like the memory of a document.
    private struct Single: ~Copyable { let count: Int }

    @Test func theOlderWayThrowsWhatItIsThrown() {
        #expect(throws: Refusal.bytes(3)) {
            try "abc".withUTF8Span { span throws(Refusal) -> Int in throw .bytes(span.count) }
        }
        #expect(throws: Refusal.bytes(3)) {
            try [1, 2, 3].withSpanBefore26 { span throws(Refusal) -> Int in throw .bytes(span.count) }
        }
    }

    @Test func theOlderWayGivesBackWhatCannotBeCopied() {
        let single = "abc".withUTF8Span { Single(count: $0.count) }
        #expect(single.count == 3)
        let other = [1, 2, 3, 4].withSpanBefore26 { Single(count: $0.count) }
        #expect(other.count == 4)
    }
}
