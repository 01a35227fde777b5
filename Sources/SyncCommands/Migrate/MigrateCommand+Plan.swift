import PGMigrations
import WireFormats

extension MigrateCommand {
    /// What `up` would do, without doing any of it.
    func plan() async throws -> Int32 {
        let target = try options["to"].map { text throws(UsageError) in try MigrateCommand.target(text) }
        let forecast = try await migrator.plan(to: target, gate: ContractGate(plans: plans).obstacle)
        let report = PlanReport(
            forecast: forecast, withContracts: options.has("contract"), audience: Audience(plans: plans),
            findings: try findings(in: forecast))
        Terminal.print(asJSON ? report.json : report.text)
        return report.findings.contains { $0.severity == .error } ? 1 : 0
    }

    /// Of the files that are to be run. On a new database nobody is in the way of anything.
    private func findings(in forecast: MigrationForecast) throws -> [LintFinding] {
        if forecast.isNew { return [] }
        let pending = Set(forecast.steps.map(\.file.path))
        let linter = MigrationLinter(plans: plans)
        return try lines.flatMap { line in try linter.findings(in: line) { pending.contains($0.path) } }
    }
}
