import Foundation

/// The input of a run: the devices, the faults and the steps. A script that was written to a file can be run again.
package struct Script: Codable, Sendable {
    package let app: String
    /// Each device's version, as an index into the plan's `shapes`.
    package let fleet: [Int]
    package let faults: Set<Fault>
    /// The seed from which the devices' ids and clock errors are drawn.
    package let seed: UInt64
    /// The index of the newest version that the server knows at first, before it is migrated; `nil` if it knows all
    /// versions from the start.
    package let heldBackAt: Int?
    package internal(set) var steps: [Step]

    /// Reads a script from a file.
    ///
    /// - Throws: the error of reading or decoding the file.
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
