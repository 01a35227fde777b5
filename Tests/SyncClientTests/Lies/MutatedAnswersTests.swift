import Foundation
import SyncTestSupport
import Testing
import WireFormats

@testable import SyncClient

/// Responses of the server that are cut at any byte, or changed on their way.
@Suite struct MutatedAnswersTests {
    private static let headEnd = Array("\r\n\r\n".utf8)

    /// With the original length, so that bytes are missing, and with the length of the rest, so that it seems complete.
    @Test(arguments: [false, true]) func anAnswerThatIsCutAnywhereLosesNothing(_ seemsWhole: Bool) async throws {
        try await Victim.with { victim in
            try await victim.write()
            var length = 0
            var isEnd = false
            while !isEnd {
                let cut = length
                let result = await victim.meet { _ in
                    .altered { answer in
                        guard seemsWhole, let body = answer.firstRange(of: Self.headEnd)?.upperBound else {
                            return Array(answer.prefix(cut))
                        }
                        return LyingServer.answer(200, Array(answer[body...].prefix(cut)), type: "application/json")
                    }
                }
                if case .success = result { isEnd = true }
                try await victim.expectNothingLost("a cut after \(cut)")
                if length.isMultiple(of: 100) { try await victim.expectRecovery("a cut after \(cut)") }
                if length.isMultiple(of: 3) { try await victim.write() }
                length += 1
                #expect(length < 20_000)
            }
            #expect(length > 100)
            try await victim.expectRecovery("all cuts")
        }
    }

    /// A changed response may contain other values than the server has. A device cannot notice this, and even sends
    /// such a value back if its cursor seems to be of another epoch. But nothing that the user wrote is lost, and the
    /// app does not end.
    @Test func anAnswerThatWasChangedOnItsWayLosesNothingThatTheUserWrote() async throws {
        let seed = ProcessInfo.processInfo.environment["LIES_SEED"].flatMap(UInt64.init) ?? .random(in: 0...(.max))
        let rounds = ProcessInfo.processInfo.environment["LIES"].flatMap(Int.init) ?? 400
        print("LIES_SEED=\(seed)")
        var random = SplitMix64(seed: seed)
        try await Victim.with { victim in
            // Records that a response shows with other values than the user wrote.
            var altered: Set<RecordID> = []
            for round in 0..<rounds {
                if random.below(3) > 0 { try await victim.write() }
                let draw = UInt64.random(in: 0...(.max), using: &random)
                await victim.meet { _ in .altered { Self.mutate($0, draw) } }
                let shown = try await victim.store.fields(of: "Business")
                for record in victim.written where shown[record.recordID]?["name"] != .string(record.name) {
                    altered.insert(record.recordID)
                }
                #expect(try await victim.store.conflicts().isEmpty, "round \(round)")
                if round.isMultiple(of: 20) { try await expectArrival(victim, but: altered, "round \(round)") }
            }
            #expect(altered.count < victim.written.count / 2)
            try await expectArrival(victim, but: altered, "all rounds")
        }
    }

    private func expectArrival(_ victim: Victim, but altered: Set<RecordID>, _ lie: String) async throws {
        victim.liar.say(nil)
        try await victim.write()
        try await victim.store.syncOnce()
        #expect(try await victim.store.pendingCount == 0, "\(lie)")
        let there = try await victim.shop.server.view("2.0.0")["Business"] ?? [:]
        for record in victim.written {
            let name = there[record.recordID.text]?["name"]?.string
            #expect(name == record.name || name != nil && altered.contains(record.recordID), "\(lie): \(record.name)")
        }
    }

    private static let values = [
        "9223372036854775807", "-9223372036854775808", "9007199254740991", "18446744073709551615", "1e308", "-1", "0",
        "null", "true", "[]", "{}", #""""#, #""\u0000""#, #""💥""#, "[[[[[[]]]]]]", #"{"a":{"a":{"a":{}}}}"#,
        String(repeating: "[", count: 200) + String(repeating: "]", count: 200),
        "\"" + String(repeating: "x", count: 100_000) + "\"", "NaN", "1.0", "{\"a\":1,\"a\":2}",
    ]

    /// Changes an answer: a byte, a part, or a whole value of its JSON.
    private static func mutate(_ answer: [UInt8], _ draw: UInt64) -> [UInt8] {
        var random = SplitMix64(seed: draw)
        guard let start = answer.firstRange(of: headEnd)?.upperBound, start < answer.count else { return answer }
        var bytes = answer
        if random.below(6) == 0 {
            // In the head or anywhere.
            for _ in 0...random.below(3) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
            return bytes
        }
        var body = Array(answer[start...])
        for _ in 0...random.below(2) where !body.isEmpty {
            let place = random.below(body.count)
            switch random.below(5) {
            case 0: body[place] = UInt8(random.below(256))
            case 1: body.removeSubrange(place..<min(body.count, place + 1 + random.below(40)))
            case 2: body.insert(contentsOf: body[place..<min(body.count, place + 1 + random.below(80))], at: place)
            default: replaceValue(in: &body, from: place, values[random.below(values.count)])
            }
        }
        return LyingServer.answer(200, body, type: "application/json")
    }

    /// The value after the next colon, up to the comma or brace that ends it.
    private static func replaceValue(in body: inout [UInt8], from place: Int, _ value: String) {
        guard let colon = body[place...].firstIndex(of: UInt8(ascii: ":")) else { return }
        let end =
            body[(colon + 1)...].firstIndex { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}") } ?? body.endIndex
        body.replaceSubrange((colon + 1)..<end, with: Array(value.utf8))
    }
}
