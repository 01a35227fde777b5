import Foundation

/// Everything that makes a run: who takes part, and what happens. Written to a file, it can be run again.
package struct Script: Codable, Sendable {
    package let app: String
    /// The version of each device, as a place in the plan's `shapes`.
    package let fleet: [Int]
    package let faults: Set<Fault>
    /// Who the devices are.
    package let seed: UInt64
    /// The place of the version that the server is held back to until it is migrated; `nil` where it never is.
    package let heldBackAt: Int?
    package internal(set) var steps: [Step]

    /// - Throws: what is wrong with the file.
    package init(contentsOf file: String) throws {
        self = try JSONDecoder().decode(Script.self, from: Data(contentsOf: URL(filePath: file)))
    }

    package func write(to file: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(self).write(to: URL(filePath: file))
    }

    init(
        app: String, fleet: [Int], faults: Set<Fault>, seed: UInt64, heldBackAt: Int?, steps: [Step]
    ) {
        (self.app, self.fleet, self.faults) = (app, fleet, faults)
        (self.seed, self.heldBackAt, self.steps) = (seed, heldBackAt, steps)
    }
}
