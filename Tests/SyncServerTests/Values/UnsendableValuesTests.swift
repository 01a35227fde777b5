import PGMigrations
import PGStore
import Postgres
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

@testable import SyncCommands

/// Tests of rows that cannot be sent to devices: the check of a database names them, and its advice mends them.
@Suite struct UnsendableValuesTests {
    /// A row for each value, in a space of its own.
    private func plant(_ values: [HostileValue], _ session: Session) async throws {
        try await session.runScript(SpecimensPlan.unguarding + SpecimensPlan.emptying)
        for (index, value) in values.enumerated() {
            try await session.runScript(
                """
                INSERT INTO specimens.specimen
                    (space_id, id, seq, alive, stamp, stamps, born, died, dangling, name, mass, length, length_v2,
                     grade, ratio, flag, count, price, found, shape, flags, counts, ratios, texts, prices, dates,
                     grades)
                VALUES (gen_random_uuid(), gen_random_uuid(), \(index + 1), true, 9, '\\x00', 9, 0, 0, '', 0.5, 3, 3,
                    'mid', 1.5, true, 4, 2, now(), '{"sides":3}', '[]', '[]', '[1.5]', '[]', '[]', '[]', '[]');
                UPDATE specimens.specimen SET \(value.column) = \(value.sql) WHERE seq = \(index + 1);
                """)
        }
    }

    @Test func eachValueThatIsNotSentIsFoundAndMended() async throws {
        let plan = try Plan(SpecimensPlan.self)
        let lines = try Repository.migrations() + [SpecimensPlan.migrations()]
        try await withTestDatabase(migrated: lines) { database in
            let session = try await Session.open(database.superuserConnectionString)
            // JSON's null is sent where an attribute may be null.
            let values = HostileValue.all.filter {
                if case .standard = $0.expected {
                    $0.sql != "'null'" || !["tokens", "blobs", "shape2"].contains($0.column)
                } else {
                    false
                }
            }
            let sound = HostileValue.all.filter { if case .exactly = $0.expected { true } else { false } }
            try await plant(values + sound, session)
            let migrator = Migrator(database.connectionString, lines: lines)
            let found = try await migrator.unsendableValues(of: [plan.hub])
            for (column, ofColumn) in Dictionary(grouping: values, by: \.column) {
                let finding = found.first { $0.column == column }
                #expect(finding?.count == Int64(ofColumn.count), "\(column)")
                #expect(finding?.entity == "Specimen" && finding?.table == "specimens.specimen")
            }
            #expect(found.count == Set(values.map(\.column)).count)
            let doctor = Doctor(migrator, hubs: [plan.hub], servingRole: "syncserver_serving")
            let diagnosis = try await doctor.examine().findings.filter { $0.check == .values }
            #expect(diagnosis.map(\.remedy).sorted() == found.map(\.remedy).sorted())
            // JSON is mended row by row.
            for _ in 0..<200 {
                let rest = try await migrator.unsendableValues(of: [plan.hub])
                if rest.isEmpty { break }
                for finding in rest { try await session.runScript(finding.remedy) }
            }
            #expect(try await migrator.unsendableValues(of: [plan.hub]) == [])
            await session.close()
        }
    }

    /// A backfill that casts what devices sent.
    @Test func aRehearsalFailsWhereAStepMakesSuchRows() async throws {
        let plan = try Plan(SpecimensPlan.self)
        let first = try SpecimensPlan.migrations()
        let sql = """
            -- sync: silent
            -- phase: expand
            UPDATE specimens.specimen SET ratio = name::double precision WHERE name <> '';
            """
        let second = try MigrationFile(line: "specimens", fileName: "0002-cast-names.sql", bytes: Array(sql.utf8))
        let server = [try DraftedFiles.serverLine()]
        try await withTestDatabase(migrated: server + [first]) { database in
            let session = try await Session.open(database.superuserConnectionString)
            try await plant([HostileValue("name", "'nan'"), HostileValue("ratio2", "'Infinity'")], session)
            await session.close()
            let lines = server + [try MigrationLine(name: "specimens", files: first.files + [second])]
            let rehearsal = try await Migrator(database.connectionString, lines: lines)
                .rehearse(schemas: ["sync", "specimens"], hubs: [plan.hub])
            let failure = rehearsal.failure ?? ""
            for word in ["specimens.specimen.ratio ", "Specimen", "1 row holds"] {
                #expect(failure.contains(word), "\(failure)")
            }
            // What was there before is named, and keeps nothing from being deployed.
            #expect(rehearsal.unsendable.contains { $0.column == "ratio2" })
        }
    }
}
