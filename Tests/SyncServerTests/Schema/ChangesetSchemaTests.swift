import DemoApps
import StrictJSON
import SyncTestSupport
import Testing
import WireFormats

@testable import SyncEngine
@testable import SyncServer

/// The JSON Schema of a version and `ChangeReader` say the same of every change.
@Suite struct ChangesetSchemaTests {
    /// A version of an app, with both that judge its changes.
    private struct Judges {
        let plan: Plan
        let version: Int
        let schema: JSONSchemaInterpreter

        init(_ plan: Plan, version: Int) throws {
            self.plan = plan
            self.version = version
            let written = JSONWriter.text { ChangesetSchema(plan, version: version)?.write(to: &$0) }
            schema = try JSONSchemaInterpreter(root: try JSONValue(parsing: Array(written.utf8)))
        }

        func schemaAccepts(_ change: JSONValue) throws -> Bool {
            try schema.accepts(["changes": .array([change])])
        }

        /// True if the reader accepts a change of a record that the server does not have.
        func readerAccepts(_ change: JSONValue) throws -> Bool {
            let root = try JSONDocument(parsing: change.bytes).root
            guard case .success(let change) = ChangeReader(plan: plan, version: version).read(root) else {
                return false
            }
            do throws(Rejection) {
                try change.checkComplete(on: nil)
                return true
            } catch {
                return false
            }
        }
    }

    @Test func idsThatAreTextsAreSaidSo() throws {
        let plan = try Plan(BookshopPlan<NoFault>.self)
        let long = String(repeating: "x", count: Schema.idSizeMaxBytes)
        for (version, accepted) in [(0, false), (1, true)] {
            let judges = try Judges(plan, version: version)
            for text in ["dune", "A \"b\"", "e\u{301}", long] {
                for change in [
                    JSONValue.create("Book", text, at: 7), .create("Book", text, ["id": .string(text)], at: 7),
                    .create("Book", ID(high: 1, low: 1), ["shelf": .string(text)], at: 7),
                    .create("Card", ID(high: 1, low: 1), ["book": .string(text)], at: 7),
                ] {
                    #expect(try judges.schemaAccepts(change) == accepted, "\(change)")
                    #expect(try judges.readerAccepts(change) == accepted, "\(change)")
                }
            }
            for text in ["", "a\u{0}", long + "x"] {
                let change = JSONValue.create("Book", text, at: 7)
                #expect(try !judges.schemaAccepts(change) && !judges.readerAccepts(change), "\(change)")
            }
            let card = JSONValue.create("Card", "dune", at: 7)
            #expect(try !judges.schemaAccepts(card) && !judges.readerAccepts(card))
        }
    }

    private static func plans() throws -> [Plan] { try DemoApps.all.map { try Plan($0) } }

    private static func change(_ projection: Projection, _ plan: Plan, _ op: String, fields: [String: JSONValue])
        -> [String: JSONValue]
    {
        let id = plan.hub.entities[projection.entity].singleton ?? ID(high: 0xABCD, low: 1)
        return [
            "entity": .string(projection.name), "id": .string(id.description), "op": .string(op), "stamp": .int(7),
            "fields": .object(fields),
        ]
    }

    private static func fields(
        _ projection: Projection, _ generator: RecordGenerator, using random: inout SplitMix64
    ) -> [String: JSONValue] {
        var fields: [String: JSONValue] = [:]
        for (index, field) in projection.fields.enumerated() {
            fields[field.name] = JSONValue(generator.value(index, using: &random))
        }
        return fields
    }

    @Test func whatEveryVersionMakesIsAcceptedByBoth() throws {
        let seed = UInt64.random(in: 1...UInt64(Int64.max))
        var random = SplitMix64(seed: seed)
        var count = 0
        for plan in try Self.plans() {
            for version in plan.schemas.indices {
                let judges = try Judges(plan, version: version)
                for projection in plan.projections[version].compactMap({ $0 }) {
                    let generator = try #require(RecordGenerator(plan, of: projection.name, in: version))
                    for _ in 0..<3 {
                        let fields = Self.fields(projection, generator, using: &random)
                        for op in ["create", "update"] {
                            let change = JSONValue.object(Self.change(projection, plan, op, fields: fields))
                            #expect(try judges.readerAccepts(change), "seed \(seed): \(change)")
                            #expect(try judges.schemaAccepts(change), "seed \(seed): \(change)")
                            count += 1
                        }
                    }
                    let deletion = JSONValue.object(Self.change(projection, plan, "delete", fields: [:]))
                    #expect(try judges.schemaAccepts(deletion) && judges.readerAccepts(deletion))
                }
            }
        }
        #expect(count > 500)
    }

    /// Values of all types, and almost values. Not among them: those that `ChangesetSchema` cannot or
    /// need not distinguish.
    private static let probes: [JSONValue] = [
        .null, .bool(true), .int(0), .int(.max), .int(.min), .double(1.5), .double(1e300), .string(""), .string("x"),
        .string("a\u{0}b"), .string("é\n"), .string("metric"), .string("breakfast"), .string("12.50"), .string("-1"),
        .string("1e9"), .string("1e9999"), .string("1."), .string(".5"), .string("0x1"), .string("NaN"),
        .string(String(repeating: "9", count: 1000)), .string(String(repeating: "9", count: 1001)),
        .string("2026-01-31T08:00:00Z"), .string("2026-01-31t08:00:00.123456789+05:30"),
        .string("2026-04-31T08:00:00Z"), .string("0000-01-31T08:00:00Z"), .string("2026-01-31 08:00:00Z"),
        .string("2026-01-31T24:00:00Z"), .string("2026-01-31T08:00:00"), .string("2026-01-31"),
        .string("5C1D6F0E-3f5b-4f0a-9d0c-7a1f4a1b2c3d"), .string("5c1d6f0e3f5b4f0a9d0c7a1f4a1b2c3d"),
        .string("{5c1d6f0e-3f5b-4f0a-9d0c-7a1f4a1b2c3d}"), .string("AAEC"), .string("AAE="), .string("AAF="),
        .string("AAE"), .array([]), .array([.null]), .array([.string("a")]), .array([.string("a\u{0}")]),
        .array([.int(1)]), .array([.string("2026-01-31T08:00:00Z")]), .array([.array([])]), .object([:]),
        .object(["a": .array([.null, .double(0.5)])]), .object(["a": .object(["b": .string("\u{0}")])]),
        .object(["a\u{0}": .int(1)]),
    ]

    @Test func whateverAFieldHoldsBothSayTheSame() throws {
        var accepted = 0
        var refused = 0
        for plan in try Self.plans() {
            let version = plan.newest
            let judges = try Judges(plan, version: version)
            var probed: Set<AttributeType> = []
            for projection in plan.projections[version].compactMap({ $0 }) {
                for field in projection.fields where probed.insert(field.type).inserted {
                    for probe in Self.probes {
                        let change = JSONValue.object(
                            Self.change(projection, plan, "update", fields: [field.name: probe]))
                        let isRead = try judges.readerAccepts(change)
                        #expect(try judges.schemaAccepts(change) == isRead, "\(field.type) \(change)")
                        if isRead { accepted += 1 } else { refused += 1 }
                    }
                }
            }
        }
        #expect(accepted > 100 && refused > 500)
    }

    @Test func theAttributesOfEveryTypeAreProbed() throws {
        let plan = try Plan(AllTypesPlan.self)
        let judges = try Judges(plan, version: 0)
        let projection = try #require(plan.projection(version: 0, named: "Thing"))
        for field in projection.fields {
            for probe in Self.probes {
                let change = JSONValue.object(Self.change(projection, plan, "update", fields: [field.name: probe]))
                #expect(try judges.schemaAccepts(change) == judges.readerAccepts(change), "\(field.type) \(change)")
            }
        }
        // Nothing but the required ones, and then each of them missing.
        var needed: [String: JSONValue] = [:]
        for field in projection.fields where !field.isOmissible { needed[field.name] = AllTypesPlan.values[field.name] }
        let whole = JSONValue.object(Self.change(projection, plan, "create", fields: needed))
        #expect(try judges.schemaAccepts(whole) && judges.readerAccepts(whole))
        #expect(needed.count == 5)
        for name in needed.keys {
            let change = JSONValue.object(
                Self.change(projection, plan, "create", fields: needed.filter { $0.key != name }))
            #expect(try !judges.schemaAccepts(change) && !judges.readerAccepts(change), "\(name)")
        }
    }

    /// Changes that are wrong as a whole, by what is put into a good one; nil takes a member out.
    private static let faults: [(String, [String: JSONValue?])] = [
        ("another member", ["seq": .int(1)]), ("no entity", ["entity": nil]), ("no id", ["id": nil]),
        ("no op", ["op": nil]), ("unknown entity", ["entity": "SDNothing"]),
        ("local entity", ["entity": "SDOutboxEvent"]),
        ("an older version's entity", ["entity": "SDUserProfile"]), ("bad op", ["op": "upsert"]),
        ("bad id", ["id": "me"]), ("stamp 0", ["stamp": .int(0)]), ("stamp 2^53", ["stamp": .int(1 << 53)]),
        ("stamp text", ["stamp": "7"]), ("unknown version", ["version": "9.9.9"]),
        ("unknown attribute", ["fields": ["nothing": .int(1)]]), ("to-many", ["fields": ["items": .array([])]]),
        ("fields as array", ["fields": .array([])]), ("deletion with fields", ["op": "delete"]),
    ]

    @Test func changesThatAreWrongAsAWholeAreRefusedByBoth() throws {
        let plan = try Plan(FitIQPlan.self)
        let judges = try Judges(plan, version: plan.newest)
        let projection = try #require(plan.projection(version: plan.newest, named: "SDMeal"))
        let good = Self.change(projection, plan, "create", fields: ["notes": "x"])
        for omitted in [[], ["stamp"], ["fields"], ["stamp", "fields"]] {
            let change = JSONValue.object(good.filter { !omitted.contains($0.key) })
            #expect(try judges.schemaAccepts(change) && judges.readerAccepts(change), "\(change)")
        }
        for (name, fault) in Self.faults {
            var members = good
            for (key, value) in fault { members[key] = value }
            let change = JSONValue.object(members)
            #expect(try !judges.readerAccepts(change), "\(name)")
            #expect(try !judges.schemaAccepts(change), "\(name)")
        }
    }

    @Test func incrementsAreAcceptedByBothWhereTheVersionsRecordsHaveCounters() throws {
        let plan = try Plan(ScoresPlan.self)
        for version in plan.schemas.indices {
            let judges = try Judges(plan, version: version)
            let projection = try #require(plan.projections[version][0])
            var accepted = 0
            for (name, amount, stamp) in [
                ("count", .int(-2), .int(7)), ("wins", .int(1), .int(7)), ("count", .double(0.5), .int(7)),
                ("count", .null, .int(7)), ("name", .int(1), .int(7)), ("count", .int(1), nil),
            ] as [(String, JSONValue, JSONValue?)] {
                for operation in ["create", "update", "delete"] {
                    var change = Self.change(projection, plan, operation, fields: [:])
                    change["stamp"] = stamp
                    change["increments"] = .object([name: amount])
                    let isRead = try judges.readerAccepts(.object(change))
                    #expect(try judges.schemaAccepts(.object(change)) == isRead, "\(version): \(change)")
                    if isRead { accepted += 1 }
                }
            }
            #expect(accepted == (version == 0 ? 2 : 4))
            for operation in ["create", "update"] {
                let change = JSONValue.object(Self.change(projection, plan, operation, fields: ["count": .int(1)]))
                let isRead = try judges.readerAccepts(change)
                #expect(isRead == (operation == "create" || version == 0))
                #expect(try judges.schemaAccepts(change) == isRead)
            }
        }
    }

    @Test func theServerSendsItToEveryone() async throws {
        try await withTestServer { server in
            let path = "/v1/apps/fitiq/versions/0.0.6/schema.json"
            let reply = try await server.send("GET", path, changing: ["Authorization": nil, "Schema-Version": nil])
            #expect(reply.status == 200 && reply["content-type"] == "application/schema+json")
            let local = JSONWriter.text { ChangesetSchema(server.plan, version: 5)?.write(to: &$0) }
            #expect(reply.json == (try JSONValue(parsing: Array(local.utf8))))
            for missing in ["0.0.99", "6", "0.0.6/", "..%2F"] {
                let path = "/v1/apps/fitiq/versions/\(missing)/schema.json"
                #expect(try await server.send("GET", path).isProblem(404, "not-found"), "\(missing)")
            }
            #expect(try await server.send("POST", path, body: []).isProblem(405, "method-not-allowed"))
        }
    }
}

/// One entity with an attribute of every type, required and optional.
private enum AllTypesPlan: SchemaMigrationPlan {
    static let app = "alltypes"
    static let schemas: [any VersionedSchema.Type] = [V1.self]
    static let stages: [MigrationStage] = []

    static let values: [String: JSONValue] = [
        "bool": .bool(true), "data": "AAEC", "decimal": "1.5", "structs": .array([.null]), "json": .object([:]),
    ]

    enum V1: VersionedSchema {
        static let versionIdentifier = Schema.Version(0, 0, 1)
        static let models = Models {
            Model("Thing") {
                Identity("id")
                Attribute("bool", .bool)
                Attribute("data", .data)
                Attribute("maybeData", .data.optional)
                Attribute("decimal", .decimal)
                Attribute("maybeDecimal", .decimal.optional)
                Attribute("decimals", .array(of: .decimal), default: [])
                Attribute("structs", .array(of: .codable("Extra")))
                Attribute("json", .codable("Extra"))
                Attribute("maybeJSON", .codable("Extra").optional)
                Attribute("size", .enumeration("Size", ["x", "metric"]), default: "x")
                Attribute("maybeSize", .enumeration("Size", ["x", "metric"]).optional)
                Attribute("uuids", .array(of: .uuid), default: [])
                Attribute("maybeDate", .date.optional)
                Attribute("maybeInt", .int.optional)
                Attribute("maybeDouble", .double.optional)
                Relationship("thing", toOne: "Thing")
            }
        }
    }
}
