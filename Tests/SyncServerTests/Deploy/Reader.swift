import PGMigrations
import PGStore
import Postgres
import SyncTestSupport
import SyncTesting
import Synchronization
import WireFormats

/// Reads one record of each table again and again while tables change, and remembers the longest times that it took:
/// while a step was at work, and while none was, which is what the machine does to a reader by itself.
final class Reader: Sendable {
    private let tables: [String]
    private let state = Mutex(State())

    private struct State {
        var longest = Block(took: .zero, table: "none", steps: [])
        var longestOtherwise = Duration.zero
        var steps: Set<StepName> = []
    }

    /// The duration of a read, and what the migrator did meanwhile.
    struct Block: CustomStringConvertible {
        let took: Duration
        let table: String
        let steps: Set<StepName>

        var description: String {
            "\(took) (\(table), during \(steps.map(\.description).sorted().joined(separator: ", ")))"
        }
    }

    init(tables hub: Hub) {
        tables = hub.entities.map { "\(hub.schema).\($0.table)" }
    }

    var longest: Block { state.withLock { $0.longest } }
    var longestOtherwise: Duration { state.withLock { $0.longestOtherwise } }

    /// The receiver of a migration run's events.
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
                    let steps = before.union(state.steps)
                    if steps.isEmpty {
                        state.longestOtherwise = max(state.longestOtherwise, took)
                    } else if took > state.longest.took {
                        state.longest = Block(took: took, table: table, steps: steps)
                    }
                }
            }
        }
        await session.close()
    }
}
