/// The result of a run of the law checks: the cases that were tried and the violations that were found. When printed,
/// its lines have at most 100 columns.
package struct LawReport: Sendable {
    package let app: String
    /// The seed that repeats the run.
    package let seed: UInt64
    package let runs: [Run]
    package let violations: [LawViolation]

    /// The number of test cases that ran for one entity and one version under test.
    package struct Run: Hashable, Sendable {
        package let shape: ShapeName
        /// The entity's name in the version or historical variant that `shape` names.
        package let entity: String
        package let cases: Int
    }

    package var isLawful: Bool { violations.isEmpty }

    /// The number of cases in all runs.
    package var cases: Int { runs.reduce(0) { $0 + $1.cases } }
}

/// A violation of a law, with the smallest case that was found to cause it.
package struct LawViolation: Hashable, Sendable {
    package let law: Law
    package let shape: ShapeName
    /// The entity's name in the version or historical variant that `shape` names.
    package let entity: String
    /// The seed of the run. With the case's `number` in the run, `Laws.replay` repeats the case.
    package let seed: UInt64
    package let number: Int
    /// The steps of the case in words, then the observed and the expected values, in lines of at most 96 characters.
    package let counterexample: [String]
}

extension LawViolation: CustomStringConvertible {
    package var description: String {
        let head = "law \(law.rawValue), \(entity) at \(shape): \(law.statement)"
        let origin = "  (seed \(seed), case \(number))"
        return ([head, origin] + counterexample.map { "    " + $0 }).joined(separator: "\n")
    }
}

extension LawReport: CustomStringConvertible {
    /// The greatest number of violations that are printed. Of further violations only the number is printed, because
    /// they rarely have other causes.
    private static let violationsPrintedMax = 8

    package var description: String {
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
