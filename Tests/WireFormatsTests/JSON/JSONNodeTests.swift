import StrictJSON
import Testing
import WireFormats

struct JSONNodeTests {
    private static let change = """
        {"entity":"SDMeal","id":"0b0f7f0e-0000-4000-8000-000000000001","op":"update","stamp":3598761234567890,
         "fields":{"name":"Soup","calories":310,"ratio":0.25,"tags":["a","b"],"none":null,"on":true}}
        """

    @Test func membersAreReadByName() throws {
        let root = try JSONDocument(parsing: JSONNodeTests.change).root
        #expect(root.kind == .object)
        #expect(root["entity"]?.string == "SDMeal")
        #expect(root["stamp"]?.int64 == 3_598_761_234_567_890)
        #expect(root["missing"] == nil)
        let fields = try #require(root["fields"])
        #expect(fields["ratio"]?.double == 0.25)
        #expect(fields["none"]?.isNull == true)
        #expect(fields["on"]?.bool == true)
        #expect(fields["tags"]?.elements?.map(\.string) == ["a", "b"])
        #expect(fields["tags"]?["a"] == nil)
        #expect(fields.members?.map(\.key) == ["name", "calories", "ratio", "tags", "none", "on"])
        #expect(fields.members?.count == 6)
    }

    @Test func askingForAnotherKindAnswersNil() throws {
        let root = try JSONDocument(parsing: #"[null,true,1,18446744073709551615,1.0,"1",[],{}]"#).root
        let nodes = Array(try #require(root.elements))
        #expect(nodes.map(\.kind) == [.null, .bool, .int, .uint, .double, .string, .array, .object])
        #expect(nodes.map { $0.int64 } == [nil, nil, 1, nil, nil, nil, nil, nil])
        #expect(nodes.map { $0.uint64 } == [nil, nil, 1, .max, nil, nil, nil, nil])
        #expect(nodes.map { $0.double } == [nil, nil, 1, 18_446_744_073_709_551_616, 1, nil, nil, nil])
        #expect(nodes.map { $0.string } == [nil, nil, nil, nil, nil, "1", nil, nil])
        #expect(nodes.map { $0.bool } == [nil, true, nil, nil, nil, nil, nil, nil])
        #expect(nodes.map { $0.elements == nil } == [true, true, true, true, true, true, false, true])
        #expect(nodes.map { $0.members == nil } == [true, true, true, true, true, true, true, false])
        #expect(nodes[2].withUTF8 { $0.count } == nil)
    }

    @Test func negativeZeroReadsAsZero() throws {
        let node = try JSONDocument(parsing: "-0.0").root
        #expect(node.double?.bitPattern == (0.0).bitPattern)
    }

    @Test func nodesKeepTheirDocumentAlive() throws {
        func node() throws -> JSONNode { try #require(try JSONDocument(parsing: #"{"a":["kept"]}"#).root["a"]) }
        let nodes = try (0..<100).map { _ in try node() }
        #expect(nodes.allSatisfy { $0.elements?.first { _ in true }?.string == "kept" })
    }

    @Test func stringsAreLentAsBytes() throws {
        let node = try JSONDocument(parsing: #"{"k\u00e9":"a\nb"}"#).root
        for member in try #require(node.members) {
            #expect(member.withKeyUTF8 { $0.count } == 3)
            #expect(member.hasKey("ké"))
            #expect(!member.hasKey("k"))
            #expect(member.value.withUTF8 { $0[1] } == 0x0A)
        }
    }

    @Test func pathsPointToEveryNode() throws {
        let root = try JSONDocument(parsing: #"{"a":[1,[2,{"b~/":3}]],"c":{}}"#).root
        #expect(root.path == "")
        #expect(root["a"]?.path == "/a")
        #expect(root["c"]?.path == "/c")
        let inner = try #require(root["a"]?.elements?.map { $0 }.last)
        #expect(inner.path == "/a/1")
        #expect(inner.elements?.map(\.path) == ["/a/1/0", "/a/1/1"])
        #expect(inner.elements?.map { $0 }.last?["b~/"]?.path == "/a/1/1/b~0~1")
        #expect(try JSONDocument(parsing: "7").root.path == "")
    }

    @Test(arguments: [
        (#""a""#, false), (#""a\u0000b""#, true), (#"{"a\u0000":1}"#, true), (#"[[{"a":["\u0000"]}]]"#, true),
        (#"[1,2.5,0,"0","",{}]"#, false), ("0", false), (#""\\u0000""#, false), ("[0,256,65536,1e300]", false),
    ])
    func nulCharactersAreFoundWhereverTheyAre(_ text: String, _ expected: Bool) throws {
        #expect(try JSONDocument(parsing: text).root.containsNUL == expected)
    }

    @Test func nulIsLookedForBelowTheNodeOnly() throws {
        let root = try JSONDocument(parsing: #"["\u0000",["a"],"\u0000"]"#).root
        #expect(root.elements?.map(\.containsNUL) == [true, false, true])
    }

    @Test func aTableFindsKeysInAnyOrder() throws {
        let names = (0..<200).map { "field\($0)" } + ["", "é", "a\"b"]
        let table = JSONKeyTable(names)
        var random = SeededRandom(seed: 7)
        for _ in 0..<50 {
            var writer = JSONWriter()
            writer.beginObject()
            let shuffled = (names + ["field", "field200", "e\u{301}"]).shuffled(using: &random)
            for name in shuffled {
                writer.key(name)
                writer.null()
            }
            writer.endObject()
            var expected = 0
            for (member, name) in zip(try #require(try JSONDocument(parsing: writer.bytes).root.members), shuffled) {
                let position = table.position(of: member, expected: &expected)
                #expect(position == names.firstIndex { $0.utf8.elementsEqual(name.utf8) })
                let again = table.position(of: name.utf8Span.span)
                #expect(again == position)
            }
        }
        var expected = 0
        for member in try #require(try JSONDocument(parsing: #"{"a":1}"#).root.members) {
            #expect(JSONKeyTable([String]()).position(of: member, expected: &expected) == nil)
        }
    }
}
