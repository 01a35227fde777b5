import Postgres
import SyncTestSupport
import SyncTesting
import Testing

@Suite struct NotificationChannelTests {
    private func withPool<Value>(_ database: TestDatabase, _ body: (Pool) async throws -> Value) async throws -> Value {
        let pool = Pool(database.connectionString, limits: .patient(sessionsMax: 1))
        do {
            let value = try await body(pool)
            await pool.close()
            return value
        } catch {
            await pool.close()
            throw error
        }
    }

    @Test func notificationsAreReceivedInOrderAndOnTheirChannelOnly() async throws {
        try await withTestDatabase { database in
            let channel = try await NotificationChannel.open("a'b\"c", of: database.connectionString)
            try await withPool(database) { pool in
                try await NotificationChannel.notify(["unheard"], on: "other", through: pool)
                for round in 0..<3 {
                    let payloads = (0..<4).map { "\(round) \($0) \(String(repeating: "x", count: 7_900))" }
                    try await NotificationChannel.notify(payloads, on: "a'b\"c", through: pool)
                    var received: [String] = []
                    while received.count < payloads.count { received += try await channel.next() }
                    #expect(received == payloads)
                }
            }
            await channel.close()
        }
    }

    @Test func aChannelWhoseSessionIsEndedIsLost() async throws {
        try await withTestDatabase { database in
            let channel = try await NotificationChannel.open("a", of: database.connectionString)
            let hearing = Task { try await channel.next() }
            let killer = try await Session.open(database.superuserConnectionString)
            let victim = Parameter.int(Int64(await channel.serverProcessID))
            try await killer.execute(Command("SELECT pg_terminate_backend($1::integer)", [victim]))
            let error = await #expect(throws: PGError.self) { _ = try await hearing.value }
            guard case .connectionLost = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            await killer.close()
        }
    }

    @Test func whoWaitsInVainCanBeCancelled() async throws {
        try await withTestDatabase { database in
            let channel = try await NotificationChannel.open("a", of: database.connectionString)
            let waiting = Task { try await channel.next() }
            waiting.cancel()
            let error = await #expect(throws: PGError.self) { _ = try await waiting.value }
            guard case .cancelled = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            // And the channel goes on.
            try await withPool(database) { pool in
                try await NotificationChannel.notify(["later"], on: "a", through: pool)
            }
            #expect(try await channel.next() == ["later"])
            await channel.close()
        }
    }
}
