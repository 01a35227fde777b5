import DemoApps
import PGStore
import Postgres
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// Tests that records are read as they were written, whichever statement writes them.
@Suite struct RecordTableTests {
    @Test func recordsAreReadAsTheyWereWritten() async throws {
        try await withTestDatabase(migrated: Repository.migrations()) { database in
            let plan = try Plan(FitIQPlan.self)
            let entity = try #require(plan.hub.entities.first { $0.table == "sd_mood_entry" })
            let table = RecordTable(entity, schema: plan.hub.schema)
            let session = try await Session.open(database.connectionString)
            let fresh = table.inserting(Case.fresh.states(of: entity), in: .random()).statement
            for kind in Case.allCases {
                let (space, states) = (ID.random(), kind.states(of: entity))
                let command = table.inserting(states, in: space)
                // Those of which only their creation was said have a statement of their own.
                #expect((command.statement.sql == fresh.sql) == kind.isFresh, "\(kind)")
                try await session.execute(command)
                let rows = try await session.execute(table.selecting(states.map(\.id), in: space))
                let read = (0..<rows.count).map { table.state(rows, $0) }.sorted { $0.seq < $1.seq }
                #expect(read == states, "\(kind)")
            }
            await session.close()
        }
    }

    /// Three records, the last of which differs.
    enum Case: CaseIterable {
        case fresh, byNobody, byAnother, bySomebody, dead, deletedEarlier, dangling, createdEarlier, saidLess

        var isFresh: Bool { self == .fresh || self == .byNobody }

        func states(of entity: HubEntity) -> [RecordState] {
            let device = ID.random()
            var states = (1...3 as ClosedRange<Int64>).map { number in
                let stamp = Stamp(unchecked: 100 + number)
                var stamps = StampSet(units: entity.units.count)
                for unit in entity.units.indices { stamps[unit] = stamp }
                return RecordState(
                    id: .random(),
                    values: entity.columns.map { $0.isNullable ? .null : KeyLookupTests.value(of: $0.type) },
                    stamps: stamps,
                    createdStamp: stamp, seq: number, isAlive: true, pusher: device)
            }
            switch self {
            case .fresh: break
            case .byNobody: for place in states.indices { states[place].pusher = nil }
            case .byAnother: states[2].pusher = .random()
            case .bySomebody: for place in 0..<2 { states[place].pusher = nil }
            case .dead: states[2].isAlive = false
            case .deletedEarlier: states[2].deletedStamp = Stamp(unchecked: 50)
            case .dangling: states[2].dangling = 1
            case .createdEarlier: states[2].createdStamp = Stamp(unchecked: 50)
            case .saidLess: states[2].stamps[0] = .never
            }
            return states
        }
    }
}
