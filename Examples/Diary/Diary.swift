import DemoApps
import Foundation
import SyncClient
import Synchronization
import WireFormats

/// A diary on a terminal, in any version of FitIQ's models: `diary --as 0.0.3`. It shows what is there, what waits to
/// be sent, and what others have decided otherwise; it works offline.
///
/// Where the server is, it reads from the environment, as `.syncserver/demo.env` has it: `SYNC_URL`, `SYNC_SPACE`,
/// `SYNC_TOKEN`.
@main final class Diary: Sendable {
    private static let entity = "SDProgressEntry"

    let version: String
    let store: SyncStore
    /// What was wrong with the latest line; it stays until the next one, whatever is drawn anew meanwhile.
    private let complaint = Mutex<String?>(nil)
    /// Whether its user wants it so.
    private let isOffline = Mutex(false)

    private init(version: String, store: SyncStore) {
        self.version = version
        self.store = store
    }

    static func main() async {
        do {
            let diary = try open()
            await diary.live()
        } catch {
            print("diary: \(error)")
            exit(2)
        }
    }

    private static func open() throws -> Diary {
        let words = CommandLine.arguments
        func option(_ name: String) -> String? {
            words.firstIndex(of: name).flatMap { words.indices.contains($0 + 1) ? words[$0 + 1] : nil }
        }
        let environment = ProcessInfo.processInfo.environment
        guard let server = environment["SYNC_URL"].flatMap({ URL(string: $0) }), let token = environment["SYNC_TOKEN"]
        else { throw Complaint(description: "‘. .syncserver/demo.env’ first, and ‘set -a’ before that") }
        let version = option("--as") ?? "0.1.1"
        let file = URL(filePath: option("--store") ?? "diary-\(version).sqlite")
        let store = try SyncStore(
            at: file, schema: try SyncSchema(FitIQPlan.self, version: version),
            endpoint: SyncEndpoint(server: server, space: environment["SYNC_SPACE"] ?? "me"),
            credentials: FixedToken(token))
        return Diary(version: version, store: store)
    }

    /// Until its user says `q`.
    private func live() async {
        // What is typed waits for nobody, so it is read on a thread of its own.
        let (lines, typed) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            while let line = readLine() { typed.yield(line) }
            typed.finish()
        }
        var syncing: Task<Void, Never>? = Task { await store.run() }
        let showing = Task { await keepShowing() }
        for await line in lines {
            if line == "q" { break }
            complaint.withLock { $0 = nil }
            do {
                if line == "o" {
                    syncing?.cancel()
                    syncing = syncing == nil ? Task { await store.run() } : nil
                    let isCut = syncing == nil
                    isOffline.withLock { $0 = isCut }
                } else {
                    try await act(line)
                }
            } catch {
                complaint.withLock { $0 = "\(error)" }
            }
            await show()
        }
        syncing?.cancel()
        showing.cancel()
    }

    /// `+ text`, `2 text`, `- 2`.
    private func act(_ line: String) async throws {
        let parts = line.split(separator: " ", maxSplits: 1).map { String($0) }
        guard let word = parts.first else { return }
        let rest = parts.count > 1 ? parts[1] : ""
        let entries = try await entries()
        let edit: Edit
        if word == "+" {
            let key = RecordKey(entity: Diary.entity, id: RecordID(UUID()))
            edit = .create(key, ["type": .string("diary"), "notes": .string(rest), "date": try Date().value])
        } else if word == "-", let number = Int(rest), entries.indices.contains(number - 1) {
            edit = .delete(entries[number - 1].key)
        } else if let number = Int(word), entries.indices.contains(number - 1) {
            edit = .update(entries[number - 1].key, ["notes": .string(rest)])
        } else {
            throw Complaint(description: "+ TEXT writes, 2 TEXT changes, - 2 deletes, o goes offline and back, q ends")
        }
        for conflict in try await store.conflicts() { try await store.dismiss(conflict) }
        try await store.write { try $0.apply(edit) }
    }

    private func entries() async throws -> [(key: RecordKey, notes: String)] {
        let all = try await store.fields(of: Diary.entity)
        let dated = all.map { id, fields in
            (id, date: (try? Timestamp(reading: fields["date"] ?? .null)) ?? Timestamp(microseconds: 0), fields)
        }
        return dated.sorted { ($0.date, $0.0.text) < ($1.date, $1.0.text) }.map { id, _, fields in
            let notes = if case .string(let text)? = fields["notes"] { text } else { "" }
            return (RecordKey(entity: Diary.entity, id: id), notes)
        }
    }

    private func keepShowing() async {
        for await status in store.statuses() {
            if case .syncing = status { continue }
            if Task.isCancelled { return }
            await show()
        }
    }

    private func show() async {
        guard let entries = try? await entries(), let pending = try? await store.pendingIDs(of: Diary.entity),
            let conflicts = try? await store.conflicts()
        else { return }
        let (status, isOffline) = (await store.status, isOffline.withLock { $0 })
        let state =
            switch status {
            case _ where isOffline: "offline, as you wish"
            case .idle: "in step"
            case .syncing: "syncing"
            case .offline: "offline: the server is away"
            case .needsAttention(let attention): "\(attention)"
            }
        var lines = ["Diary as \(version): \(state)"]
        for (index, entry) in entries.enumerated() {
            let mark = pending.contains(entry.key.id) ? "  (not sent yet)" : ""
            lines.append("\(index + 1)  \(entry.notes)\(mark)")
        }
        for conflict in conflicts {
            lines.append("!  yours was \(conflict.verdict.rawValue): \(Diary.notes(of: conflict))")
        }
        if let complaint = complaint.withLock({ $0 }) { lines.append(complaint) }
        // Clears the screen (ECMA-48, ED and CUP). Not by ‘print’: what flushes it waits for whoever reads a line.
        let text = "\u{1B}[2J\u{1B}[H" + lines.joined(separator: "\n") + "\n> "
        try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    }

    private static func notes(of conflict: SyncConflict) -> String {
        let change = try? JSONDecoder().decode(LostChange.self, from: Data(conflict.change.utf8))
        return change?.fields?.notes ?? "a deletion"
    }
}

/// The part of a change that is shown when another device's won.
private struct LostChange: Decodable {
    struct Fields: Decodable { let notes: String? }

    let fields: Fields?
}

/// What its user has to do otherwise.
struct Complaint: Error, CustomStringConvertible {
    let description: String
}
