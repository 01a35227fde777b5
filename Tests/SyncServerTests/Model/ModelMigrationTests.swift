import SyncModel
import Testing
import WireFormats

/// A model of a server that is held back to its first version, and then migrated: what the next one links merges apart
/// until then (`docs/internals/rows.md`, *Linked later*).
@Suite struct ModelMigrationTests {
    private enum PaintPlan: SchemaMigrationPlan {
        static let app = "paint"
        static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
        static let stages: [MigrationStage] = [
            .custom(fromVersion: V1.self, toVersion: V2.self) {
                Convert("Can.red", "green", to: "color", using: Channels())
                Convert("Can.width", "height", to: "area", "slope", using: Sides())
            }
        ]

        enum V1: VersionedSchema {
            static let versionIdentifier = Schema.Version(1, 0, 0)
            static let models = Models {
                Model("Can") {
                    Attribute("red", .int, default: 1)
                    Attribute("green", .int, default: 2)
                    Attribute("width", .int, default: 1)
                    Attribute("height", .int, default: 2)
                }
            }
        }

        enum V2: VersionedSchema {
            static let versionIdentifier = Schema.Version(2, 0, 0)
            static let models = Models {
                Inherits(V1.self)
                Model("Can") {
                    Removed("red", "green", "width", "height")
                    Attribute("color", .string, default: "7 7")
                    Attribute("area", .int, default: 0)
                    Attribute("slope", .int, default: 0)
                    Attribute("bought", .date, default: .creation)
                }
            }
        }
    }

    private struct Channels: Conversion {
        func up(_ older: (Int, Int)) -> String { "\(older.0) \(older.1)" }

        func down(_ color: String) -> (Int, Int) {
            let words = color.split(separator: " ").map { Int($0) ?? 0 }
            return (words.first ?? 0, words.count > 1 ? words[1] : 0)
        }

        let examples = [(1, 2), (0, 0)]
    }

    private struct Sides: Conversion {
        func up(_ older: (Int, Int)) -> (Int, Int) { (older.0, older.1) }
        func down(_ newer: (Int, Int)) -> (Int, Int) { (newer.0, newer.1) }
        let examples = [(1, 2), (0, 0)]
    }

    private static let can = ID(high: 1, low: 1)

    /// An edit in the first version: the attribute, its new value, and the time.
    private typealias Edit = (String, Int64, at: Int64)

    private static func model(isHeldBack: Bool = true, _ edits: [Edit]) throws -> SpaceModel {
        var model = try SpaceModel(PaintPlan.self, heldBackAt: isHeldBack ? ShapeName("1.0.0") : nil)
        take(edits, into: &model)
        return model
    }

    private static func take(_ edits: [Edit], into model: inout SpaceModel) {
        for (name, value, stamp) in edits { take(.update, [name: .int(value)], at: stamp, in: "1.0.0", into: &model) }
    }

    private static func take(
        _ operation: ModelChange.Operation, _ fields: [String: Value], at stamp: Int64, in version: String,
        into model: inout SpaceModel
    ) {
        guard let name = ShapeName(version) else { return }
        model.take(ModelChange(operation, "Can", can, fields, at: Stamp(unchecked: stamp), in: name))
    }

    private static func read(_ model: SpaceModel, in version: String) throws -> [String: Value]? {
        model.records(in: try #require(ShapeName(version)))[ModelKey(entity: "Can", id: can)]
    }

    @Test func whatIsLinkedLaterMergesApartUntilThen() throws {
        let edits: [Edit] = [("width", 3, at: 10), ("height", 4, at: 5)]
        #expect(try Self.read(Self.model(edits), in: "1.0.0")?["height"] == .int(4))
        #expect(try Self.read(Self.model(isHeldBack: false, edits), in: "1.0.0")?["height"] == .int(2))
    }

    @Test func whatIsOneFromThenOnHasTheLatestStamp() throws {
        var model = try Self.model([("width", 3, at: 10), ("height", 4, at: 5)])
        model.migrate()
        Self.take([("height", 5, at: 9)], into: &model)
        #expect(try Self.read(model, in: "2.0.0")?["slope"] == .int(4))
        Self.take([("height", 6, at: 11)], into: &model)
        #expect(try Self.read(model, in: "2.0.0")?["slope"] == .int(6))
    }

    @Test func partsKeepTheirStamps() throws {
        var model = try Self.model([("red", 3, at: 10), ("green", 4, at: 20)])
        model.migrate()
        Self.take([("red", 5, at: 15), ("green", 6, at: 19)], into: &model)
        #expect(try Self.read(model, in: "2.0.0")?["color"] == .string("5 4"))
    }

    @Test(arguments: ["red", "green"])
    func whereOnlyTheFirstPartWasSaidAllWere(name: String) throws {
        var model = try Self.model([(name, 3, at: 10)])
        model.migrate()
        Self.take([(name == "red" ? "green" : "red", 5, at: 9)], into: &model)
        #expect(try Self.read(model, in: "2.0.0")?["color"] == .string(name == "red" ? "3 2" : "5 3"))
    }

    /// Also of what one creation said, and another filled.
    @Test func theNextVersionReadsWhatTheMigrationMakes() throws {
        var model = try Self.model([("red", 3, at: 10)])
        Self.take(.create, ["width": .int(8)], at: 20, in: "1.0.0", into: &model)
        model.migrate()
        let painted: [String: Value] = ["color": .string("3 2"), "area": .int(8), "slope": .int(2)]
        #expect(try Self.read(model, in: "2.0.0")?.filter { $0.key != "bought" } == painted)
        // Of which nothing is unsaid now that this one could say otherwise.
        Self.take(.create, [:], at: 30, in: "2.0.0", into: &model)
        #expect(try Self.read(model, in: "2.0.0")?.filter { $0.key != "bought" } == painted)
    }

    /// The moment of milliseconds, as the stamp of an edit and as a time.
    private static func moment(_ milliseconds: Int64) -> (stamp: Int64, time: Value) {
        let stamp = Stamp(milliseconds: milliseconds)
        return (stamp.rawValue, .date(stamp.timestamp))
    }

    /// As the files fill it: of a record that nobody created, with the stamp that most of its attributes have.
    @Test func theTimeOfCreationIsThatOfMostEditsWhereNobodyCreated() throws {
        let (first, second) = (Self.moment(1_000), Self.moment(2_000))
        var model = try Self.model([
            ("red", 3, at: first.stamp), ("green", 4, at: second.stamp), ("height", 4, at: second.stamp),
        ])
        var even = try Self.model([("red", 3, at: first.stamp), ("green", 4, at: second.stamp)])
        var created = try Self.model([("red", 3, at: second.stamp)])
        Self.take(.create, [:], at: first.stamp, in: "1.0.0", into: &created)
        model.migrate()
        even.migrate()
        created.migrate()
        #expect(try Self.read(model, in: "2.0.0")?["bought"] == second.time)
        #expect(try Self.read(even, in: "2.0.0")?["bought"] == second.time)
        #expect(try Self.read(created, in: "2.0.0")?["bought"] == first.time)
    }

    @Test func aServerThatKnowsAllIsMigratedForNothing() throws {
        let before = try Self.model(isHeldBack: false, [("red", 3, at: 10), ("height", 4, at: 5)])
        var after = before
        after.migrate()
        #expect(after.holdsTheSame(as: before))
    }
}
