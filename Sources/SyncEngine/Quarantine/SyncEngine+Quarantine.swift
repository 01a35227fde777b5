package import PGStore
import Postgres
import StrictJSON
package import WireFormats

/// The quarantine of one app's spaces, for operators.
extension SyncEngine {
    private var quarantine: QuarantineTable { QuarantineTable(app: plan.app) }

    /// Returns all changes in quarantine, each with its space, in the order in which they entered the quarantine of
    /// their database.
    package func held() async throws -> [(id: Int64, space: ID)] {
        var held: [(id: Int64, space: ID)] = []
        for pool in databases.pools {
            let rows = try await pool.withSession { [quarantine] session in
                try await session.execute(quarantine.listing())
            }
            held += (0..<rows.count).map { (rows.int($0, 0), rows.id($0, 1)) }
        }
        return held
    }

    /// Returns a space's changes in quarantine, in the order in which they entered it.
    package func held(in space: ID) async throws -> [QuarantinedChange] {
        try await database(of: space).transactions.run(.snapshot, in: space) { [quarantine] session in
            quarantine.changes(try session.execute(quarantine.reading(space)), in: space)
        }
    }

    /// Deletes changes from quarantine for good, without merging them.
    package func drop(_ ids: [Int64], in space: ID) async throws {
        try await sharing.notices.inDatabase(of: space) { [quarantine] session in
            _ = try session.execute(quarantine.removing(ids, in: space))
        }
    }

    /// The outcome of replaying a change from quarantine.
    package struct Replayed: Sendable {
        package let change: QuarantinedChange
        package let verdict: Verdict
        /// True if the change has left the quarantine.
        package var isDone: Bool { !verdict.leavesNothing }
    }

    /// Merges a space's changes from quarantine, in the order in which they entered it. A change that fails again stays
    /// in quarantine.
    ///
    /// Each change is merged in the version in which it was written, and with the stamp that it had when it entered
    /// quarantine. Consecutive changes of one device share a transaction, like a push.
    ///
    /// - Parameters:
    ///   - ids: the changes to replay; `nil` for all.
    ///   - isDryRun: true to report the outcome without committing it. A change may wait for a creation that another
    ///     device sent; it is then reported as still in quarantine.
    package func replay(_ ids: Set<Int64>? = nil, in space: ID, isDryRun: Bool = false) async throws -> [Replayed] {
        let held = try await held(in: space).filter { ids?.contains($0.id) ?? true }
        var replayed: [Int64: Replayed] = [:]
        var waiting = held
        // A change that was held before the creation that it waits for, which another device sent, can be merged once
        // the creation is merged.
        while !waiting.isEmpty {
            let found = try await replayOnce(waiting, in: space, isDryRun: isDryRun)
            for one in found { replayed[one.change.id] = one }
            waiting = found.filter { $0.verdict.isBehindHeld }.map(\.change)
            if isDryRun || !found.contains(where: \.isDone) { break }
        }
        return held.compactMap { replayed[$0.id] }
    }

    private func replayOnce(
        _ held: [QuarantinedChange], in space: ID, isDryRun: Bool
    ) async throws -> [Replayed] {
        var replayed: [Replayed] = []
        var rest = held[...]
        while let first = rest.first?.content {
            let run = rest.prefix { $0.content.device == first.device && $0.content.mode == first.mode }
            rest = rest.dropFirst(run.count)
            replayed += try await replay(Array(run), of: first, in: space, isDryRun: isDryRun)
        }
        return replayed
    }

    /// Merges consecutive changes from quarantine as one push. All of them have the device and the mode of `first`.
    private func replay(
        _ held: [QuarantinedChange], of first: QuarantinedChange.Content, in space: ID, isDryRun: Bool
    ) async throws -> [Replayed] {
        let mode = ChangeMode(rawValue: first.mode) ?? .patch
        var unreadable: [Int64: QuarantineReason] = [:]
        var changes: [(index: Int, change: Change, stamp: Stamp)] = []
        var readings: [Int: HeldReading] = [:]
        for (index, content) in held.map(\.content).enumerated() {
            switch read(content) {
            case .success(let change):
                changes.append((index, change, content.sent))
                readings[index] = content.reading.flatMap { HeldReading($0, plan.hub.entities[change.key.entity]) }
            case .failure(let rejection): unreadable[held[index].id] = QuarantineReason(rejection)
            }
        }
        let replayed = Dictionary(uniqueKeysWithValues: changes.map { ($0.index, held[$0.index].id) })
        let given = held.map { ($0.content.sent, $0.content.stamp) }
        // The device that wrote the change is sent the outcome like all others. A losing edit's record is sent again,
        // because its device holds the losing value.
        var push = Push(
            space: space, device: first.device, mode: mode, count: held.count, changes: changes,
            latestAccepted: Stamp(unchecked: .max), clampedTo: clock.next(), cursor: nil, reading: .everything,
            massDeletions: nil,
            quarantine: PushQuarantine(
                plan, mode: mode, replaying: replayed, unreadable: unreadable, readings: readings,
                given: Clamps(Dictionary(given, uniquingKeysWith: { $1 }))))
        push.purpose = isDryRun ? .trial : .commit
        let outcome = try await database(of: space).pushes.run(push) { _ in [:] }
        return held.enumerated().map { index, change in
            let verdict = unreadable[change.id].map { Verdict.held($0) } ?? outcome.verdicts[index] ?? .unchanged
            return Replayed(change: change, verdict: verdict)
        }
    }

    private func read(_ content: QuarantinedChange.Content) -> Result<Change, Rejection> {
        let name = ShapeName("\(content.version);fp=\(content.fingerprint)")
        guard let version = name.flatMap({ plan.index(of: $0) }) else {
            return .failure(
                Rejection(code: .unknownVersion, detail: "The plan has no \(content.version) of this fingerprint now."))
        }
        do throws(JSONError) {
            let document = try JSONDocument(parsing: content.bytes)
            let reader = ChangeReader(
                plan: plan, version: version, mode: ChangeMode(rawValue: content.mode) ?? .patch,
                hasDevice: content.device != nil)
            return reader.read(document.root)
        } catch {
            return .failure(Rejection(code: .malformedChange, detail: "\(error)"))
        }
    }
}
