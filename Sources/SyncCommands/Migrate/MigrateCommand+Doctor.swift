import PGMigrations
import StrictJSON
import WireFormats

extension MigrateCommand {
    /// Checks the database and its server, and prints the findings.
    func doctor() async throws -> Int32 {
        let doctor = Doctor(migrator, hubs: plans.map(\.hub), servingRole: Environment.servingRole)
        let diagnosis = try await doctor.examine()
        Terminal.print(asJSON ? json(diagnosis) : text(diagnosis))
        return diagnosis.isHealthy ? 0 : 1
    }

    private func text(_ diagnosis: Diagnosis) -> String {
        var lines = diagnosis.login.isEmpty ? [] : [diagnosis.login.wrapped(indent: 0), ""]
        for finding in diagnosis.findings {
            lines += ["\(finding.severity.rawValue): \(finding.object) [\(finding.check.rawValue)]".wrapped()]
            lines += ["    \(finding.fault)".wrapped(indent: 0), "    \(finding.remedy)".wrapped(indent: 0)]
        }
        lines += diagnosis.unchecked.map { "not checked: \($0)".wrapped() }
        let errors = diagnosis.findings.count { $0.severity == .error }
        let summary = "Errors: \(errors), warnings: \(diagnosis.findings.count - errors)."
        let isSilent = diagnosis.findings.isEmpty && diagnosis.unchecked.isEmpty
        return (lines + [isSilent ? "All is as it should be." : summary]).joined(separator: "\n")
    }

    private func json(_ diagnosis: Diagnosis) -> String {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("healthy", diagnosis.isHealthy)
            writer.member("findings", each: diagnosis.findings) { writer, finding in
                writer.beginObject()
                writer.member("severity", finding.severity.rawValue)
                writer.member("check", finding.check.rawValue)
                writer.member("object", finding.object)
                writer.member("fault", finding.fault)
                writer.member("remedy", finding.remedy)
                writer.endObject()
            }
            writer.member("unchecked", diagnosis.unchecked)
            writer.endObject()
        }
    }
}
