import PGStore
import Postgres
import WireFormats

extension SchemaCommand {
    /// Compares the tables of the database given by `--database` with those that each plan needs. Returns the
    /// differences by app; `nil` if no database is to be compared. Plans that do not compile are left out.
    static func differencesOfTables(
        _ declarations: [any SchemaMigrationPlan.Type], _ options: Options
    ) async throws -> [String: [Agreement.Difference]]? {
        guard options.has("database") || options["database"] != nil else { return nil }
        guard let database = try Environment.statedDatabase(options) else {
            throw UsageError("‘--database’ needs a URL, here or in DATABASE_URL.")
        }
        let hubs = declarations.compactMap { try? Plan($0).hub }
        let session = try await Session.open(database)
        let result: Result<[String: [Agreement.Difference]], any Error>
        do {
            result = .success(try await differences(of: hubs, session))
        } catch {
            result = .failure(error)
        }
        await session.close()
        return try result.get()
    }

    private static func differences(
        of hubs: [Hub], _ session: isolated Session
    ) throws -> [String: [Agreement.Difference]] {
        var found: [String: [Agreement.Difference]] = [:]
        for hub in hubs { found[hub.schema] = try Agreement.differences(of: hub, session) }
        return found
    }
}
