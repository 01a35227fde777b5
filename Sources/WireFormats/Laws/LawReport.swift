/// The result of a run of the law checks: the cases that were tried and the violations that were found. When printed,
/// its lines have at most 100 columns.
public struct LawReport: Sendable {
    public let app: String
    /// The seed that repeats the run.
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

    /// The number of cases in all runs.
    public var cases: Int { runs.reduce(0) { $0 + $1.cases } }
}

/// A broken law, with the smallest case that was found to break it.
public struct LawViolation: Hashable, Sendable {
    public let law: Law
    public let shape: ShapeName
    /// The entity's name in that shape.
    public let entity: String
    /// The seed of the run. With the case's `number` in the run, `Laws.replay` repeats the case.
    public let seed: UInt64
    public let number: Int
    /// The case step by step, then the fault, in lines of at most 96 characters.
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
    /// The greatest number of violations that are printed. More are rarely other faults; the number of the others is
    /// printed.
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
