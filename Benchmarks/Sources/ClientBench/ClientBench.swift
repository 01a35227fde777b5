import BenchSupport
import DemoApps
import Foundation
import SyncClient
import WireFormats

/// Measures a device's store, compared with plain SQLite and plain requests, in one run: a first sync, local writes, an
/// outbox that is sent, and an idle store. Words on the command line choose rows: first, writes, draining, idle.
@main
struct ClientBench {
    private let server: ServerProcess
    private let folder: URL
    private let schema: SyncSchema
    private let profile = "00000000-0000-4000-8000-000000000001"
    private let version = "0.1.1"

    private static let recordsCount = 100_000
    private static let smallCount = 10_000
    private static let pageCount = 1_000
    private static let writes = 1_000
    private static let pendingCount = 10_000
    private static let pushedAtOnce = 100
    private static let rounds = 3
    private static let idleSeconds = 60

    static func main() async {
        do {
            let server = try ServerProcess.start()
            defer { server.stop() }
            try await ClientBench(server).run()
        } catch {
            note("\(error)")
            exit(1)
        }
    }

    private init(_ server: ServerProcess) throws {
        self.server = server
        // On a disk, not in memory, because the measured time includes waiting for the disk.
        folder = URL(filePath: ProcessInfo.processInfo.environment["TMPDIR"] ?? "/var/tmp")
            .appending(path: "clientbench-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        schema = try SyncSchema(FitIQPlan.self, version: version)
    }

    private func run() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        print(line("", ["STORE", "PLAIN", "RATIO", "TARGET"]))
        let rows = [
            ("first", firstSync), ("writes", localWrites), ("draining", draining), ("idle", idling),
        ]
        let only = CommandLine.arguments.dropFirst()
        for (name, row) in rows where only.isEmpty || only.contains(name) { try await row() }
    }

    // MARK: Rows

    /// Measures a new device that reads a space; for comparison, the same rows are written to the same SQLite from
    /// memory, page by page.
    private func firstSync() async throws {
        let (big, small) = (server.spaces[0], server.spaces[1])
        note("Filling two spaces")
        try fill(small, ClientBench.smallCount)
        try fill(big, ClientBench.recordsCount)
        var (ours, plain, peaks): ([Double], [Double], [Int]) = ([], [], [])
        for round in 1...ClientBench.rounds {
            note("First sync, round \(round) of \(ClientBench.rounds)")
            try ProcessFigures.resetPeak()
            _ = try await read(small, ClientBench.smallCount, "small-\(round)")
            let smallPeak = try ProcessFigures.peakBytes()
            try ProcessFigures.resetPeak()
            let (seconds, file) = try await read(big, ClientBench.recordsCount, "big-\(round)")
            peaks.append(try ProcessFigures.peakBytes() - smallPeak)
            ours.append(Double(ClientBench.recordsCount) / seconds)
            let rows = try PlainSQLite.rows(of: file.path)
            let sqlite = try PlainSQLite(path: folder.appending(path: "plain-\(round)").path)
            let taken = try measured {
                for start in stride(from: 0, to: rows.count, by: ClientBench.pageCount) {
                    try sqlite.insert(rows[start..<min(start + ClientBench.pageCount, rows.count)])
                }
            }
            plain.append(Double(rows.count) / taken)
        }
        report("first sync of 100,000: records/s", ours, plain, "≥ 0.50")
        let growth = Double(median(peaks)) / 1_048_576
        print(line("its memory beside that of 10,000: MB more", [figure(growth), "", "", ""]))
    }

    private func read(_ space: UUID, _ count: Int, _ name: String) async throws -> (seconds: Double, file: URL) {
        let (store, file) = try store(space, name)
        var received = 0
        let seconds = try await measured { received = try await store.syncOnce().received }
        guard received > count else { throw Failure("Only \(received) of \(count) records came.") }
        return (seconds, file)
    }

    /// Measures local writes, one record per transaction.
    private func localWrites() async throws {
        let (store, _) = try store(server.spaces[2], "writing")
        try await store.write { try $0.apply(.create(profileKey, ["name": .string("Ada")])) }
        let edits = try edits(ClientBench.writes * ClientBench.rounds)
        var (ours, plain): ([Double], [Double]) = ([], [])
        let sqlite = try PlainSQLite(path: folder.appending(path: "plain-writing").path)
        for round in 0..<ClientBench.rounds {
            note("Local writes, round \(round + 1) of \(ClientBench.rounds)")
            let part = edits[round * ClientBench.writes..<(round + 1) * ClientBench.writes]
            let seconds = try await measured {
                for edit in part { try await store.write { try $0.apply(edit) } }
            }
            ours.append(seconds * 1e6 / Double(part.count))
            let text = String(repeating: "x", count: 400)
            let rows = part.map { edit in
                PlainSQLite.Row(texts: [edit.key.entity, edit.key.id.text, nil, nil, text], numbers: [1, 1, 1])
            }
            let taken = try measured { for index in rows.indices { try sqlite.insert(rows[index...index]) } }
            plain.append(taken * 1e6 / Double(rows.count))
        }
        report("a local write: µs", ours, plain, "≤ 2.00")
    }

    /// Measures the sending of an outbox; for comparison, as many new records, 100 per push, on one connection that
    /// waits for each response.
    private func draining() async throws {
        var (ours, plain): ([Double], [Double]) = ([], [])
        for round in 0..<ClientBench.rounds {
            note("Draining, round \(round + 1) of \(ClientBench.rounds)")
            let (store, _) = try store(server.spaces[3 + round], "draining-\(round)")
            try await store.write { try $0.apply(.create(profileKey, ["name": .string("Ada")])) }
            try await store.syncOnce()
            let edits = try edits(ClientBench.pendingCount)
            try await store.write { transaction in for edit in edits { try transaction.apply(edit) } }
            let seconds = try await measured { try await store.syncOnce() }
            guard try await store.pendingCount == 0 else { throw Failure("Not all was sent.") }
            ours.append(Double(edits.count) / seconds)
            let space = server.spaces[10 + round]
            try makeProfile(space)
            let taken = try measured { try push(space, ClientBench.pendingCount, ClientBench.pushedAtOnce) }
            plain.append(Double(ClientBench.pendingCount) / taken)
        }
        report("10,000 edits that waited: records/s", ours, plain, "≥ 0.80")
    }

    /// Measures a store that syncs and listens while nothing happens.
    private func idling() async throws {
        note("Idling for \(ClientBench.idleSeconds) s")
        let (store, _) = try store(server.spaces[20], "idling")
        let syncing = Task { await store.run() }
        try await Task.sleep(for: .seconds(5))
        let before = ProcessFigures.wakeUps()
        let began = clock()
        try await Task.sleep(for: .seconds(ClientBench.idleSeconds))
        let (woken, processor) = (ProcessFigures.wakeUps() - before, Double(clock() - began) / 1_000)
        syncing.cancel()
        print(line("idle for 60 s: wake-ups", ["\(woken)", "", "", "heartbeats"]))
        print(line("idle for 60 s: processor, ms", [figure(processor), "", "", ""]))
    }

    // MARK: What they need

    private var profileKey: RecordKey { RecordKey(entity: "SDUserProfileV11", id: RecordID(profile)) }

    private func store(_ space: UUID, _ name: String) throws -> (SyncStore, URL) {
        guard let url = URL(string: "http://127.0.0.1:\(server.port)") else { throw Failure("No URL.") }
        let file = folder.appending(path: name)
        let store = try SyncStore(
            at: file, schema: schema, endpoint: SyncEndpoint(server: url, space: "\(space)"),
            credentials: FixedToken(server.token))
        return (store, file)
    }

    private func edits(_ count: Int) throws -> [Edit] {
        let records = Records.activity(version)
        var source = IDSource()
        return try (0..<count).map { number in
            let values = try schema.fields(of: records.entity, json: "{\(records.fields(number, profile))}")
            let id = RecordID(String(decoding: source.next(), as: UTF8.self))
            return .create(RecordKey(entity: records.entity, id: id), values)
        }
    }

    private func headers() -> [String] {
        ["Authorization: Bearer \(server.token)", "Schema-Version: \(version)", "Device-Id: \(UUID())"]
    }

    private func path(_ space: UUID) -> String { "/v1/apps/fitiq/spaces/\(space)/changes" }

    private func makeProfile(_ space: UUID) throws {
        let body =
            #"{"changes":[{"entity":"SDUserProfileV11","id":"\#(profile)","op":"create","fields":{"name":"Ada"}}]}"#
        let answer = try HTTPConnection(port: server.port)
            .send(Request(post: path(space), headers: headers(), json: body))
        guard answer.contains(#""applied":1,"#) else { throw Failure(String(decoding: answer.body, as: UTF8.self)) }
    }

    private func fill(_ space: UUID, _ count: Int) throws {
        try makeProfile(space)
        try push(space, count, ClientBench.pageCount)
    }

    private func push(_ space: UUID, _ count: Int, _ atOnce: Int) throws {
        let connection = try HTTPConnection(port: server.port)
        var request = Request(
            post: path(space), headers: headers(),
            json: Records.activity(version).creation(atOnce, owner: profile))
        let indices = request.indices(of: Mark.id)
        var source = IDSource()
        for _ in 0..<count / atOnce {
            for index in indices { request.overwrite(index, with: source.next()) }
            let answer = try connection.send(request)
            guard answer.contains(#""applied":\#(atOnce),"#) else {
                throw Failure(String(decoding: answer.body, as: UTF8.self))
            }
        }
    }

    // MARK: Figures

    private func measured(_ body: () throws -> Void) rethrows -> Double {
        try ContinuousClock().measure(body) / .seconds(1)
    }

    private func measured(_ body: () async throws -> Void) async rethrows -> Double {
        try await ContinuousClock().measure(body) / .seconds(1)
    }

    private func median<Number: Comparable>(_ numbers: [Number]) -> Number { numbers.sorted()[numbers.count / 2] }

    private func report(_ title: String, _ ours: [Double], _ plain: [Double], _ target: String) {
        let ratios = zip(ours, plain).map { $0 / $1 }
        print(line(title, [figure(median(ours)), figure(median(plain)), figure(median(ratios)), target]))
    }

    private func line(_ title: String, _ cells: [String]) -> String {
        let texts = cells.map { String(repeating: " ", count: max(1, 12 - $0.count)) + $0 }
        return title + String(repeating: " ", count: max(1, 44 - title.count)) + texts.joined()
    }

    private func figure(_ number: Double) -> String {
        number >= 100 ? "\(Int(number.rounded()))" : "\((number * 100).rounded() / 100)"
    }
}
