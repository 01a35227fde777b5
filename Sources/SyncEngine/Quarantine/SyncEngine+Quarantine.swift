package import PGStore
import Postgres
package import WireFormats

/// The quarantine of one app's spaces, for operators.
extension SyncEngine {
    private var quarantine: QuarantineTable { QuarantineTable(app: plan.app) }

    /// In which space each held change is, in the order in which they were held.
    package func held() async throws -> [(id: Int64, space: ID)] {
        let rows = try await pool.withSession { [quarantine] session in try await session.execute(quarantine.listing())
        }
        return (0..<rows.count).map { (rows.int($0, 0), rows.id($0, 1)) }
    }

    /// What a space holds, in the order in which it was held.
    package func held(in space: ID) async throws -> [QuarantinedChange] {
        try await transactions.run(.snapshot, in: space) { [quarantine] session in
            quarantine.changes(try session.execute(quarantine.reading(space)), in: space)
        }
    }

    /// Forgets held changes for good.
    package func drop(_ ids: [Int64], in space: ID) async throws {
        _ = try await transactions.run(in: space) { [quarantine] session in
            try session.commitPipeline([quarantine.removing(ids, in: space)])
        }
    }

    /// What became of a held change that was replayed.
    package struct Replayed: Sendable {
        package let change: QuarantinedChange
        package let verdict: Verdict
        /// Whether it has left the quarantine.
        package var isDone: Bool { !verdict.leavesNothing }
    }

    /// Merges what a space holds, each change with the stamp that it was held with and as the version says that it was
    /// written in, in the order in which they were held. What fails again stays. What one device sent on end is one
    /// transaction, like a push.
    ///
    /// - Parameters:
    ///   - ids: which of them; `nil` for all.
    ///   - isDryRun: whether to see only how it would go. What waits for another device's creation would then stay.
    package func replay(_ ids: Set<Int64>? = nil, in space: ID, isDryRun: Bool = false) async throws -> [Replayed] {
        let held = try await held(in: space).filter { ids?.contains($0.id) ?? true }
        var replayed: [Int64: Replayed] = [:]
        var waiting = held
        // What was held before the creation that it waits for, another device's, can be merged once that has been.
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

    /// Changes of one device in one mode, as one push.
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
        // Whoever wrote it hears of the outcome like everyone else. What lost is told again: its device holds it.
        var push = Push(
            space: space, device: first.device, mode: mode, count: held.count, changes: changes,
            latestAccepted: Stamp(unchecked: .max), clampedTo: clock.next(), cursor: nil, reading: .everything,
            massDeletions: nil,
            quarantine: PushQuarantine(
                plan, mode: mode, replaying: replayed, unreadable: unreadable, readings: readings,
                given: Clamps(Dictionary(given, uniquingKeysWith: { $1 }))))
        push.purpose = isDryRun ? .trial : .commit
        let outcome = try await run(push) { _ in [:] }
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
