import Testing

@testable import WireFormats

@Suite struct OneOfTests {
    @Test func aTextThatOnlyLooksLikeACaseIsNotOne() {
        let step = OneOf(cases: ["café"], unknown: .string("other"))
        #expect(step.narrowed(.string("caf\u{E9}")) == .string("caf\u{E9}"))
        #expect(step.narrowed(.string("cafe\u{301}")) == .string("other"))
    }

    @Test func aDefaultThatOnlyLooksLikeACaseDoesNotFit() {
        let kind = AttributeType.Kind.enumeration(name: "Kind", cases: ["caf\u{E9}"])
        #expect(Default.string("caf\u{E9}").fits(kind))
        #expect(!Default.string("cafe\u{301}").fits(kind))
    }
}
