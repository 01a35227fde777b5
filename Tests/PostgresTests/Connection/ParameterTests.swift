import Postgres
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// Each type goes to the server and back, alone and in an array.
@Suite struct ParameterTests {
    private static let ints: [Int64] = [.min, -1, 0, 1, .max]
    private static let doubles: [Double] = [
        -.infinity, -.greatestFiniteMagnitude, -0.1, 0, .leastNonzeroMagnitude, 1.0 / 3, .infinity,
    ]
    private static let texts = [
        "", "plain", "'; DROP TABLE t; --", "$1 \\ \" %s", "é 🌍 \u{202E}", String(repeating: "x", count: 100_000),
    ]
    private static let ids = [ID(high: 0, low: 0), ID(high: .max, low: .max), ID(high: 1, low: 1 << 63)]
    /// PostgreSQL's first and last instants that fit, the two epochs, and around them.
    private static let timestamps: [Timestamp] = [
        -210_866_803_200_000_000, -1, 0, 1, 946_684_799_999_999, 946_684_800_000_000, 9_223_372_036_854_775_806,
    ].map { Timestamp(microseconds: $0) }
    private static let decimals = [
        "0", "1", "-1", "0.5", "-0.00001", "10000", "9999.9999", "123456789.000000001", "-12345.678", "1e999", "1e-999",
        "1000000000000",
    ].map { DecimalText($0)! }
    private static let blobs: [[UInt8]] = [[], [0], Array(0...255)]
    private static let jsons = ["null", #"{"b":1,"a":[1.0,"\u00e9"]}"#, " [ ] "]

    @Test func valuesComeBackAsTheyWent() async throws {
        try await withTestDatabase { database in
            let session = try await database.session()
            try await session.transaction { session in
                for x in Self.ints { #expect(try session.echo(.int(x), "bigint").int(0, 0) == x) }
                for x in Self.doubles { #expect(try session.echo(.double(x), "float8").double(0, 0) == x) }
                for x in [true, false] { #expect(try session.echo(.bool(x), "boolean").bool(0, 0) == x) }
                for x in Self.texts { #expect(try session.echo(.text(x), "text").string(0, 0) == x) }
                for x in Self.ids { #expect(try session.echo(.id(x), "uuid").id(0, 0) == x) }
                for x in Self.timestamps {
                    let rows = try session.echo(.timestamp(x), "timestamptz")
                    #expect(rows.storedTimestamp(0, 0) == x)
                    let isWritable = Timestamp.wireRange.contains(x)
                    #expect((rows.timestamp(0, 0) == x) == isWritable)
                    #expect(Timestamp.wireRange.contains(rows.timestamp(0, 0)))
                }
                for x in Self.decimals {
                    let text = try session.echo(.decimal(x), "numeric", as: "text").string(0, 0)
                    #expect(DecimalText(text) == x)
                }
                for x in Self.blobs { #expect(try session.echo(.bytes(x), "bytea").bytes(0, 0) == x) }
                for x in Self.jsons { #expect(try session.echo(.json(x), "json").string(0, 0) == x) }
            }
        }
    }

    @Test func decimalsKeepTheirScale() async throws {
        try await withTestDatabase { database in
            let session = try await database.session()
            for text in ["0.5", "-12345.678", "10000", "0.00001"] {
                let rows = try await session.transaction {
                    try $0.echo(.decimal(DecimalText(text)!), "numeric", as: "text")
                }
                #expect(rows.string(0, 0) == text)
            }
        }
    }

    @Test func timestampsAgreeWithTheServersCalendar() async throws {
        try await withTestDatabase { database in
            let session = try await database.session()
            let rows = try await session.transaction { session in
                try session.echo(.timestamp(Timestamp(microseconds: 1_700_000_000_123_456)), "timestamptz", as: "text")
            }
            #expect(rows.string(0, 0) == "2023-11-14 22:13:20.123456+00")
        }
    }

    @Test(arguments: SQLType.allCases) func nullIsNullInEveryType(type: SQLType) async throws {
        try await withTestDatabase { database in
            let session = try await database.session()
            let rows = try await session.transaction { try $0.echo(.null(type), type.name) }
            #expect(rows.isNull(0, 0))
        }
    }

    @Test(arguments: SQLType.allCases) func anEmptyArrayIsEmptyInEveryType(type: SQLType) async throws {
        try await withTestDatabase { database in
            let session = try await database.session()
            let array = ArrayParameter(type).finished()
            let rows = try await session.transaction { try $0.echo(array, type.name + "[]", as: "text") }
            #expect(rows.string(0, 0) == "{}")
        }
    }

    @Test func arraysWithNullsUnnestToTheirRows() async throws {
        let values: [(SQLType, [Value])] = [
            (.int8, Self.ints.map { .int($0) }), (.float8, Self.doubles.map { .double($0) }),
            (.bool, [.bool(true), .bool(false)]), (.text, Self.texts.map { .string($0) }),
            (.uuid, Self.ids.map { .uuid($0) }), (.timestamptz, Self.timestamps.map { .date($0) }),
            (.numeric, Self.decimals.map { .decimal($0) }), (.bytea, Self.blobs.map { .data($0) }),
            (.json, Self.jsons.map { .json($0) }),
        ]
        try await withTestDatabase { database in
            let session = try await database.session()
            for (type, values) in values {
                let values = [.null] + values + [.null]
                var array = ArrayParameter(type, capacity: values.count)
                for value in values { array.append(value) }
                let sql = Statement(
                    unchecked: "SELECT x::text FROM unnest($1::\(type.name)[]) WITH ORDINALITY AS u (x, i) ORDER BY i")
                let one = Statement(unchecked: "SELECT $1::\(type.name)::text")
                let rows = try await session.execute(Command(sql, [array.finished()]))
                #expect(rows.count == values.count)
                for (row, value) in values.enumerated() {
                    let single = try await session.execute(Command(one, [.value(value, as: type)]))
                    #expect(rows.stringIfPresent(row, 0) == single.stringIfPresent(0, 0), "\(type) \(row)")
                    #expect(rows.isNull(row, 0) == value.isNull)
                }
            }
        }
    }

    @Test func columnsOfOneUpsertStayInStep() async throws {
        try await withTestDatabase { database in
            let session = try await database.session()
            try await session.execute("CREATE TABLE public.t (id uuid PRIMARY KEY, name text, n bigint)")
            var ids = ArrayParameter(.uuid)
            var names = ArrayParameter(.text)
            var numbers = ArrayParameter(.int8)
            for n in 0..<1000 {
                ids.append(id: ID(high: 0, low: UInt64(n)))
                if n % 3 == 0 { names.appendNull() } else { names.append(text: "name \(n)") }
                numbers.append(int: Int64(n))
            }
            let upsert: Statement = """
                INSERT INTO public.t (id, name, n)
                SELECT * FROM unnest($1::uuid[], $2::text[], $3::bigint[])
                """
            let inserted = try await session.execute(
                Command(upsert, [ids.finished(), names.finished(), numbers.finished()]))
            #expect(inserted.affectedCount == 1000)
            let wrong = try await session.execute(
                """
                SELECT count(*) FROM public.t
                WHERE name IS DISTINCT FROM CASE WHEN n % 3 = 0 THEN NULL ELSE 'name ' || n END
                """)
            #expect(wrong.int(0, 0) == 0)
        }
    }

    @Test func valuesAreNeverReadAsSQL() async throws {
        try await withTestDatabase { database in
            let session = try await database.session()
            try await session.execute("CREATE TABLE public.t (x text)")
            let hostile = "x'); DROP TABLE public.t; --"
            try await session.execute(Command("INSERT INTO public.t VALUES ($1)", [.text(hostile)]))
            #expect(try await session.execute("SELECT x FROM public.t").string(0, 0) == hostile)
        }
    }

    @Test func theServerRefusesWhatItsTypesCannotHold() async throws {
        try await withTestDatabase { database in
            let session = try await database.session()
            let unholdable: [(Parameter, String)] = [
                (.text("a\u{0}b"), "text"), (.timestamp(Timestamp(microseconds: .min)), "timestamptz"),
                (.json("{"), "json"),
            ]
            for (parameter, type) in unholdable {
                let error = await #expect(throws: PGError.self) {
                    try await session.transaction { _ = try $0.echo(parameter, type) }
                }
                guard case .invalidInput = error else { Issue.record("\(String(reflecting: error))"); continue }
            }
        }
    }

    @Test func bytesAreLentAsTheyTravelled() async throws {
        try await withTestDatabase { database in
            let session = try await database.session()
            let rows = try await session.execute("SELECT 258::bigint, 'é'::text, NULL::text, ''::bytea")
            #expect(rows.withBytes(0, 0) { bytes in bytes.indices.map { bytes[$0] } } == [0, 0, 0, 0, 0, 0, 1, 2])
            #expect(rows.withBytes(0, 1) { bytes in bytes.count } == 2)
            #expect(rows.withBytes(0, 2) { bytes in bytes.count } == 0)
            #expect(rows.withBytes(0, 3) { bytes in bytes.count } == 0)
            #expect(rows.isNull(0, 2) && !rows.isNull(0, 3))
        }
    }

    @Test func smallerNumbersReadAsTheirWiderTypes() async throws {
        try await withTestDatabase { database in
            let session = try await database.session()
            let rows = try await session.execute("SELECT (-2)::smallint, (-3)::integer, 4::oid, 0.5::real")
            #expect(rows.int(0, 0) == -2)
            #expect(rows.int(0, 1) == -3)
            #expect(rows.int(0, 2) == 4)
            #expect(rows.double(0, 3) == 0.5)
        }
    }
}

extension Session {
    fileprivate func echo(_ parameter: Parameter, _ type: String, as shown: String? = nil) throws -> Rows {
        let sql = "SELECT $1::\(type)" + (shown.map { "::\($0)" } ?? "")
        return try execute(Command(Statement(unchecked: sql), [parameter]))
    }
}
