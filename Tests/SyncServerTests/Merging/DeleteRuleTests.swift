import PGMigrations
import PGStore
import SyncTestSupport
import Testing
import WireFormats

/// The newest version's delete rules hold for every deleter, also through entities that it cannot see.
@Suite struct DeleteRuleTests {
    private let shelf = ID.random()
    private let book = ID.random()
    private let reader = ID.random()
    private let loan = ID.random()

    private func library(_ body: (TestServer) async throws -> Void) async throws {
        let file = try MigrationFile(
            line: "library", fileName: "0001-create-library.sql", bytes: Array(LibraryPlan.sql.utf8))
        let line = try MigrationLine(name: "library", files: [file])
        try await withTestServer(LibraryPlan.self, migrations: line) { server in
            try await server.device("2.0.0").push([
                .create("Shelf", shelf, ["name": "s"], at: moment(1)),
                .create("Book", book, ["title": "b", "shelf": .id(shelf)], at: moment(1)),
                .create("Reader", reader, ["name": "r"], at: moment(1)),
                .create("Loan", loan, ["book": .id(book), "reader": .id(reader)], at: moment(1)),
            ])
            try await body(server)
        }
    }

    /// H8: its device shows the record again, and would be answered that it is gone.
    @Test func aDeniedDeletionThatArrivesOnceMoreIsDeniedAgain() async throws {
        try await library { server in
            let device = server.device("2.0.0")
            let deletion = JSONValue.delete("Book", book, at: moment(2))
            #expect(try await device.send([deletion]).codes == [0: "denied"])
            try await server.device("2.0.0").push([.delete("Loan", loan, at: moment(3))])
            let again = try await device.send([deletion])
            #expect(again.codes == [0: "denied"] && again.children == [0: [loan.description]])
            #expect(try await server.view("2.0.0")["Book"]?[book.description] != nil)
            #expect(try await device.send([.delete("Book", book, at: moment(4))]).verdicts == ["applied"])
        }
    }

    /// A deletion's verdict is not changed by another deletion of the record.
    @Test func aDeniedDeletionDeniesNoOtherOfTheRecord() async throws {
        try await library { server in
            let device = server.device("2.0.0")
            try await device.push([
                .delete("Loan", loan, at: moment(2)), .delete("Book", book, at: moment(2)),
                .create("Book", book, ["title": "b", "shelf": .id(shelf)], at: moment(3)),
                .create("Loan", loan, ["book": .id(book), "reader": .id(reader)], at: moment(3)),
            ])
            let answer = try await device.send([
                .delete("Book", book, at: moment(2)), .delete("Book", book, at: moment(4)),
            ])
            #expect(answer.verdicts == ["superseded", "rejected"] && answer.codes == [1: "denied"])
            #expect(try await server.view("2.0.0")["Book"]?[book.description] != nil)
        }
    }

    @Test(arguments: ["1.0.0", "2.0.0"])
    func aDeletionIsDeniedByUnseenRecordsAndReturnsWhatStays(version: String) async throws {
        try await library { server in
            let device = server.device(version)
            let contents = try await server.contents()
            let answer = try await device.send([
                .update("Book", book, ["title": "c"], at: moment(2)), .delete("Book", book, at: moment(3)),
            ])
            #expect(answer.verdicts == ["applied", "rejected"])
            #expect(answer.codes == [1: "denied"] && answer.children == [1: [loan.description]])
            #expect(try await server.view("2.0.0")["Book"]?[book.description]?["title"] == "c")
            #expect(try await server.contents() != contents)

            try await server.device("2.0.0").push([.delete("Loan", loan, at: moment(4))])
            #expect(try await device.send([.delete("Book", book, at: moment(5))]).verdicts == ["applied"])
            #expect(try await server.view("1.0.0")["Book"] == [:])
        }
    }

    /// Neither the order in the push nor a chain of denials matters.
    @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    func whatGoesInTheSamePushDeniesNothing(order: [Int]) async throws {
        try await library { server in
            let changes: [JSONValue] = [
                .delete("Shelf", shelf, at: moment(2)), .delete("Book", book, at: moment(2)),
                .delete("Loan", loan, at: moment(2)),
            ]
            let answer = try await server.device("2.0.0").send(order.map { changes[$0] })
            #expect(answer.verdicts == ["applied", "applied", "applied"])
        }
    }

    /// The shelf goes only with the book, and that is kept by its loan.
    @Test func aDenialMakesOthersOfItsPush() async throws {
        try await library { server in
            let answer = try await server.device("2.0.0").send([
                .delete("Shelf", shelf, at: moment(2)), .delete("Book", book, at: moment(2)),
                .delete("Reader", .random(), at: moment(2)),
            ])
            #expect(answer.codes == [0: "denied", 1: "denied"])
            #expect(answer.children == [0: [book.description], 1: [loan.description]])
            #expect(try await server.view("2.0.0")["Book"]?.count == 1)
        }
    }

    @Test func aCascadeIsNoWayAroundADenial() async throws {
        try await library { server in
            let stamp = ID.random()
            try await server.device("2.0.0").push([.create("Stamp", stamp, ["loan": .id(loan)], at: moment(2))])
            // The loan would go with its reader, and the stamp keeps it.
            let denied = try await server.device("1.0.0").send([.delete("Reader", reader, at: moment(3))])
            #expect(denied.codes == [0: "denied"] && denied.children == [0: [stamp.description]])
            #expect(try await server.view("2.0.0")["Loan"]?.count == 1)
            // With its reader the loan goes, and then the book may.
            let both = try await server.device("2.0.0").send([
                .delete("Book", book, at: moment(4)), .delete("Stamp", stamp, at: moment(4)),
                .delete("Reader", reader, at: moment(4)),
            ])
            #expect(both.verdicts == ["applied", "applied", "applied"])
            #expect(try await server.view("2.0.0")["Loan"] == [:])
        }
    }

    /// The reader and a loan made in the same push go together; what keeps the loan was there before.
    @Test func aDenialReachesTheDeletionBehindACascadeWithinThePush() async throws {
        try await library { server in
            let (other, second, stamp) = (ID.random(), ID.random(), ID.random())
            try await server.device("2.0.0").push([.create("Stamp", stamp, ["loan": .id(second)], at: moment(2))])
            let answer = try await server.device("2.0.0").send([
                .create("Reader", other, ["name": "o"], at: moment(3)),
                .create("Loan", second, ["reader": .id(other), "book": .id(book)], at: moment(3)),
                .delete("Reader", other, at: moment(4)),
            ])
            #expect(answer.verdicts == ["applied", "applied", "rejected"])
            #expect(answer.children == [2: [stamp.description]])
        }
    }

    @Test func aToOneRelationshipMayKeepItsOwnRecord() async throws {
        try await library { server in
            let badge = ID.random()
            let device = server.device("2.0.0")
            try await device.push([.create("Badge", badge, ["reader": .id(reader)], at: moment(2))])
            let denied = try await device.send([.delete("Badge", badge, at: moment(3))])
            #expect(denied.codes == [0: "denied"] && denied.children == [0: [reader.description]])
            let both = try await device.send([
                .delete("Badge", badge, at: moment(4)), .delete("Reader", reader, at: moment(4)),
            ])
            #expect(both.verdicts == ["applied", "applied"])
        }
    }

    @Test func noActionLeavesTheRecordAndItsReferenceReadsAsNull() async throws {
        try await library { server in
            let (review, device) = (ID.random(), server.device("2.0.0"))
            try await device.push([
                .create("Review", review, ["book": .id(book)], at: moment(2)), .delete("Loan", loan, at: moment(2)),
                .delete("Book", book, at: moment(3)),
            ])
            #expect(try await server.view("2.0.0")["Review"] == [review.description: ["book": nil]])
            try await device.push([.create("Book", book, ["title": "again"], at: moment(4))])
            #expect(try await server.view("2.0.0")["Review"] == [review.description: ["book": .id(book)]])
        }
    }

    /// Folders that contain each other: the cascade ends, whoever is deleted, and comes back with who returns.
    @Test func aCycleOfCascadesEnds() async throws {
        try await library { server in
            let ids = (0..<4).map { _ in ID.random() }
            let device = server.device("2.0.0")
            try await device.push(
                ids.indices.map {
                    .create("Folder", ids[$0], ["parent": .id(ids[($0 + 1) % ids.count])], at: moment(2))
                })
            try await device.push([.delete("Folder", ids[1], at: moment(3))])
            #expect(try await server.view("2.0.0")["Folder"] == [:])
            #expect(try await device.send([.delete("Folder", ids[3], at: moment(4))]).verdicts == ["applied"])
            // Each belongs to one that is dead, so nothing returns before both do.
            try await device.push([.create("Folder", ids[1], at: moment(5))])
            #expect(try await server.view("2.0.0")["Folder"] == [:])
            try await device.push([.create("Folder", ids[3], at: moment(5))])
            #expect(try await server.view("2.0.0")["Folder"]?.count == ids.count)
        }
    }

    /// Folders in a circle and one below it, deleted and created again, in any order of arrival.
    @Test(arguments: [true, false])
    func whoLivesInACycleDoesNotDependOnTheOrderOfArrival(bothReturn: Bool) async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix64(seed: seed)
        try await library { server in
            let device = server.device("2.0.0")
            var outcomes: Set<[Bool]> = []
            for _ in 0..<120 {
                let ids = (0..<4).map { _ in ID.random(using: &random) }
                let parents = [ids[1], ids[2], ids[0], ids[0]]
                var changes = ids.indices.map {
                    JSONValue.create("Folder", ids[$0], ["parent": .id(parents[$0])], at: moment(1))
                }
                changes += [0, 1].map { .delete("Folder", ids[$0], at: moment(3)) }
                changes += (bothReturn ? [0, 1] : [1]).map {
                    .create("Folder", ids[$0], ["parent": .id(parents[$0])], at: moment(5))
                }
                var rest = changes.shuffled(using: &random)[...]
                while !rest.isEmpty {
                    let push = rest.prefix(Int.random(in: 1...4, using: &random))
                    rest = rest.dropFirst(push.count)
                    // It deletes more in an hour than ever exists at one time.
                    try await device.send(Array(push), intent: "mass-deletion")
                }
                let living = try await server.view("2.0.0")["Folder"] ?? [:]
                outcomes.insert(ids.map { living[$0.description] != nil })
            }
            #expect(outcomes == [ids(living: bothReturn)], "seed \(seed)")
        }
    }

    private func ids(living: Bool) -> [Bool] { Array(repeating: living, count: 4) }
}

/// Shelves and books deny their deletion from 2.0.0 on; 1.0.0 has neither loans nor that rule.
private enum LibraryPlan: SchemaMigrationPlan {
    static let app = "library"
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
    static let stages: [MigrationStage] = [.lightweight(fromVersion: V1.self, toVersion: V2.self)]

    enum V1: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static let models = Models {
            Model("Shelf") {
                Attribute("name", .string)
                Relationship("books", toMany: "Book", inverse: "shelf")
            }
            Model("Book") {
                Attribute("title", .string)
                Relationship("shelf", toOne: "Shelf", inverse: "books")
            }
            Model("Reader") {
                Attribute("name", .string)
            }
        }
    }

    enum V2: VersionedSchema {
        static let versionIdentifier = Schema.Version(2, 0, 0)
        static let models = Models {
            Inherits(V1.self)
            Model("Shelf") {
                Relationship("books", toMany: "Book", deleteRule: .deny, inverse: "shelf")
            }
            Model("Book") {
                Relationship("loans", toMany: "Loan", deleteRule: .deny, inverse: "book")
                Relationship("reviews", toMany: "Review", deleteRule: .noAction, inverse: "book")
            }
            Model("Reader") {
                Relationship("loans", toMany: "Loan", deleteRule: .cascade, inverse: "reader")
                Relationship("badges", toMany: "Badge", inverse: "reader")
            }
            Model("Loan") {
                Relationship("book", toOne: "Book", inverse: "loans")
                Relationship("reader", toOne: "Reader", inverse: "loans")
                Relationship("stamps", toMany: "Stamp", deleteRule: .deny, inverse: "loan")
            }
            Model("Stamp") {
                Relationship("loan", toOne: "Loan", inverse: "stamps")
            }
            Model("Review") {
                Relationship("book", toOne: "Book", inverse: "reviews")
            }
            Model("Badge") {
                Relationship("reader", toOne: "Reader", deleteRule: .deny, inverse: "badges")
            }
            Model("Folder") {
                Relationship("parent", toOne: "Folder", inverse: "folders")
                Relationship("folders", toMany: "Folder", deleteRule: .cascade, inverse: "parent")
            }
        }
    }

    static let sql = """
        CREATE SCHEMA library;
        GRANT USAGE ON SCHEMA library TO syncserver_serving;
        CREATE TABLE library.shelf (LIKE sync.record INCLUDING ALL, name text NOT NULL);
        CREATE TABLE library.book (LIKE sync.record INCLUDING ALL, title text NOT NULL, shelf uuid);
        CREATE INDEX ON library.book (space_id, shelf) WHERE shelf IS NOT NULL;
        CREATE TABLE library.reader (LIKE sync.record INCLUDING ALL, name text NOT NULL);
        CREATE TABLE library.loan (LIKE sync.record INCLUDING ALL, book uuid, reader uuid);
        CREATE INDEX ON library.loan (space_id, book) WHERE book IS NOT NULL;
        CREATE INDEX ON library.loan (space_id, reader) WHERE reader IS NOT NULL;
        CREATE TABLE library.stamp (LIKE sync.record INCLUDING ALL, loan uuid);
        CREATE INDEX ON library.stamp (space_id, loan) WHERE loan IS NOT NULL;
        CREATE TABLE library.review (LIKE sync.record INCLUDING ALL, book uuid);
        CREATE INDEX ON library.review (space_id, book) WHERE book IS NOT NULL;
        CREATE TABLE library.badge (LIKE sync.record INCLUDING ALL, reader uuid);
        CREATE INDEX ON library.badge (space_id, reader) WHERE reader IS NOT NULL;
        CREATE TABLE library.folder (LIKE sync.record INCLUDING ALL, parent uuid);
        CREATE INDEX ON library.folder (space_id, parent) WHERE parent IS NOT NULL;
        SELECT sync.enroll(('library.' || name)::regclass)
        FROM unnest(ARRAY['shelf', 'book', 'reader', 'loan', 'stamp', 'review', 'badge', 'folder']) AS name;
        """
}
