import PGStore
import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// Versions in which ids are UUIDs beside versions in which they are texts.
@Suite struct TextIDVersionTests {
    @Test func aUUIDIsItsOwnTextInTheNewerVersion() async throws {
        try await withBookshop { server in
            let (old, new) = (server.device("1.0.0"), server.device("2.0.0"))
            let (shelf, book) = (ID.random(), ID.random())
            try await old.push([
                .create("Shelf", shelf, ["name": "a"], at: moment(1)),
                .create("Book", book, ["title": "b", "shelf": .id(shelf)], at: moment(1)),
            ])
            try await new.pullAll()
            #expect(await new.value("Book", book, "shelf") == .id(shelf))
            try await new.push([.update("Book", book, ["title": "c"], at: moment(2))])
            try await old.pullAll()
            #expect(await old.value("Book", book, "title") == "c")
            // In upper case it is another id to the newer version, and the same to the older.
            let upper = book.description.uppercased()
            try await new.push([.create("Book", upper, ["title": "d"], at: moment(3))])
            try await old.push([JSONValue.update("Book", upper, ["title": "e"], at: moment(4))])
            let books = try await server.received("2.0.0", "Book")
            #expect(
                books.mapValues { $0["fields"]["title"] } == [
                    Array(book.description.utf8): "e", Array(upper.utf8): "d",
                ])
        }
    }

    @Test func theOlderVersionReadsAndEditsByTheKey() async throws {
        try await withBookshop { server in
            let (old, new) = (server.device("1.0.0"), server.device("2.0.0"))
            try await new.push([
                .create("Shelf", "poetry", at: moment(1)), .create("Book", "i", ["shelf": "poetry"], at: moment(1)),
            ])
            let (shelf, book) = (server.key("Shelf", "poetry"), server.key("Book", "i"))
            try await old.pullAll()
            #expect(await old.value("Book", book, "shelf") == .id(shelf))
            let own = ID.random()
            let answer = try await old.push([
                .update("Book", book, ["title": "a"], at: moment(2)),
                .create("Book", own, ["shelf": .id(shelf), "sequel": .id(book)], at: moment(2)),
            ])
            #expect(answer.applied == 2)
            try await new.pullAll()
            #expect(await new.store["Book"]?["i"]?["title"] == "a")
            #expect(await new.value("Book", own, "shelf") == "poetry")
            #expect(await new.value("Book", own, "sequel") == "i")
            #expect(try await old.push([.delete("Book", book, at: moment(3))]).applied == 1)
            #expect(try await new.pullAll().contains { $0["id"] == "i" && $0["op"] == "delete" })
        }
    }

    @Test("A key that the server made for no text is no record's id", arguments: ["1.0.0", "2.0.0"])
    func keysCannotBeInvented(version: String) async throws {
        try await withBookshop { server in
            let key = server.key("Book", "dune")
            let device = server.device(version)
            let changes: [JSONValue] = [
                .create("Book", key, at: moment(1)), .delete("Book", key, at: moment(1)),
                .create("Book", ID.random(), ["sequel": .id(key)], at: moment(1)),
            ]
            let answer = try await device.send(changes)
            #expect(answer.codes == [0: "unknown-id", 1: "unknown-id", 2: "unknown-id"])
            #expect(try await server.contents().contains("book 0 0"))
            // Once a text has it, it is that record's; what was refused stays refused.
            try await server.device("3.0.0").push([.create("Book", "dune", ["title": "Dune"], at: moment(2))])
            #expect(try await device.send(changes).codes == answer.codes)
            let edit = JSONValue.update("Book", key, ["title": "Emma"], at: moment(3))
            #expect(try await server.device(version).push([edit]).applied == 1)
            let title = try await server.received("3.0.0", "Book")[Array("dune".utf8)]?["fields"]["title"]
            #expect(title == "Emma")
        }
    }

    @Test func aDeviceThatIsUpdatedLearnsTheTexts() async throws {
        try await withBookshop { server in
            let device = server.device("1.0.0")
            try await server.device("2.0.0").push([.create("Book", "dune", ["title": "Dune"], at: moment(1))])
            try await device.pullAll()
            let key = server.key("Book", "dune").description
            #expect(await device.store["Book"]?.keys.map(\.self) == [key])
            let updated = server.device("2.0.0", id: device.id)
            await updated.take(over: device.store, cursor: device.cursor)
            // What its user does to the record by its former name is done to the record.
            #expect(try await updated.push([.update("Book", key, ["title": "Dune!"], at: moment(2))]).applied == 1)
            await #expect(throws: TestDevice.Refused.self) { try await updated.pullAll() }
            try await updated.sync()
            #expect(await updated.store["Book"]?["dune"]?["title"] == "Dune!")
            #expect(await updated.store["Book"]?.count == 1)
            // From 2.0.0 to 3.0.0 nobody gets another name.
            let newest = server.device("3.0.0", id: device.id)
            await newest.take(over: updated.store, cursor: updated.cursor)
            #expect(try await newest.pullAll().allSatisfy { $0["id"] == "dune" })
        }
    }

    @Test("A text id whose creation is not stored leaves no record under its key")
    func aKeyIsKnownOnceItsTextIsKept() async throws {
        try await withBookshop(OneFault.self) { server in
            let key = server.key("Book", "dune")
            let answer = try await server.device("2.0.0").push([
                .create("Book", "dune", ["price": "13"], at: moment(1)),
                .update("Book", key, ["title": "Dune"], at: moment(2), in: "1.0.0"),
                .create("Book", ID.random(), ["sequel": .id(key)], at: moment(2), in: "1.0.0"),
            ])
            #expect(answer.verdicts == ["held", "rejected", "rejected"])
            #expect(answer.codes == [0: "lens-failed", 1: "unknown-id", 2: "unknown-id"])
            #expect(try await server.contents().contains("book 0 0"))
        }
    }

    @Test func heldChangesKeepTheirTexts() async throws {
        try await withBookshop(OneFault.self) { server in
            let phone = server.device("2.0.0")
            let answer = try await phone.push([
                .create("Book", "dune", ["price": "13", "shelf": "sand"], at: moment(1)),
                .update("Book", "dune", ["title": "Dune"], at: moment(2)), .create("Shelf", "sand", at: moment(3)),
            ])
            #expect(answer.verdicts == ["held", "held", "applied"])
            // Of what is held nothing is kept but the change.
            #expect(try await server.rowCount("sync.name") == 1)
            let held = try await server.held()
            #expect(held.map(\.content.record) == [server.key("Book", "dune"), server.key("Book", "dune")])
            let replayed = try await server.database.withEngine(Plan(BookshopPlan<NoFault>.self)) { engine in
                try await engine.replay(in: server.space).map(\.verdict.name)
            }
            #expect(replayed == ["applied", "applied"])
            let book = try await server.received("3.0.0", "Book")[Array("dune".utf8)]
            #expect(book?["fields"]["title"] == "Dune")
            #expect(book?["fields"]["shelf"] == "sand")
        }
    }
}
