/// What a run of the law checks did and found. Printed, it fits 100 columns.
public struct LawReport: Sendable {
    public let app: String
    /// Makes the same run again.
    public let seed: UInt64
    public let runs: [Run]
    public let violations: [LawViolation]

    /// The cases that were tried on one entity with their last edit made by one version.
    public struct Run: Hashable, Sendable {
        public let shape: ShapeName
        /// The entity's name in that shape.
        public let entity: String
        public let cases: Int
    }

    public var isLawful: Bool { violations.isEmpty }

    /// All cases of all runs.
    public var cases: Int { runs.reduce(0) { $0 + $1.cases } }
}

/// One law broken, by the smallest case that was found to break it.
public struct LawViolation: Hashable, Sendable {
    public let law: Law
    public let shape: ShapeName
    /// The entity's name in that shape.
    public let entity: String
    /// The seed of the run, and the number of the case in it: `Laws.replay` makes it again.
    public let seed: UInt64
    public let number: Int
    /// The case step by step, then what is wrong; lines of at most 96 characters.
    public let counterexample: [String]
}

extension LawViolation: CustomStringConvertible {
    public var description: String {
        let head = "law \(law.rawValue), \(entity) at \(shape): \(law.statement)"
        let origin = "  (seed \(seed), case \(number))"
        return ([head, origin] + counterexample.map { "    " + $0 }).joined(separator: "\n")
    }
}

extension LawReport: CustomStringConvertible {
    /// More than these are rarely other faults; the count of the rest is printed.
    private static let violationsPrintedMax = 8

    public var description: String {
        let summary = "\(app): \(cases) cases of \(runs.count) entities × versions, seed \(seed): "
        if violations.isEmpty { return summary + "every law holds" }
        var blocks = [summary + "\(violations.count) violations"]
        blocks += violations.prefix(LawReport.violationsPrintedMax).map(\.description)
        if violations.count > LawReport.violationsPrintedMax {
            blocks.append("and \(violations.count - LawReport.violationsPrintedMax) more")
        }
        return blocks.joined(separator: "\n")
    }
}
