import StrictJSON
import Testing
import WireFormats

/// Invalid elements of an array are skipped without a change to any other element.
@Suite struct JSONSalvageTests {
    private func salvage(_ text: String, max: Int = 100) -> JSONSalvage? { salvage(Array(text.utf8), max: max) }

    private func salvage(_ bytes: [UInt8], max: Int = 100) -> JSONSalvage? {
        JSONSalvage(ofMember: "changes", in: bytes, elementsMax: max, limits: JSONDocument.Limits())
    }

    @Test func aBadElementBecomesNull() throws {
        let mended = try #require(
            salvage(#" {"a" : [{"b":"]}"}] , "ch\u0061nges":[ {"x":[1,{}]} , {"y":"\ud83d"},3 ], "z":1}"#))
        #expect(
            String(decoding: mended.bytes, as: UTF8.self)
                == #" {"a" : [{"b":"]}"}] , "ch\u0061nges":[ {"x":[1,{}]} , null,3 ], "z":1}"#)
        #expect(mended.faults == [1: .loneSurrogate(offset: 6)])
    }

    /// The root and the array take two of the levels.
    @Test(arguments: [(62, true), (63, false)])
    func anElementNestsAsDeepAsInTheWholeText(depth: Int, isGood: Bool) throws {
        let deep = "{\"a\":" + String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1) + "}"
        let text = "{\"changes\":[\(deep)]}"
        #expect(((try? JSONDocument(parsing: text)) != nil) == isGood)
        #expect((salvage(text) == nil) == isGood)
    }

    @Test(arguments: [
        "", "{", "[]", "{}", #"{"changes":{}}"#, #"{"changes":[]}"#, #"{"changes":[{}]}"#,
        #"{"changes":[{"a":"\ud83d"}"#,
        #"{"changes":[{"a":"\ud83d},{"b":"x"}]}"#, #"{"changes":[{"a":"\ud83d"},]}"#,
        #"{"changes":[{"a":"\ud83d"}{}]}"#,
        #"{"changes":["\ud83d"]}"#, #"{"changes":[{"a":"\ud83d",}]}"#, #"{"changes":[{"a" "\ud83d"}]}"#,
        #"{"changes":[{"a":[01}]]}"#, #"{"changes":[{01:1}]}"#, #"{"\ud83d":1,"changes":[{"a":01}]}"#,
        #"{"changes":[{"a":"\"#,
        #"{"changes":[{"a":01},{},{},{}]}"#,
    ])
    func whatIsOtherwiseWrongIsNotMended(text: String) {
        #expect(salvage(text, max: 3) == nil)
    }

    /// Cuts and insertions anywhere in a text: the salvaged array has as many elements as before, and the valid ones
    /// are unchanged.
    @Test(arguments: [1, UInt64.random(in: 2 ... .max)])
    func nothingIsReadAsAnotherThanItIs(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let pieces: [[UInt8]] =
            [
                #"{"#, #"}"#, "[", "]", ",", ":", "\"", "\\", #"\ud83d"#, "01", "null", " ", #"{"a":1}"#,
                #"{"a":"\ud83d"}"#,
            ].map {
                Array($0.utf8)
            } + [[0xC3], [0], [0x1F]]
        for _ in 0..<20_000 {
            var bytes = Array(
                #"{"cursor":null,"changes":[{"a":"x,\"}"},{"b":[1,{"c":"é"}]},{"d":1e5}],"limit":1}"#.utf8)
            for _ in 0..<(1 + random.below(4)) {
                let piece = pieces[random.below(pieces.count)]
                let start = random.below(bytes.count)
                bytes.replaceSubrange(start..<min(bytes.count, start + random.below(3)), with: piece)
            }
            guard let mended = salvage(bytes), let document = try? JSONDocument(parsing: mended.bytes) else { continue }
            // Without the invalid elements a strict reader of the same grammar accepts the text. So a text that it
            // accepts as it is has no invalid elements.
            #expect((try? JSONDocument(parsing: bytes)) == nil, "seed \(seed)")
            let elements = try #require(document.root["changes"]?.elements.map(Array.init), "seed \(seed)")
            for index in mended.faults.keys { #expect(elements[index].isNull, "seed \(seed)") }
        }
    }
}
