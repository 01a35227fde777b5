import PGStore
import SyncTestSupport
import Synchronization
import WireFormats

/// Reads one record of each table again and again while tables change, and remembers the longest time that it took.
final class Reader: Sendable {
    private let tables: [String]
    private let state = Mutex(State())

    private struct State {
        var longest = Block(took: .zero, table: "none", steps: [])
        var steps: Set<StepName> = []
    }

    /// How long a read took, and what the migrator did meanwhile.
    struct Block: CustomStringConvertible {
        let took: Duration
        let table: String
        let steps: Set<StepName>

        var description: String {
            let during = steps.isEmpty ? "no step" : steps.map(\.description).sorted().joined(separator: ", ")
            return "\(took) (\(table), during \(during))"
        }
    }

    init(tables hub: Hub) {
        tables = hub.entities.map { "\(hub.schema).\($0.table)" }
    }

    var longest: Block { state.withLock { $0.longest } }

    /// What a run of the migrator reports.
    var note: @Sendable (MigrationEvent) -> Void {
        { [self] event in
            state.withLock { state in
                switch event {
                case .began(let step, _): state.steps.insert(step)
                case .finished(let step, _), .retrying(let step, _, _): state.steps.remove(step)
                default: break
                }
            }
        }
    }

    func run(_ database: TestDatabase, until isOver: @Sendable () -> Bool) async throws {
        let session = try await Session.open(database.superuserConnectionString)
        while !isOver() {
            for table in tables {
                // What ends while we read was at work too.
                let before = state.withLock { $0.steps }
                let took = try await session.read(table)
                state.withLock { state in
                    if took > state.longest.took {
                        state.longest = Block(took: took, table: table, steps: before.union(state.steps))
                    }
                }
            }
        }
        await session.close()
    }
}
