import StrictJSON
import Testing
import WireFormats

struct DuplicateKeyTests {
    private func refusal(_ text: String) -> JSONError? {
        do throws(JSONError) {
            _ = try JSONDocument(parsing: text)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        (#"{"a":1,"a":2}"#, "/a"), (#"{"a":1,"\u0061":2}"#, "/a"), (#"{"":1,"":2}"#, "/"),
        (#"[0,{"b":{"x":[],"y":{},"x":1}}]"#, "/1/b/x"), (#"{"a/b~":1,"c":[[],{}],"a/b~":2}"#, "/a~1b~0"),
        (#"{"x":{"k":1},"y":{"k":1,"l":2,"k":3}}"#, "/y/k"), (#"{"a":{"b":1,"b":1},"a":1}"#, "/a"),
        (#"{"a\u0000":1,"a\u0000":2}"#, "/a\0"), (#"{"12345678x":1,"12345678x":2}"#, "/12345678x"),
    ])
    func theSecondOfTwoKeysIsNamed(_ text: String, _ path: String) {
        #expect(refusal(text) == .duplicateKey(path: path))
    }

    @Test(arguments: [
        #"{"a":1,"A":2}"#, #"{"a":1,"a ":2}"#, #"{"a":1,"a\u0000":2}"#, #"{"12345678x":1,"12345678y":2}"#,
        #"{"12345678ax":1,"12345678bx":2}"#, #"{"a":{"a":{"a":1}}}"#, "{\"\u{E9}\":1,\"e\u{301}\":2}",
    ])
    func keysThatDifferInAByteAreNoDuplicates(_ text: String) {
        #expect(refusal(text) == nil)
    }

    @Test(arguments: [2, 3, 15, 16, 17, 18, 100, 5_000])
    func aDuplicateIsFoundInObjectsOfAnySizeAndAtAnyIndex(_ count: Int) {
        var random = SeededRandom(seed: UInt64(count))
        let keys = (0..<count).map { "key-number-\($0)" }
        let distinct = "{" + keys.map { "\"\($0)\":[1]" }.joined(separator: ",") + "}"
        #expect(refusal(distinct) == nil)
        for _ in 0..<(count > 1000 ? 5 : 50) {
            let second = Int.random(in: 1..<count, using: &random)
            var keys = keys
            keys[second] = keys[Int.random(in: 0..<second, using: &random)]
            let text = "{" + keys.map { "\"\($0)\":[1]" }.joined(separator: ",") + "}"
            #expect(refusal(text) == .duplicateKey(path: "/\(keys[second])"))
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func aHundredThousandKeysTakeNoQuadraticTime() {
        let alike = String(repeating: "same-start-", count: 4)
        let text = "{" + (0..<100_000).map { "\"\(alike)\($0)-same-end\":0" }.joined(separator: ",") + "}"
        let clock = ContinuousClock()
        let taken = clock.measure { #expect(refusal(text) == nil) }
        // Pairwise this would be five thousand million comparisons; a debug build here takes a few tenths of a second.
        #expect(taken < .seconds(20))
    }

    @Test func aLongPathIsShortenedForReading() {
        let key = String(repeating: "k", count: 100_000)
        let error = refusal("{\"\(key)\":1,\"\(key)\":2}")
        #expect(error == .duplicateKey(path: "/" + key))
        #expect((error?.description.utf8.count ?? .max) < 300)
    }
}
