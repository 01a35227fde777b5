import PGStore
import Postgres
import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// Ids that are texts, as devices of a version send and read them.
@Suite struct TextIDTests {
    private static let upper = "6FA459EA-EE8A-3CA4-894E-DB77E160355E"
    private static let texts = [
        "dune", upper, upper.lowercased(), "a \"b\" 'c' \\", "🧑‍🚀", "e\u{301}", "\u{E9}", " ", "null", "\n\u{1}",
        String(repeating: "x", count: Schema.idSizeMaxBytes), "00000000-0000-0000-0000-000000000000",
    ]

    @Test func idsAreKeptToTheLetterInBothDirections() async throws {
        try await withBookshop { server in
            let (phone, tablet) = (server.device("2.0.0"), server.device("3.0.0"))
            let made = Self.texts.enumerated().map { index, text in
                JSONValue.create("Book", text, ["title": .string("\(index)")], at: moment(1))
            }
            #expect(try await phone.push(made).applied == Int64(made.count))
            let received = try await tablet.pullAll()
            #expect(Set(received.map { Array(($0["id"].string ?? "").utf8) }) == Set(Self.texts.map { Array($0.utf8) }))
            // Of what is its own key nothing is kept.
            #expect(try await server.rowCount("sync.name") == Self.texts.count - 2)
            let edits = Self.texts.map {
                JSONValue.update("Book", $0, ["title": .string("of \($0.utf8.count)")], at: moment(2))
            }
            #expect(try await tablet.push(edits).applied == Int64(edits.count))
            let back = try await phone.pullAll()
            #expect(back.count == Self.texts.count)
            for change in back {
                #expect(change["fields"]["title"].string == "of \(change["id"].string?.utf8.count ?? -1)")
            }
            #expect(try await server.rowCount("sync.name") == Self.texts.count - 2)
        }
    }

    @Test("A reference has its target's text id, whichever of the two comes first", arguments: [true, false])
    func referencesAreTexts(targetFirst: Bool) async throws {
        try await withBookshop { server in
            let phone = server.device("2.0.0")
            let card = ID.random()
            let changes: [JSONValue] = [
                .create("Shelf", "poetry", ["name": "Poems"], at: moment(1)),
                .create("Book", "i", ["shelf": "poetry", "sequel": "ii"], at: moment(2)),
                .create("Book", "ii", ["shelf": "poetry", "sequel": "ii"], at: moment(3)),
                .create("Card", card, ["book": "ii"], at: moment(4)),
            ]
            for change in targetFirst ? changes : changes.reversed() {
                #expect(try await phone.push([change]).applied == 1)
            }
            for limit in [1, 100] {
                let books = try await server.received("3.0.0", "Book", limit: limit)
                #expect(books[Array("i".utf8)]?["fields"]["shelf"] == "poetry")
                #expect(books[Array("i".utf8)]?["fields"]["sequel"] == "ii")
                #expect(books[Array("ii".utf8)]?["fields"]["sequel"] == "ii")
                let cards = try await server.received("2.0.0", "Card", limit: limit)
                #expect(cards[Array(card.description.utf8)]?["fields"]["book"] == "ii")
            }
            // Its target is sent by its text, too, where it is gone.
            #expect(try await phone.push([.delete("Book", "ii", at: moment(5))]).applied == 1)
            let gone = try await server.received("2.0.0", "Card")[Array(card.description.utf8)]
            #expect(gone?["fields"]["book"].isNull == true)
            #expect(gone?["absent"]["book"] == "ii")
        }
    }

    @Test func aDeletionIsSentByItsText() async throws {
        try await withBookshop { server in
            let (phone, tablet) = (server.device("2.0.0"), server.device("2.0.0"))
            try await phone.push([.create("Book", "dune", ["title": "Dune"], at: moment(1))])
            try await tablet.pullAll()
            #expect(await tablet.store["Book"]?["dune"] != nil)
            // Of one that the server never had, too.
            try await phone.push([.delete("Book", "dune", at: moment(2)), .delete("Book", "emma", at: moment(2))])
            let received = try await tablet.pullAll()
            #expect(Set(received.map { $0["id"].string }) == ["dune", "emma"])
            #expect(received.allSatisfy { $0["op"] == "delete" })
            #expect(await tablet.store["Book"]?["dune"] == nil)
            #expect(
                try await tablet.push([.update("Book", "dune", ["title": "!"], at: moment(1))]).verdicts == [
                    "superseded"
                ])
            // The text means the same record when its tombstone is gone.
            _ = try await server.collect(olderThanDays: 0)
            try await server.device("2.0.0").push([.create("Book", "dune", ["title": "Dune again"], at: moment(5))])
            #expect(try await server.received("3.0.0", "Book")[Array("dune".utf8)]?["fields"]["title"] == "Dune again")
        }
    }

    @Test func whatIsNoIdIsRejectedAndSaysWhy() async throws {
        try await withBookshop { server in
            let device = server.device("2.0.0")
            let long = String(repeating: "ü", count: Schema.idSizeMaxBytes / 2 + 1)
            let answer = try await device.send(
                ["", long, "a\u{0}b"].map { .create("Book", $0, at: moment(1)) } + [
                    JSONValue.create("Book", "x", at: moment(1)).with("id", 7),
                    JSONValue.create("Book", "x", at: moment(1)).with("id", nil),
                    .create("Book", "x", ["shelf": .string(long)], at: moment(1)),
                    .create("Book", "x", ["shelf": ""], at: moment(1)),
                    .create("Book", "x", ["shelf": 7], at: moment(1)),
                    .create("Book", "x", ["shelf": "a\u{0}"], at: moment(1)),
                    .create("Book", "x", ["id": "y"], at: moment(1)),
                    .create("Card", "x", at: moment(1)),
                ])
            #expect(
                (0..<11).map { answer.codes[$0] } == [
                    "malformed-id", "malformed-id", "malformed-id", "malformed-id", "malformed-id", "malformed-id",
                    "malformed-id", "wrong-type", "nul-character", "malformed-id", "malformed-id",
                ])
            #expect(try await server.rowCount("sync.name") == 0)
            #expect(try await device.send([.create("Book", "x", ["id": "x"], at: moment(1))]).applied == 1)
        }
    }

    @Test(
        "A key is the id of the record that has it, and no text id of its own, in either order",
        arguments: [true, false])
    func noTextIsTakenForAnother(keyFirst: Bool) async throws {
        try await withBookshop { server in
            let key = server.key("Book", "dune").description
            let phone = server.device("2.0.0")
            let dune = JSONValue.create("Book", "dune", ["title": "Dune"], at: moment(1))
            let alias = JSONValue.create("Book", key, ["title": "Emma"], at: moment(2))
            for change in keyFirst ? [alias, dune] : [dune, alias] { try await phone.send([change]) }
            let books = try await server.received("2.0.0", "Book")
            #expect(books.mapValues { $0["fields"]["title"] } == [Array("dune".utf8): keyFirst ? "Dune" : "Emma"])
            // What was refused stays refused.
            #expect(try await phone.send([alias]).codes == (keyFirst ? [0: "unknown-id"] : [:]))
        }
    }

    @Test func twoTextsNeverHaveOneKey() async throws {
        try await withBookshop { server in
            let key = server.key("Book", "dune")
            let owner = try await Session.open(server.database.superuserConnectionString)
            try await owner.execute(
                Command(
                    """
                    INSERT INTO sync.name (space_id, key, app, entity, text)
                    VALUES ($1, $2, 'bookshop', 'book', 'forged')
                    """,
                    [.id(server.space), .id(key)]))
            await owner.close()
            let answer = try await server.device("2.0.0").push([
                .create("Book", "dune", at: moment(1)), .create("Book", "emma", ["sequel": "dune"], at: moment(1)),
                .create("Book", "faust", at: moment(1)),
            ])
            #expect(answer.verdicts == ["rejected", "rejected", "applied"])
            #expect(answer.codes == [0: "malformed-id", 1: "malformed-id"])
        }
    }

    @Test("P8: the same text id in two spaces is a record in each, kept apart by row-level security")
    func spacesDoNotShareTexts() async throws {
        try await withBookshop { server in
            let other = ID.random()
            let token = try await server.makeToken(app: "bookshop", spaces: [other])
            let (mine, theirs) = (server.device("2.0.0"), server.device("2.0.0", space: other, token: token))
            try await mine.push([.create("Book", "dune", ["title": "mine"], at: moment(1))])
            try await theirs.push([.create("Book", "dune", ["title": "theirs", "shelf": "x"], at: moment(1))])
            #expect(try await server.received("2.0.0", "Book")[Array("dune".utf8)]?["fields"]["title"] == "mine")
            let session = try await Session.open(server.database.connectionString, role: "syncserver_serving")
            let seen = try await session.transaction(preamble: [Spaces.entering(server.space)]) { session in
                try session.execute("SELECT text FROM sync.name")
            }
            #expect((0..<seen.count).map { seen.string($0, 0) } == ["dune"])
            await #expect(throws: PGError.self) { try await session.execute("SELECT FROM sync.name") }
            let foreign = Command(
                "INSERT INTO sync.name (space_id, key, app, entity, text) VALUES ($1, $1, 'bookshop', 'book', 'x')",
                [.id(other)])
            await #expect(throws: PGError.self) {
                try await session.transaction(preamble: [Spaces.entering(server.space)]) { session in
                    try session.execute(foreign)
                }
            }
            await session.close()
        }
    }

    @Test func errorsNameRecordsByTheirTexts() async throws {
        try await withBookshop { server in
            let device = server.device("2.0.0")
            try await device.push([
                .create("Shelf", "poetry", at: moment(1)),
                .create("Book", "i", ["shelf": "poetry", "code": "1"], at: moment(2)),
            ])
            let reply = try await server.post(
                [.create("Book", "ii", ["code": "1"], at: moment(3)), .delete("Shelf", "poetry", at: moment(3))],
                changing: ["Schema-Version": "2.0.0"])
            let results = reply.json["results"].elements
            #expect(results.map { $0["code"].string } == ["unique", "denied"])
            #expect(results.first?["holder"] == "i")
            #expect(results.last?["children"] == ["i"])
            #expect(results.last?["detail"].string?.contains(": i.") == true, "\(reply)")
            // To a version in which ids are UUIDs the key is the id.
            let key = server.key("Book", "i").description
            let old = try await server.post(
                [.create("Book", .random(), ["code": "1"], at: moment(3))], changing: ["Schema-Version": "1.0.0"])
            #expect(old.json["results"].elements.first?["holder"] == .string(key))
        }
    }
}
