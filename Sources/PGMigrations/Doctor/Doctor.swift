package import Postgres
package import WireFormats

/// Examines a database and its server for faults, and names the remedy of each.
/// Only reads the examined database. To determine the objects that the migration files make, it runs the files in a
/// temporary database, which it drops.
package struct Doctor: Sendable {
    let migrator: Migrator
    let hubs: [Hub]
    let servingRole: String
    let limits: DoctorLimits
    let host: HostClock

    /// Creates an examination of one database.
    ///
    /// - Parameters:
    ///   - migrator: the migrator of the database, with the migration lines of this release.
    ///   - hubs: the tables that the plans of all apps need, one hub for each app.
    ///   - servingRole: the role in which requests are served.
    ///   - host: the clocks of the machine on which the examination runs.
    package init(
        _ migrator: Migrator, hubs: [Hub], servingRole: String, limits: DoctorLimits = DoctorLimits(),
        host: HostClock = HostClock()
    ) {
        self.migrator = migrator
        self.hubs = hubs
        self.servingRole = servingRole
        self.limits = limits
        self.host = host
    }

    /// The schemas that are examined: the server's own, then those of the apps.
    var schemas: [String] { [MigrationLine.serverLineName] + hubs.map(\.schema) }

    /// Makes all checks.
    ///
    /// - Throws: `database`.
    package func examine() async throws(MigrationError) -> Diagnosis {
        let hidden = try await migrator.withSession { session throws(MigrationError) in
            // Through a transaction pooler, no other result of a session can be trusted.
            let pooled = try await pooler(session)
            if !pooled.isEmpty { return pooled }
            // In a role other than the login's, little can be read.
            return try await migrator.asMigrationError { () throws(PGError) in
                Self.findings(try await DatabaseFitness.otherRole(session).map { [$0] } ?? [])
            }
        }
        if !hidden.isEmpty { return Diagnosis(findings: hidden) }
        let statuses = try await migrator.status()
        return try await migrator.withSession { session throws(MigrationError) in
            let ledger = try await migrator.ledger(session)
            var diagnosis = try await migrator.asMigrationError { () throws(PGError) in
                try await look(statuses, session)
            }
            // A new database has no objects that could differ.
            if ledger.files.isEmpty {
                diagnosis.findings.append(
                    .init(
                        .ledger, .warning, "database", "No migration has run in it. Is it the right one?",
                        "Run ‘syncserver migrate up’ if it is."))
                return diagnosis
            }
            try await migrator.asMigrationError { () throws(PGError) in
                diagnosis.findings += try await servingLogins(session)
                try await serve(statuses, &diagnosis)
            }
            try await compare(ledger, statuses, session, &diagnosis)
            diagnosis.findings =
                diagnosis.findings.filter { $0.severity == .error }
                + diagnosis.findings.filter { $0.severity == .warning }
            return diagnosis
        }
    }

    private func look(
        _ statuses: [MigrationStatus], _ session: isolated Session
    ) throws(PGError) -> Diagnosis {
        var diagnosis = Diagnosis()
        diagnosis.login = try login(session)
        diagnosis.unchecked = try hiddenSessions(session)
        diagnosis.findings += try version(session)
        diagnosis.findings += try fitness(session)
        diagnosis.findings += try Self.settings(session)
        diagnosis.findings += try settingsThatAreSetBack(session)
        diagnosis.findings += try connections(session)
        diagnosis.findings += try clock(session)
        diagnosis.findings += try powers(session)
        diagnosis.findings += try privileges(session)
        diagnosis.findings += try transactions(session)
        diagnosis.findings += try preparedTransactions(session)
        diagnosis.findings += try replicationSlots(session)
        diagnosis.findings += try transactionAge(session)
        diagnosis.findings += self.statuses(statuses)
        diagnosis.findings += try leftovers(session)
        diagnosis.findings += try census(session)
        diagnosis.findings += try indexes(statuses, session)
        diagnosis.findings += try constraints(statuses, session)
        diagnosis.findings += try triggers(session)
        diagnosis.findings += try tables(session)
        diagnosis.findings += try values(session)
        return diagnosis
    }
}
