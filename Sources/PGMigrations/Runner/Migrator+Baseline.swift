import PGStore
package import Postgres

extension Migrator {
    /// Records migrations as applied without running them, for a database whose tables were created in another way.
    /// First compares the tables with those that the migration files create.
    ///
    /// - Parameters:
    ///   - id: the last migration whose effect is in the database.
    ///   - schema: the schema of the tables.
    /// - Returns: the differences from the tables that the files create. If there are any, nothing is recorded.
    /// - Throws: `busy` while a run is at work; `noSuchTarget`, `unresolvable`, `noScratchDatabase`, `pooled`,
    ///   `database`; any error that occurs when the files are run in an empty database.
    package func baseline(_ id: MigrationID, schema: String) async throws(MigrationError) -> [Catalog.Difference] {
        try await exclusively { session throws(MigrationError) in
            let found = try await ledger(session)
            let (wantedLines, files) = try baselineLines(id, found)
            let wanted = try await catalogs(of: [schema], made: wantedLines, beside: session)[0]
            let differences = try await catalog(schema, session).differences(from: wanted)
            if differences.isEmpty { try await record(files.map(Ledger.recording), session) }
            return differences
        }
    }

    /// Runs the migration files in an empty database, and returns the resulting catalog of each schema.
    func catalogs(
        of schemas: [String], made lines: [MigrationLine], beside session: Session
    ) async throws(MigrationError) -> [Catalog] {
        try await ScratchDatabase.with(for: .comparison, beside: string, session) { scratch throws(MigrationError) in
            let migrator = Migrator(scratch, role: role, lines: lines, tables: tables, limits: limits)
            try await migrator.up(contracts: .run)
            return try await migrator.withSession { session throws(MigrationError) in
                var catalogs: [Catalog] = []
                for schema in schemas { catalogs.append(try await catalog(schema, session)) }
                return catalogs
            }
        }
    }

    func catalog(_ schema: String, _ session: Session) async throws(MigrationError) -> Catalog {
        let own = schema == MigrationLine.serverLineName ? Ledger.tables : []
        return try await asMigrationError { () throws(PGError) in try await Catalog.read(schema, except: own, session) }
    }

    /// Returns the migration lines that make the tables to compare with, and the files to record as applied. The latter
    /// are the file of `id` and all earlier files of its line.
    private func baselineLines(
        _ id: MigrationID, _ ledger: Ledger
    ) throws(MigrationError) -> (lines: [MigrationLine], files: [MigrationFile]) {
        guard let line = lines.first(where: { $0.name == id.line }), line.files.contains(where: { $0.id == id }) else {
            throw .noSuchTarget(id)
        }
        let files = Array(line.files.prefix(id.number))
        let path = files[files.count - 1].path
        guard !ledger.files.contains(where: { $0.id.line == id.line }),
            ledger.steps.keys.allSatisfy({ $0.line != id.line })
        else {
            throw .unresolvable(
                path: path,
                "The ledger has the line \(id.line) already: see ‘syncserver migrate status’. What was done by hand "
                    + "since, ‘syncserver migrate resolve’ records.")
        }
        let wanted = try MigrationLine(name: line.name, files: files)
        if id.line == MigrationLine.serverLineName { return ([wanted], files) }
        // An app's tables build on the server's, in the version that this database has.
        let level = ledger.files.filter { $0.id.line == MigrationLine.serverLineName }.count
        guard level > 0, let server = lines.first(where: { $0.name == MigrationLine.serverLineName }) else {
            throw .unresolvable(
                path: path, "The server's own tables come first: ‘syncserver migrate up --to sync/N’, or baseline them."
            )
        }
        let before = try MigrationLine(name: server.name, files: Array(server.files.prefix(level)))
        return ([before, wanted], files)
    }
}
