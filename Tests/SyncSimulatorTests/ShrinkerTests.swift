import Foundation
import Testing

@testable import SyncSimulator

/// The shrinker, which shortens a failing run until a person can read it.
@Suite struct ShrinkerTests {
    private let steps = (0..<200).map { Step(.edit, device: $0, seed: UInt64($0), time: Int64($0)) }

    @Test(arguments: [[7, 150], [0], [199], [3, 4, 5, 6], [10, 60, 110, 160]])
    func onlyTheStepsThatMatterAreLeft(needed: [Int]) async throws {
        let shrinker = Shrinker(triesMax: 1000) { _, _ in }
        let left = try await shrinker.shrink(steps) { part in
            // The run fails at the last of these steps, whatever follows.
            guard Set(needed).isSubset(of: Set(part.map(\.device))) else { return nil }
            return part.lastIndex { needed.contains($0.device) }.map { $0 + 1 }
        }
        #expect(left.map(\.device) == needed)
    }

    @Test func itEndsAfterSoManyTries() async throws {
        var tries = 0
        let left = try await Shrinker(triesMax: 9) { _, _ in }.shrink(steps) { part in
            tries += 1
            return part.contains { $0.device == 100 } ? part.count : nil
        }
        #expect(tries == 9)
        #expect(left.count < steps.count && left.contains { $0.device == 100 })
    }

    @Test func aScriptIsReadBackAsItWasWritten() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "script-\(UUID()).json").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        let source = StepSource(devices: 3, faults: Set(Fault.allCases), isMigrated: true)
        let script = Script(
            app: "fitiq", fleet: [2, 6, 10], faults: Set(Fault.allCases), seed: .max, heldBackAt: 6,
            steps: source.steps(3000, seed: 1))
        try script.write(to: file)
        let read = try Script(contentsOf: file)
        #expect(read.steps == script.steps && read.seed == script.seed && read.faults == script.faults)
        #expect(read.fleet == script.fleet && read.heldBackAt == script.heldBackAt && read.app == script.app)
    }

    @Test func aListOfStepsIsThatOfItsSeedAndBeginsLikeAShorterOne() {
        let source = StepSource(devices: 5, faults: Set(Fault.allCases), isMigrated: false)
        let steps = source.steps(1000, seed: 5)
        #expect(source.steps(1000, seed: 5) == steps)
        #expect(source.steps(1000, seed: 6) != steps)
        #expect(Array(source.steps(300, seed: 5).dropLast()) == Array(steps.prefix(300)))
        #expect(steps.last?.kind == .check)
    }
}
