import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// Three edits of one attribute with one stamp end the same in every order, and whichever of them come again.
@Suite struct TieTests {
    /// Values that the versions write of each attribute. Close values are what versions read of each other.
    private static let choices: [String: [String: [JSONValue]]] = [
        "color": [
            "1.0.0": ["gray", "green", "\n'a:Z", "red", "zinc"], "2.0.0": ["gray", "green"],
            "3.0.0": ["gray", "green"],
        ],
        "length": numbers, "best": numbers, "least": numbers,
    ]

    private static let numbers: [String: [JSONValue]] = [
        "1.0.0": [0.1, 0.30000000000000004, 2, 3],
        "2.0.0": [
            "0.1", "0.10000000000000001", "0.09999999999999999999", "0.3000000000000000411", "2.00000000000000001",
        ],
        "3.0.0": ["0.1", "0.10000000000000002", "0.30000000000000004", "2", "1.99999999999999999999"],
    ]

    private struct Edit {
        let version: String
        let value: JSONValue
    }

    private struct Trial {
        let name: String
        let edits: [Edit]
        /// By index, the orders in which they reach each copy, with repetitions.
        let orders: [[Int]]
        let copies: [ID]
    }

    @Test(arguments: [1, 2, UInt64.random(in: 3 ... .max)])
    func threeEditsWithOneStampEndTheSameInEveryOrder(seed: UInt64) async throws {
        try await TiesPlan.withServer { server in
            var random = SplitMix64(seed: seed)
            let trials = (0..<120).map { _ in trial(using: &random) }
            for step in 0..<6 {
                var pushes: [String: [JSONValue]] = [:]
                for trial in trials {
                    for (order, copy) in zip(trial.orders, trial.copies) {
                        let edit = trial.edits[order[step]]
                        let fields = [trial.name: edit.value]
                        pushes[edit.version, default: []].append(.update("Mark", copy, fields, at: moment(1)))
                    }
                }
                for (version, changes) in pushes { try await server.device(version, id: nil).send(changes) }
            }
            for version in ["1.0.0", "2.0.0", "3.0.0"] {
                let marks = try await server.view(version)["Mark"] ?? [:]
                for trial in trials {
                    let ends = Set(trial.copies.map { marks[$0.description]?[trial.name] })
                    let said = trial.edits.map { "\($0.version): \($0.value)" }
                    #expect(ends.count == 1, "seed \(seed), \(trial.name) of \(said) is \(ends) in \(version)")
                }
            }
        }
    }

    private func trial(using random: inout SplitMix64) -> Trial {
        let name = ["color", "length", "best", "least"].randomElement(using: &random) ?? "color"
        let edits = (0..<3).map { _ in
            let version = ["1.0.0", "2.0.0", "3.0.0"].randomElement(using: &random) ?? "1.0.0"
            return Edit(version: version, value: Self.choices[name]?[version]?.randomElement(using: &random) ?? .null)
        }
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]].map { order in
            order + [0, 1, 2].shuffled(using: &random)
        }
        return Trial(name: name, edits: edits, orders: orders, copies: orders.map { _ in .random(using: &random) })
    }
}
