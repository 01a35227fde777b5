import Foundation
import PGStore
import Postgres
import StrictJSON
package import WireFormats

/// The actions of the server's operator, as commands of `syncserver`.
extension Site {
    /// An entry of `syncserver quarantine list`.
    struct HeldEntry {
        let id: Int64
        let name: HeldChanges.Name
        /// The reason code of the latest attempt to merge the change.
        let code: String
    }

    /// Runs `syncserver gc` until the server has forgotten everything that was deleted. It runs at least twice, because
    /// the first run only records the time. It is repeated until the space has no increments and no decided changes any
    /// more. Each server estimates the database's clock, so a time that a server recorded may be slightly ahead and
    /// count as too recent.
    package func collect(app: String, space: ID) async throws {
        for _ in 1...Site.collectionsMax {
            for _ in 1...2 {
                _ = try run(["gc", "--older-than", "0s", "--app", app, "--migrations", program.migrations])
            }
            if try await remembered(of: space) == 0 { return }
        }
        throw Breach("a space remembers what was to be forgotten, after \(Site.collectionsMax) collections")
    }

    /// The maximum number of collections. Their duration exceeds any error of a server's estimate of the clock.
    private static let collectionsMax = 30

    /// Returns the number of increments and decided changes that the server stores for a space. A replaced stamp may be
    /// ahead of the clock if its record's stamps were.
    private func remembered(of space: ID) async throws -> Int64 {
        let session = try await Session.open(superuser)
        let rows = try await session.execute(
            Command(
                """
                SELECT (SELECT count(*) FROM sync.increment WHERE space_id = $1)
                    + (SELECT count(*) FROM sync.judged WHERE space_id = $1)
                """, [.id(space)]))
        await session.close()
        return rows.int(0, 0)
    }

    /// Runs `syncserver epoch --renew`.
    func renewEpoch() throws {
        _ = try run(["epoch", "--renew", "--yes"])
    }

    /// Runs `syncserver version retire`, then waits until every running server refuses the version.
    package func endVersion(_ version: String, of app: String, _ end: VersionEnd) async throws {
        endedVersions.insert(version)
        switch end {
        case .retired:
            _ = try run(["version", "retire", version, "--app", app, "--force"])
            try await expect(version, of: app, toBe: "retired")
        case .closed:
            _ = try run(["version", "retire", version, "--app", app, "--force", "--outbox-until", "1s"])
            try await expect(version, of: app, toBe: "closed")
        }
    }

    /// Runs `syncserver version restore` for all ended versions, then waits until every running server accepts them.
    package func restoreVersions(of app: String) async throws {
        for version in endedVersions.sorted() {
            _ = try run(["version", "restore", version, "--app", app])
            try await expect(version, of: app, toBe: "supported")
        }
        endedVersions = []
    }

    private func expect(_ version: String, of app: String, toBe status: String) async throws {
        for port in ports {
            let connection = HTTPConnection(port: port)
            let deadline = ContinuousClock.now + Site.knownWithin
            while true {
                let reply = try connection.exchange(
                    HTTPConnection.request("GET", Endpoint.app.path(app: app), headers: [], body: nil))
                let reported = try? JSONDocument(parsing: reply.body).root[BodyMember.versions]?.elements?
                    .first { $0[BodyMember.version]?.string == version }?[BodyMember.status]?.string
                if reported == status { break }
                guard ContinuousClock.now < deadline else {
                    throw Breach("a server says that \(version) is \(reported ?? "nothing"), and it is \(status)")
                }
                try await Task.sleep(for: .milliseconds(20))
            }
            connection.close()
        }
    }

    /// The time within which every server must have read a change of the versions. Servers read them every 3 s, but on
    /// a busy machine it may take longer.
    private static let knownWithin = Duration.seconds(60)

    /// Returns the quarantine of a space, in the order in which the changes were held.
    ///
    /// - Parameter key: returns a record's key by its id in a version.
    func quarantine(
        of space: ID, app: String, key: (_ id: String, _ entity: String, _ version: String) -> ID?
    ) throws -> [HeldEntry] {
        let answer = try run(quarantineCommand("list", of: space, app: app))
        return try (answer["held"]?.elements.map(Array.init) ?? []).map { node in
            guard let id = node["id"]?.int64, let device = node["device"]?.string.flatMap({ ID($0) }),
                let entity = node["entity"]?.string, let fingerprint = node["fingerprint"]?.string,
                let version = node["version"]?.string,
                let record = node["record"]?.string.flatMap({ key($0, entity, "\(version);fp=\(fingerprint)") }),
                let operation = node["op"]?.string, let stamp = node["stamp"]?.int64, let code = node["code"]?.string
            else { throw Breach("an entry of the quarantine lacks a member") }
            let name = HeldChanges.Name(
                device: device, entity: entity, record: record, operation: operation, stamp: stamp)
            return HeldEntry(id: id, name: name, code: code)
        }
    }

    /// Replays the quarantine of a space.
    ///
    /// - Returns: the verdict of each change with its number, in the order of merging.
    /// - Throws: `Breach` if a change stays in the quarantine.
    func replayQuarantine(of space: ID, app: String) throws -> [(id: Int64, verdict: VerdictName)] {
        let answer = try run(quarantineCommand("replay", of: space, app: app))
        return try (answer["replayed"]?.elements.map(Array.init) ?? []).map { node in
            guard let id = node["id"]?.int64, let verdict = node["verdict"]?.string.flatMap(VerdictName.init(rawValue:))
            else {
                throw Breach("what was replayed lacks a member")
            }
            return (id, verdict)
        }
    }

    private func quarantineCommand(_ action: String, of space: ID, app: String) -> [String] {
        ["quarantine", action, "--app", app, "--space", "\(space)", "--migrations", program.migrations]
    }

    /// Adds a constraint to the database, which no plan declares, so that it refuses this text in this column. Existing
    /// rows with the text stay.
    func refuse(_ text: String, in column: Refusal.Column) async throws {
        try await alter(column, "ADD CONSTRAINT refusal CHECK (\"\(column.name)\" <> '\(text)') NOT VALID")
    }

    /// Removes the constraint.
    func refuseNothing(in column: Refusal.Column) async throws {
        try await alter(column, "DROP CONSTRAINT IF EXISTS refusal")
    }

    private func alter(_ column: Refusal.Column, _ action: String) async throws {
        let table = "\"\(column.schema)\".\"\(column.table)\""
        let session = try await Session.open(superuser)
        try await session.execute(Command(Statement(unchecked: "ALTER TABLE \(table) \(action)")))
        await session.close()
    }

    /// Runs a command of the executable and parses its JSON output.
    ///
    /// - Throws: `Breach` if the command fails.
    private func run(_ words: [String]) throws -> JSONNode {
        let process = Process()
        process.executableURL = URL(filePath: program.executable)
        process.arguments = words + ["--json"]
        process.environment = ["PATH": "/usr/bin:/bin", "DATABASE_URL": database.textRevealingSecrets]
        let (output, complaint) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = complaint
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let answer = output.fileHandleForReading.readDataToEndOfFile()
        let complaints = complaint.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0, let document = try? JSONDocument(parsing: Array(answer)) else {
            throw Breach(
                "‘syncserver \(words.joined(separator: " "))’ ended with \(process.terminationStatus):\n"
                    + String(decoding: answer + complaints, as: UTF8.self))
        }
        return document.root
    }
}
