import Foundation
import PGStore
import Postgres
import StrictJSON
package import WireFormats

/// The actions of a person who operates the server, most of them as commands of `syncserver`.
extension Site {
    /// A quarantined change, as `syncserver quarantine list` shows it.
    struct HeldEntry {
        let id: Int64
        let name: HeldChanges.Name
        /// The reason code of the latest attempt to merge the change, such as `database-refused`.
        let code: String
    }

    /// Runs `syncserver gc` until the server has forgotten everything that was deleted in the space.
    ///
    /// The command must run twice: the first run only records the time, and the second one removes data from before
    /// that time. Both are repeated until the server no longer stores any increments of the space, or other records of
    /// merged changes. One repetition may not suffice, because the recorded time comes from an estimate of the
    /// database's clock.
    package func collect(app: String, space: ID) async throws {
        for _ in 1...Site.collectionsMax {
            for _ in 1...2 {
                _ = try run(["gc", "--older-than", "0s", "--app", app, "--migrations", program.migrations])
            }
            if try await remembered(of: space) == 0 { return }
        }
        throw Breach("a space remembers what was to be forgotten, after \(Site.collectionsMax) collections")
    }

    /// The maximum number of attempts to remove all deleted data. Together they take longer than any error of the
    /// server's estimate of the database's clock.
    private static let collectionsMax = 30

    /// Returns the number of increments and merged changes that the server remembers for a space. It remembers them so
    /// that a repeated change has no second effect.
    private func remembered(of space: ID) async throws -> Int64 {
        let command = Command(
            """
            SELECT (SELECT count(*) FROM sync.increment WHERE space_id = $1)
                + (SELECT count(*) FROM sync.judged WHERE space_id = $1)
            """, [.id(space)])
        return try await inEach { session in try await session.execute(command).int(0, 0) }.reduce(0, +)
    }

    /// Renews the database's epoch (the mark of its history) by `syncserver epoch --renew`.
    func renewEpoch() throws {
        _ = try run(["epoch", "--renew", "--yes"])
    }

    /// Retires a version by `syncserver version retire`, then waits until every running server refuses it.
    ///
    /// - Parameter end: the extent to which the servers refuse the version.
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

    /// Restores all retired versions by `syncserver version restore`, then waits until every running server accepts
    /// them.
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

    /// The longest wait until every server knows that a version was retired or restored. Servers read the versions
    /// every 3 s, but a busy machine may delay this.
    private static let knownWithin = Duration.seconds(60)

    /// Returns the quarantined changes of a space, oldest first.
    ///
    /// - Parameter key: returns the key (UUID) of a record from its id, its entity's name and the version; `nil` if the
    ///   id is invalid.
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

    /// Merges the quarantined changes of a space by `syncserver quarantine replay`.
    ///
    /// - Returns: the id and the verdict of each merged change, in the order of merging.
    /// - Throws: `Breach` if the command fails.
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

    /// Adds a constraint to the database, so that it refuses this text in this column. No plan declares the constraint.
    /// Rows that already have the text stay.
    func refuse(_ text: String, in column: Refusal.Column) async throws {
        try await alter(column, "ADD CONSTRAINT refusal CHECK (\"\(column.name)\" <> '\(text)') NOT VALID")
    }

    /// Removes the constraint that `refuse` has added, if there is one.
    func refuseNothing(in column: Refusal.Column) async throws {
        try await alter(column, "DROP CONSTRAINT IF EXISTS refusal")
    }

    private func alter(_ column: Refusal.Column, _ action: String) async throws {
        let table = "\"\(column.schema)\".\"\(column.table)\""
        _ = try await inEach { session in
            _ = try await session.execute(Command(Statement(unchecked: "ALTER TABLE \(table) \(action)")))
        }
    }

    /// Runs a command of `syncserver`, and returns its JSON output.
    ///
    /// - Throws: `Breach` if the command fails.
    func run(_ words: [String]) throws -> JSONNode {
        try run(words, ["PATH": "/usr/bin:/bin", "DATABASE_URL": database.textRevealingSecrets])
    }

    /// Runs a command of `syncserver` that a superuser must run.
    ///
    /// - Throws: `Breach` if the command fails.
    func runAsOperator(_ words: [String]) throws -> JSONNode { try run(words, operatorEnvironment) }

    private func run(_ words: [String], _ environment: [String: String]) throws -> JSONNode {
        let process = Process()
        process.executableURL = URL(filePath: program.executable)
        process.arguments = words + ["--json"]
        process.environment = environment
        let (output, complaint) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = complaint
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let answer = output.fileHandleForReading.readDataToEndOfFile()
        let complaints = complaint.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        // A command with progress prints an object in each line; the last one is the result.
        let lines = answer.split(separator: UInt8(ascii: "\n"))
        guard process.terminationStatus == 0, let last = lines.last,
            let document = try? JSONDocument(parsing: Array(last))
        else {
            throw Breach(
                "‘syncserver \(words.joined(separator: " "))’ ended with \(process.terminationStatus):\n"
                    + String(decoding: answer + complaints, as: UTF8.self))
        }
        return document.root
    }
}
