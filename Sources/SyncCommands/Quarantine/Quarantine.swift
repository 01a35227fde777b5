import PGStore
import SyncEngine
import SyncServer
import WireFormats

/// The held changes that a command works on, across all apps and spaces.
struct Quarantine {
    /// The changes by app and space, then in the order in which they were held.
    let changes: [QuarantinedChange]
    private let engines: [SyncEngine]

    /// - Parameters:
    ///   - ids: the ids of the wanted changes; empty for all.
    ///   - space: the only space to search; `nil` for all.
    init(_ engines: [SyncEngine], ids: [Int64], space: ID?) async throws {
        self.engines = engines
        let wanted = Set(ids)
        var changes: [QuarantinedChange] = []
        for engine in engines {
            let places = try await engine.held().filter { place in
                (wanted.isEmpty || wanted.contains(place.id)) && (space == nil || space == place.space)
            }
            for space in Set(places.map(\.space)).sorted() {
                changes += try await engine.held(in: space).filter { wanted.isEmpty || wanted.contains($0.id) }
                Terminal.progress("\(changes.count) found")
            }
        }
        Terminal.endProgress()
        self.changes = changes
        let missing = wanted.subtracting(changes.map(\.id)).sorted()
        guard missing.isEmpty else {
            throw CommandError(
                "Nothing is held under \(missing.map(String.init).joined(separator: ", ")). "
                    + "See ‘syncserver quarantine list’.")
        }
    }

    /// The held changes grouped by engine and space, each group as a set of ids.
    var spaces: [(SyncEngine, ID, Set<Int64>)] {
        engines.flatMap { engine in
            let own = Dictionary(grouping: changes.filter { $0.app == engine.plan.app }, by: \.space)
            return own.sorted { $0.key < $1.key }.map { (engine, $0.key, Set($0.value.map(\.id))) }
        }
    }
}
