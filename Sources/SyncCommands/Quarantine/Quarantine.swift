import PGStore
import SyncEngine
import SyncServer
import WireFormats

/// The held changes that a command is about, over all apps and spaces.
struct Quarantine {
    /// By app and space, then in the order in which they were held.
    let changes: [QuarantinedChange]
    private let engines: [SyncEngine]

    /// - Parameters:
    ///   - ids: which of them; all, where there are none.
    ///   - space: the only space that is looked at.
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

    /// What is to be done space by space.
    var spaces: [(SyncEngine, ID, Set<Int64>)] {
        engines.flatMap { engine in
            let own = Dictionary(grouping: changes.filter { $0.app == engine.plan.app }, by: \.space)
            return own.sorted { $0.key < $1.key }.map { (engine, $0.key, Set($0.value.map(\.id))) }
        }
    }
}
