/// Tries to refute the lens laws 1–7 of a plan with random test cases. The plan's author writes only the test that
/// calls it.
///
/// ```swift
/// @Test func theLensLawsHold() async throws {
///     let report = await Laws.check(try Plan(FitIQPlan.self), seed: .random(in: 0 ... .max))
///     #expect(report.isLawful, "\(report)")
/// }
/// ```
/// Deterministic: the same plan, count and seed give the same report, on any number of cores. By law 6 a lens never
/// fails. A conversion that traps violates it and ends the process, so it cannot be overlooked.
package enum Laws {
    /// The number of cases in a whole run if no count is given. It takes a few seconds without optimization, so that
    /// every test run can have one.
    package static let casesInAll = 3000

    /// Checks a plan's lens laws with random test cases, for each entity of each version. The entities are checked in
    /// parallel.
    ///
    /// - Parameters:
    ///   - cases: the number of test cases for each entity of each version. If it is `nil`, `casesInAll` cases are
    ///     distributed over all of them.
    ///   - progress: called after each finished entity of a version, with the number of finished ones and the number of
    ///     all.
    package static func check(
        _ plan: Plan, cases: Int? = nil, seed: UInt64, progress: (Int, Int) -> Void = { _, _ in }
    ) async -> LawReport {
        await check(LawSubject(plan), cases: cases, seed: seed, progress: progress)
    }

    /// Runs the one case of a violation again, and searches again for its smallest counterexample; `nil` if the case no
    /// longer violates its law.
    package static func replay(_ violation: LawViolation, in plan: Plan) -> LawViolation? {
        let subject = LawSubject(plan)
        guard let version = plan.index(of: violation.shape),
            let projection = subject.projections[version].compactMap({ $0 }).first(where: {
                $0.name == violation.entity
            }),
            let trial = LawTrial(subject, entity: projection.entity, focus: version)
        else { return nil }
        let found = trial.run(violation.number, seed: violation.seed, seeking: LawSet([violation.law]))
        return found.map { trial.violation($0, number: violation.number, seed: violation.seed) }
    }

    static func check(
        _ subject: LawSubject, cases: Int?, seed: UInt64, progress: (Int, Int) -> Void = { _, _ in }
    ) async -> LawReport {
        let trials = subject.projections.enumerated().flatMap { version, row in
            row.compactMap { $0 }.compactMap { LawTrial(subject, entity: $0.entity, focus: version) }
        }
        let cases = cases ?? casesInAll / max(trials.count, 1) + 1
        var found: [[LawViolation]] = trials.map { _ in [] }
        await withTaskGroup { group in
            for (index, trial) in trials.enumerated() {
                // There are hundreds of these tasks, and none is short: all other work of the process goes first.
                group.addTask(priority: .low) { (index, violations(in: trial, cases: cases, seed: seed)) }
            }
            var done = 0
            for await (index, violations) in group {
                found[index] = violations
                done += 1
                progress(done, trials.count)
            }
        }
        return LawReport(
            app: subject.app, seed: seed, runs: trials.map { $0.run(of: cases) }, violations: found.flatMap { $0 })
    }

    /// Returns the first violation of each law in the cases of `trial`. Later violations of the same law nearly always
    /// have the same cause.
    private static func violations(in trial: LawTrial, cases: Int, seed: UInt64) -> [LawViolation] {
        var sought = LawSet.all
        var found: [LawViolation] = []
        for number in 0..<cases {
            guard let finding = trial.run(number, seed: seed, seeking: sought) else { continue }
            sought.remove(LawSet([finding.law]))
            found.append(trial.violation(finding, number: number, seed: seed))
            if sought.isEmpty { break }
        }
        return found
    }
}
