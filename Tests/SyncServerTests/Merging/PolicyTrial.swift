import Postgres
import SyncTestSupport
import SyncTesting
import WireFormats

/// Devices of three versions edit two copies of a game alike, each copy in an order of its own, and repeat themselves.
/// What becomes of it must be what the policies say of the set of all edits.
struct PolicyTrial {
    let seed: UInt64
    /// A fault to plant: what was counted is forgotten before it is repeated.
    var forgetsIncrements = false

    private let versions = ["1.0.0", "2.0.0", "3.0.0", "2.0.0"]

    private struct Edit {
        let device: Int
        let operation: String
        let stamp: Int64
        /// By the names of 2.0.0.
        var fields: [String: JSONValue] = [:]
        var increments: [String: JSONValue] = [:]
    }

    /// - Returns: what is wrong in the end, each with the name of the attribute that it is about.
    func differences(_ server: TestServer) async throws -> [String] {
        var random = SplitMix64(seed: seed)
        let edits = (0..<24).map { edit($0, using: &random) }
        let copies = [ID.random(using: &random), .random(using: &random)]
        let devices = versions.map { server.device($0) }
        var sent: [(Int, JSONValue)] = []
        for copy in copies {
            for edit in edits.shuffled(using: &random) {
                let change = change(edit, copy)
                try await devices[edit.device].push([change])
                sent.append((edit.device, change))
                if Int.random(in: 0..<3, using: &random) == 0 {
                    let (device, change) = sent.randomElement(using: &random) ?? sent[0]
                    if forgetsIncrements { try await forget(server) }
                    _ = try await devices[device].send([change])
                }
                if Bool.random(using: &random) { try await devices[edit.device].pullAll() }
            }
        }
        return try await differences(edits, copies, devices, server)
    }

    private func differences(
        _ edits: [Edit], _ copies: [ID], _ devices: [TestDevice], _ server: TestServer
    ) async throws -> [String] {
        var found: [String] = []
        for copy in copies {
            let game = try await server.game(copy)
            for (name, expected) in expected(edits) where game[name] != expected {
                found.append("\(name): \(game[name] ?? .null) and not \(expected)")
            }
        }
        for device in devices {
            try await device.pullAll()
            let (held, view) = (await device.store, try await server.view(device.version))
            for copy in copies.map(\.description) {
                for (name, value) in view["Game"]?[copy] ?? [:] where held["Game"]?[copy]?[name] != value {
                    found.append("\(name) on a device of \(device.version)")
                }
            }
        }
        return found
    }

    private func edit(_ position: Int, using random: inout SplitMix64) -> Edit {
        let device = Int.random(in: versions.indices, using: &random)
        let moment = moment(Int64.random(in: 0..<1000, using: &random) * 100 + Int64(position))
        var edit = Edit(device: device, operation: position % 6 == 0 ? "create" : "update", stamp: moment)
        // Numbers differ from each other: of equal ones in two forms the first would stand.
        let number = Int64.random(in: -50..<50, using: &random) * 100 + Int64(position)
        let choices: [(String, JSONValue)] = [
            ("name", .string("\(number)")), ("best", .int(number)),
            ("fastest", position % 5 == 0 ? .null : .string("\(number).5")),
            ("played", position % 5 == 1 ? .null : .string("20\(10 + position)-01-01T00:00:00Z")),
            ("tags", .array([.string("\(number % 7)"), .string("\(position % 5)")])), ("rank", .int(abs(number))),
        ]
        for (name, value) in choices where Bool.random(using: &random) { edit.fields[name] = value }
        if edit.operation == "create" {
            edit.fields["count"] = .int(number)
        } else if device > 0 {
            edit.increments = ["count": .int(number), "wins": .int(Int64(position % 3) - 1)]
        }
        return edit
    }

    /// In the words of the version that its device has.
    private func change(_ edit: Edit, _ id: ID) -> JSONValue {
        var fields = edit.fields
        switch versions[edit.device] {
        case "1.0.0": fields["rank"] = fields["rank"].map { .string("\($0.int ?? 0)th") }
        case "3.0.0":
            fields["points"] = fields.removeValue(forKey: "best")
            fields["labels"] = fields.removeValue(forKey: "tags")
        default: break
        }
        let change: JSONValue =
            edit.operation == "create"
            ? .create("Game", id, fields, at: edit.stamp) : .update("Game", id, fields, at: edit.stamp)
        return edit.increments.isEmpty ? change : change.with("increments", .object(edit.increments))
    }

    private func expected(_ edits: [Edit]) -> [String: JSONValue] {
        func written(_ name: String) -> [JSONValue] {
            edits.sorted { $0.stamp < $1.stamp }.compactMap { $0.fields[name] }.filter { !$0.isNull }
        }
        func sum(_ name: String) -> Int64 {
            edits.reduce(0) { $0 + ($1.increments[name]?.int ?? 0) + ($1.fields[name]?.int ?? 0) }
        }
        let fastest = written("fastest").compactMap { $0.string.flatMap { DecimalText($0) } }.min()
        let played = written("played").compactMap(\.string).max()
        return [
            "name": written("name").last ?? "", "best": .int(written("best").compactMap(\.int).max() ?? 0),
            "fastest": fastest.map { .string($0.text) } ?? .null, "played": played.map { .string($0) } ?? .null,
            "tags": .array(Set(written("tags").flatMap(\.elements).compactMap(\.string)).sorted().map { .string($0) }),
            "rank": .int(written("rank").compactMap(\.int).max() ?? 0), "count": .int(sum("count")),
            "wins": .int(sum("wins")),
        ]
    }

    private func forget(_ server: TestServer) async throws {
        let session = try await Session.open(server.database.superuserConnectionString)
        _ = try await session.execute(Command("DELETE FROM sync.increment"))
        await session.close()
    }
}
