import PGMigrations
import WireFormats

extension MigrateCommand {
    /// Prints the steps that `up` would run, and changes nothing.
    func plan() async throws -> Int32 {
        let target = try options["to"].map { text throws(UsageError) in try MigrateCommand.target(text) }
        let forecast = try await migrator.plan(
            to: target, gate: ContractGate(plans: plans, directory: directory).obstacle)
        let report = PlanReport(
            forecast: forecast, withContracts: options.has("contract"), audience: AffectedVersions(plans: plans),
            findings: try findings(in: forecast))
        Terminal.print(asJSON ? report.json : report.text)
        return report.findings.contains { $0.severity == .error } ? 1 : 0
    }

    /// Lints the files that are to be run. Returns nothing for a new database, because no device uses it yet.
    private func findings(in forecast: MigrationForecast) throws -> [LintFinding] {
        if forecast.isNew { return [] }
        let pending = Set(forecast.steps.map(\.file.path))
        let linter = MigrationLinter(plans: plans)
        return try lines.flatMap { line in try linter.findings(in: line) { pending.contains($0.path) } }
    }
}
