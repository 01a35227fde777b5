import StrictJSON
import Testing
import WireFormats

struct JSONWriterTests {
    private func text(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func commasAreWrittenBetweenValuesOnly() {
        let written = text { writer in
            writer.beginObject()
            writer.key("a" as JSONKey)
            writer.beginArray()
            writer.beginArray()
            writer.endArray()
            writer.int(1)
            writer.beginObject()
            writer.endObject()
            writer.null()
            writer.endArray()
            writer.key("b\n" as String)
            writer.bool(true)
            writer.key("c\"" as JSONKey)
            writer.raw(json: "[1]")
            writer.endObject()
        }
        #expect(written == #"{"a":[[],1,{},null],"b\n":true,"c\"":[1]}"#)
    }

    @Test func aClearedWriterStartsAnew() {
        let written = text { writer in
            writer.beginArray()
            writer.int(1)
            writer.removeAll()
            writer.int(2)
        }
        #expect(written == "2")
    }

    @Test func valuesTakeTheirWireForm() throws {
        let values: [Value] = [
            .null, .bool(false), .int(.min), .double(0.1), .decimal(try #require(DecimalText("1.50"))),
            .string("é\"\0"),
            .date(Timestamp(microseconds: 1_500_000)), .uuid(ID(high: 0xABCD, low: 1)), .data([0xFF, 0xEF]),
            .json(#"{"a":1}"#),
        ]
        let written = text { writer in
            writer.beginArray()
            for value in values { writer.value(value) }
            writer.endArray()
        }
        let expected =
            #"[null,false,-9223372036854775808,0.1,"1.5","é\"\u0000","1970-01-01T00:00:01.500Z","#
            + #""00000000-0000-abcd-0000-000000000001","/+8=",{"a":1}]"#
        #expect(written == expected)
    }

    @Test(arguments: SeededRandom.seeds)
    func integersArePrintedAsSwiftPrintsThem(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var values: [Int64] = [0, 1, -1, 9, 10, 99, 100, .max, .min, .max - 1, .min + 1]
        for _ in 0..<20_000 {
            values.append(Int64(bitPattern: random.next()) >> Int64.random(in: 0..<64, using: &random))
        }
        var writer = JSONWriter()
        for value in values {
            writer.removeAll()
            writer.int(value)
            #expect(String(decoding: writer.bytes, as: UTF8.self) == String(value))
        }
    }

    @Test func everyCharacterBelow256IsEscapedExactlyWhenItMustBeAtEveryOffset() throws {
        for code in UInt32(0)..<256 {
            for before in 0..<18 {
                let string = String(repeating: "x", count: before) + String(Unicode.Scalar(UInt8(code))) + "yyyyyyyyy"
                let written = text { $0.string(string) }
                #expect(try JSONDocument(parsing: written).root.string?.utf8.elementsEqual(string.utf8) == true)
                let mustEscape = code < 0x20 || code == 0x22 || code == 0x5C
                #expect(written.utf8.contains(UInt8(ascii: "\\")) == mustEscape)
            }
        }
    }

    @Test(arguments: SeededRandom.seeds)
    func randomTreesReadBackAsWritten(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<2_000 {
            let tree = JSONTree.random(depth: 4, using: &random)
            var writer = JSONWriter()
            tree.write(to: &writer)
            #expect(JSONTree(try JSONDocument(parsing: writer.bytes).root) == tree)
        }
    }

    @Test func bytesAndStringsAreWrittenAlike() {
        let string = "Grüße,\n\"漢字\" 😀 \\ and a longer run of plain text"
        let fromString = text { $0.string(string) }
        let fromBytes = text { $0.string(Array(string.utf8).span) }
        #expect(fromString == fromBytes)
    }
}
