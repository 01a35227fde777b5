import DemoApps
import StrictJSON
import SyncTestSupport
import Testing
import WireFormats

@testable import SyncEngine
@testable import SyncServer

/// A name that a sender may make as long as a body costs no more than as much of an honest text, and is not said back.
@Suite struct HostileNamesTests {
    /// As much as a body may be before it is decompressed.
    private static let size = 8 << 20
    /// The highest cost, in multiples of reading and checking an honest push of about the same size.
    private static let ratioMax = 10

    struct Attack: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// True if the push is written in the oldest version instead of the newest.
        let isOldest: Bool
        let change: @Sendable () -> String

        init(_ description: String, isOldest: Bool = false, _ change: @escaping @Sendable () -> String) {
            (testDescription, self.isOldest, self.change) = (description, isOldest, change)
        }
    }

    private static func change(_ member: String, _ value: String, of entity: String = "SDMeal") -> String {
        let others = ["entity": "\"\(entity)\"", "id": "\"0b0f7f0e-0000-4000-8000-000000000001\"", "op": "\"create\""]
        let members = others.merging([member: value]) { $1 }.map { "\"\($0)\":\($1)" }
        return "{\(members.sorted().joined(separator: ","))}"
    }

    /// - Parameter parts: how many of them there are.
    private static func run(of text: String, _ parts: Int = 1) -> String {
        String(repeating: text, count: size / parts / text.utf8.count)
    }

    static let attacks = [
        Attack("semicolons as a version") { change("version", "\"\(run(of: ";"))\"") },
        Attack("points as a version") { change("version", "\"\(run(of: "."))\"") },
        Attack("spaces as a version") { change("version", "\"\(run(of: " "))\"") },
        Attack("combining marks as a version") { change("version", "\"\(run(of: "\u{301}"))\"") },
        Attack("combining marks as an entity") { change("entity", "\"e\(run(of: "\u{301}"))\"") },
        Attack("combining marks of two classes as an entity") { change("entity", "\"\(run(of: "\u{301}\u{316}"))\"") },
        Attack("combining marks as an operation") { change("op", "\"\(run(of: "\u{301}"))\"") },
        Attack("combining marks as an id") { change("id", "\"\(run(of: "\u{301}"))\"") },
        Attack("combining marks as a member") { change("e\(run(of: "\u{301}"))", "1") },
        Attack("combining marks as an attribute") { change("fields", "{\"e\(run(of: "\u{301}"))\":1}") },
        Attack("combining marks as a counter") { change("increments", "{\"e\(run(of: "\u{301}"))\":1}") },
        Attack("combining marks as a case", isOldest: true) {
            change("fields", "{\"preferredUnitSystem\":\"\(run(of: "\u{301}"))\"}", of: "SDUserProfile")
        },
        Attack("combining marks as a date") { change("fields", "{\"loggedAt\":\"\(run(of: "\u{301}"))\"}") },
        Attack("digits as a decimal") { change("fields", "{\"totalCalories\":\"\(run(of: "1"))\"}") },
        Attack("a key twice") { "{\"\(run(of: "\u{301}", 2))\":1,\"\(run(of: "\u{301}", 2))\":1}" },
    ]

    /// A push of as many changes as one may have, all good, in a body of the same size.
    private static let honest: [UInt8] = {
        let one = change("fields", "{\"notes\":\"\(String(repeating: "note ", count: 300))\"}")
        let changes = Array(repeating: one, count: SyncEngine.changesMax).joined(separator: ",")
        return Array("[\(changes)]".utf8)
    }()

    @Test(arguments: attacks)
    func aNameCostsWhatATextCosts(attack: Attack) throws {
        let plan = try Plan(FitIQPlan.self)
        let newest = ChangeReader(plan: plan, version: plan.newest)
        let reader = attack.isOldest ? ChangeReader(plan: plan, version: 0) : newest
        let bytes = Array("[\(attack.change())]".utf8)
        // The least of three: the first also pays for fresh memory.
        let usual = ThreadCPU.least(of: 3) { Result { try read(Self.honest, newest) } }
        let hostile = ThreadCPU.least(of: 3) { Result { try read(bytes, reader) } }
        #expect(try usual.value.get().isEmpty)
        #expect(hostile.cost < usual.cost * Self.ratioMax, "\(hostile.cost) beside \(usual.cost)")
        switch hostile.value {
        case .success(let refusals):
            #expect(refusals.count == 1 && refusals.allSatisfy { $0.utf8.count < 1_000 })
        case .failure(let error): #expect("\(error)".utf8.count < 1_000)
        }
    }

    /// - Returns: what changes are refused for.
    private func read(_ bytes: [UInt8], _ reader: ChangeReader) throws -> [String] {
        let changes = try #require(try JSONDocument(parsing: bytes).root.elements)
        return changes.compactMap { change in
            if case .failure(let rejection) = reader.read(change) { rejection.detail } else { nil }
        }
    }

    @Test func whatIsLongInABodyIsRefusedByItsOwnName() async throws {
        try await withTestServer { server in
            let long = JSONValue.string(String(repeating: "\u{301}", count: 100_000))
            let body: [String: JSONValue] = ["changes": []]
            for (member, code) in [("cursor", "malformed"), ("intent", "malformed")] {
                let reply = try await server.send(
                    "POST", body: JSONValue.object(body.merging([member: long]) { $1 }).bytes)
                #expect(reply.isProblem(400, code), "\(member): \(reply)")
                #expect(reply.body.count < 1_000)
            }
        }
    }
}
