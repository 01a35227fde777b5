import Foundation
import SyncClient
import Synchronization
import WireFormats

/// An app's own store that behaves like SwiftData's towards a mirror: it remembers all writes, whoever made them, until
/// its history is cut.
final class AppStore: MirroredStore {
    struct State {
        var identity = UUID().uuidString
        var records: [RecordKey: [String: Value]] = [:]
        /// The written records, oldest first, with the number of the first entry.
        var history: [RecordKey] = []
        var firstNumber = 0
        /// The next fault.
        var fault = Fault.none
        /// An edit of the user right after a mirror has read a part of all records.
        var whileListing: (@Sendable (inout State) -> Void)?
        /// An edit of the user right before a mirror writes.
        var meanwhile: (@Sendable (inout State) -> Void)?

        mutating func write(_ key: RecordKey, _ fields: [String: Value]?) {
            records[key] = fields
            history.append(key)
        }
    }

    /// A point at which a mirror is interrupted, as by the end of its process.
    enum Fault: Sendable {
        case none
        case beforeWriting
        case afterWriting
        case onReading
    }

    struct Interrupted: Error {}

    private let state = Mutex(State())
    /// The number of records in a part.
    private let partMax: Int

    init(partMax: Int = 3) { self.partMax = partMax }

    var identity: String { state.withLock { $0.identity } }
    var records: [RecordKey: [String: Value]] { state.withLock { $0.records } }

    /// Performs an edit of the user.
    func edit<Result: Sendable>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }

    func set(_ fault: Fault) { state.withLock { $0.fault = fault } }

    func cutHistory() {
        state.withLock { state in
            state.firstNumber += state.history.count
            state.history = []
        }
    }

    // MARK: MirroredStore

    /// Returns changes. The token is `h` and the number of the next entry; while all records are listed before that, it
    /// is the index of the next record.
    func changes(since token: String?) async throws -> MirrorChanges {
        try state.withLock { state in
            if case .onReading = state.fault {
                state.fault = .none
                throw Interrupted()
            }
            let parts = token?.split(separator: " ").compactMap { Int($0) } ?? []
            if token == nil || parts.count == 2 {
                let next = parts.first ?? state.firstNumber + state.history.count
                let keys = state.records.keys.sorted { $0.id.text < $1.id.text }
                let start = parts.last ?? 0
                let part = keys.dropFirst(start).prefix(partMax)
                let isLast = start + part.count >= keys.count
                let changes = MirrorChanges(
                    records: Dictionary(
                        uniqueKeysWithValues: part.compactMap { key in state.records[key].map { (key, $0) } }),
                    token: isLast ? "\(next)" : "\(next) \(start + part.count)", hasMore: !isLast)
                if let edit = state.whileListing.take() { edit(&state) }
                return changes
            }
            guard let next = parts.first, next >= state.firstNumber else { throw MirrorTokenExpired() }
            let entries = state.history.dropFirst(next - state.firstNumber).prefix(partMax)
            var changes = MirrorChanges(
                records: [:], token: "\(next + entries.count)",
                hasMore: next + entries.count < state.firstNumber + state.history.count)
            for key in entries {
                changes.records[key] = state.records[key]
                if state.records[key] == nil { changes.deleted.insert(key) }
            }
            return changes
        }
    }

    func existing(_ keys: [RecordKey]) async throws -> Set<RecordKey> {
        state.withLock { state in Set(keys.filter { state.records[$0] != nil }) }
    }

    func apply(_ edits: [MirrorEdit]) async throws {
        try state.withLock { state in
            if let meanwhile = state.meanwhile.take() { meanwhile(&state) }
            let fault = state.fault
            state.fault = .none
            if case .beforeWriting = fault { throw Interrupted() }
            for edit in edits {
                switch edit.operation {
                case .insert(let fields): if state.records[edit.key] == nil { state.write(edit.key, fields) }
                case .update(let replacements):
                    guard let fields = state.records[edit.key] else { continue }
                    state.write(edit.key, MirrorEdit.replacing(replacements, in: fields))
                case .delete(let expected): if state.records[edit.key] == expected { state.write(edit.key, nil) }
                }
            }
            if case .afterWriting = fault { throw Interrupted() }
        }
    }
}
