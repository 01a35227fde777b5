/// Tries to break the lens laws 1–7 of a plan with generated cases: no test code from the plan's author.
///
/// ```swift
/// @Test func theLensLawsHold() throws {
///     let report = Laws.check(try Plan(FitIQPlan.self), seed: .random(in: 0 ... .max))
///     #expect(report.isLawful, "\(report)")
/// }
/// ```
/// Pure: the same plan, count and seed give the same report. A conversion that traps ends the process, which is the
/// loudest way to break law 6.
public enum Laws {
    /// What a run makes in all where no count is given: a few seconds without optimization, so that every test run has
    /// one.
    public static let casesInAll = 3000

    /// Runs `cases` cases for every entity of every version that has it; without a count, `casesInAll` spread over
    /// them.
    ///
    /// - Parameter progress: called after each entity of each version, with how many are done and how many there are.
    public static func check(
        _ plan: Plan, cases: Int? = nil, seed: UInt64, progress: (Int, Int) -> Void = { _, _ in }
    ) -> LawReport {
        let subject = LawSubject(plan)
        let pairs = subject.projections.reduce(0) { $0 + $1.count { $0 != nil } }
        return check(subject, cases: cases ?? (casesInAll / max(pairs, 1) + 1), seed: seed) { progress($0, pairs) }
    }

    /// Runs the one case that a violation came from, with its counterexample shrunk anew; `nil` when it no longer
    /// breaks its law.
    public static func replay(_ violation: LawViolation, in plan: Plan) -> LawViolation? {
        let subject = LawSubject(plan)
        guard let version = plan.index(of: violation.shape),
            let projection = subject.projections[version].compactMap({ $0 }).first(where: {
                $0.name == violation.entity
            }),
            let trial = LawTrial(subject, entity: projection.entity, focus: version)
        else { return nil }
        let found = trial.run(violation.number, seed: violation.seed, seeking: [violation.law])
        return found.map { trial.violation($0, number: violation.number, seed: violation.seed) }
    }

    static func check(
        _ subject: LawSubject, cases: Int, seed: UInt64, progress: (Int) -> Void = { _ in }
    ) -> LawReport {
        var runs: [LawReport.Run] = []
        var violations: [LawViolation] = []
        for version in subject.tree.shapes.indices {
            for case let projection? in subject.projections[version] {
                guard let trial = LawTrial(subject, entity: projection.entity, focus: version) else { continue }
                runs.append(LawReport.Run(shape: subject.tree.name(of: version), entity: projection.name, cases: cases))
                violations += self.violations(in: trial, cases: cases, seed: seed)
                progress(runs.count)
            }
        }
        return LawReport(app: subject.app, seed: seed, runs: runs, violations: violations)
    }

    /// The first violation of each law; the later ones of a law are nearly always the same fault again.
    private static func violations(in trial: LawTrial, cases: Int, seed: UInt64) -> [LawViolation] {
        var sought = Set(Law.allCases)
        var found: [LawViolation] = []
        for number in 0..<cases {
            guard let finding = trial.run(number, seed: seed, seeking: sought) else { continue }
            sought.remove(finding.law)
            found.append(trial.violation(finding, number: number, seed: seed))
            if sought.isEmpty { break }
        }
        return found
    }
}
