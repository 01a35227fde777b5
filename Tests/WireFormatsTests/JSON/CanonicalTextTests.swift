import StrictJSON
import Testing
import WireFormats

struct CanonicalTextTests {
    @Test(arguments: [
        (" { \"b\" : [ 1 , 2.50 , -0.0 ] , \"a\" : null } ", #"{"a":null,"b":[1,2.5,0.0]}"#), ("-0", "0"),
        ("1.0", "1.0"),
        ("1", "1"), ("1e3", "1000.0"), ("1e16", "1e+16"), ("100000000000000000000.0", "1e+20"), ("1E-7", "1e-07"),
        ("18446744073709551615", "18446744073709551615"), (#""\u0041\/\u00e9\u2028""#, "\"A/é\u{2028}\""),
        (#""\u0000\u001f\b\t\n\f\r\"\\\u007f""#, "\"\\u0000\\u001f\\b\\t\\n\\f\\r\\\"\\\\\u{7F}\""), ("[]", "[]"),
        ("{}", "{}"),
        (
            #"{"é":1,"z":2,"":3,"ab":4,"a":5,"😀":6,"\uffff":7}"#,
            "{\"\":3,\"a\":5,\"ab\":4,\"z\":2,\"é\":1,\"\u{FFFF}\":7,\"😀\":6}"
        ),
        (#"{"a":{"d":1,"c":2}}"#, #"{"a":{"c":2,"d":1}}"#), ("true", "true"),
    ])
    func valuesHaveOneText(_ text: String, _ expected: String) throws {
        let canonical = try JSONDocument(parsing: text).root.canonicalText()
        #expect(Array(canonical.utf8) == Array(expected.utf8))
    }

    @Test(arguments: SeededRandom.seeds)
    func canonicalTextSaysTheSameAndIsItsOwnCanonicalText(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<2_000 {
            let tree = JSONTree.random(depth: 4, using: &random)
            let canonical = try JSONDocument(parsing: tree.wildText(using: &random)).root.canonicalText()
            let again = try JSONDocument(parsing: canonical).root
            #expect(JSONTree(again) == tree.sorted)
            #expect(again.canonicalText().utf8.elementsEqual(canonical.utf8))
        }
    }

    @Test func aNodeInsideADocumentHasItsOwnCanonicalText() throws {
        let root = try JSONDocument(parsing: #"{"x":{"b":1,"a":[true, "t"]},"y":0}"#).root
        #expect(root["x"]?.canonicalText() == #"{"a":[true,"t"],"b":1}"#)
    }
}
