import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// `syncserver census`, as an operator reads it.
@Suite struct CensusCommandTests {
    private let devices = (1...5).map { ID(high: 9, low: UInt64($0)) }

    private func census(_ server: TestServer, _ words: [String] = ["--app", "fitiq"]) async throws -> CommandRun {
        try await CommandRun(["census"] + words, database: server.database.connectionString)
    }

    /// A row of some time ago; the census itself has been kept for a hundred days.
    private func see(
        _ device: ID, _ version: String, ago: String, outboxAge: Int? = nil, of subject: String? = nil,
        in server: TestServer
    ) async throws {
        try await server.database.run(
            """
            INSERT INTO sync.census_device SELECT 'fitiq', '\(device)', '\(version)', now() - interval '\(ago)',
                now() - interval '\(ago)', \(outboxAge.map { "\($0)" } ?? "NULL"),
                \(subject.map { "sync.census_subject('fitiq', '\($0)')" } ?? "NULL")
            """)
    }

    private func line(_ version: String, of run: CommandRun) -> [Substring] {
        run.output.split(separator: "\n").map { $0.split(separator: " ") }.first { $0.first == version[...] } ?? []
    }

    @Test func itCountsDevicesWhereTheyAreNowAndUseWhereverItWas() async throws {
        try await withTestServer { server in
            try await server.service.flushCensus()
            try await server.database.run(
                """
                UPDATE sync.census
                SET since = now() - interval '100 days', watched_since = now() - interval '100 days'
                """
            )
            // Updated four days ago, after weeks away; its outbox was old then and is empty now.
            try await see(devices[0], "0.0.6", ago: "4 days 1 minute", outboxAge: 900_000, in: server)
            try await see(devices[0], "0.1.1", ago: "4 days", outboxAge: 0, of: "anna", in: server)
            // Sends what it wrote before its update: in the same request, or as good as.
            try await see(devices[1], "0.0.9", ago: "1 hour", in: server)
            try await see(devices[1], "0.1.1", ago: "1 hour 4 minutes", outboxAge: 7_300, in: server)
            try await see(devices[2], "0.0.6", ago: "60 days", in: server)
            try await see(devices[3], "0.1.0;fp=8de35ba91f04e2da", ago: "20 days", of: "anna", in: server)
            try await see(ID(high: 0, low: 0), "0.1.1", ago: "2 hours", in: server)
            try await see(devices[4], "0.1.7", ago: "1 hour", in: server)
            let run = try await census(server)
            #expect(run.status == 0, "\(run.errors)")
            #expect(run.output.split(separator: "\n").allSatisfy { $0.count <= 100 }, "\(run.output)")
            #expect(line("0.0.1", of: run) == ["0.0.1", "0", "0", "0", "0", "0", "0", "never", "-"])
            #expect(line("0.0.6", of: run).dropLast(2) == ["0.0.6", "1", "0+", "0", "0", "0", "1"], "\(run.output)")
            #expect(line("0.0.9", of: run).dropLast(2) == ["0.0.9", "0", "0", "0", "0", "0", "1"])
            let newest = line("0.1.1*", of: run)
            #expect(
                newest.dropLast(2) == ["0.1.1*", "3", "1+", "2", "3", "3", "3"] && newest.last == "2h", "\(newest)")
            #expect(
                line("0.1.0;fp=8de35ba91f04e2da", of: run).dropLast(2)
                    == ["0.1.0;fp=8de35ba91f04e2da", "1", "1", "0", "0", "1", "1"])
            #expect(line("0.1.7?", of: run).dropLast(2) == ["0.1.7?", "1", "0+", "1", "1", "1", "1"])
            #expect(
                run.output.contains("* Requests without Device-Id") && run.output.contains("? The plan has no such"))
            #expect(run.output.contains("‘census(<0.0.6)=0 for 30d’"), "\(run.output)")
            let json = try JSONValue(
                parsing: Array(try await census(server, ["--app", "fitiq", "--json"]).output.utf8))
            let app = json["apps"].elements[0]
            #expect(app["unusedBelow"] == "0.0.6")
            let six = app["versions"].elements.first { $0["version"] == "0.0.6" }
            #expect(
                six?["devices"] == 1 && six?["subjects"] == 0 && six?["withoutSubject"] == 1
                    && six?["usedIn30Days"] == 1 && six?["known"] == true)
        }
    }

    @Test func aYoungCensusRecommendsNothing() async throws {
        try await withTestServer { server in
            let none = try await census(server)
            #expect(none.output.contains("fitiq, no census kept yet") && !none.output.contains("census(<"))
            try await server.service.flushCensus()
            let young = try await census(server)
            #expect(young.output.contains("fitiq, census since ") && young.output.contains("can be told from"))
            #expect(!young.output.contains("census(<"))
        }
    }

    @Test func aDatabaseWithoutACensusSaysWhatToDo() async throws {
        try await withTestDatabase { database in
            let run = try await CommandRun(["census"], database: database.connectionString)
            #expect(run.status == 1 && run.errors.contains("syncserver migrate up"), "\(run.errors)")
        }
    }
}
