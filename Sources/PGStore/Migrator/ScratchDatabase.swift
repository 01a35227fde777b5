/// An empty database beside another, on the same server, for as long as something is compared with it.
enum ScratchDatabase {
    private static let prefix = "syncserver_scratch_"

    /// - Parameters:
    ///   - session: of the database beside it, not in a transaction.
    ///   - body: given where the scratch database is.
    /// - Throws: `noScratchDatabase` where the login may not make one; `database`; what `body` throws.
    static func with<Value>(
        beside string: ConnectionString, _ session: Session,
        _ body: (ConnectionString) async throws(MigrationError) -> Value
    ) async throws(MigrationError) -> Value {
        let name = "\(prefix)\(String(UInt64.random(in: .min ... .max), radix: 36))"
        do throws(PGError) {
            try await session.runScript("CREATE DATABASE \(name) TEMPLATE template0")
        } catch .insufficientPrivilege {
            throw .noScratchDatabase
        } catch {
            throw .database(error)
        }
        let result: Result<Value, MigrationError>
        do throws(MigrationError) {
            result = .success(try await body(string.with(database: name)))
        } catch {
            result = .failure(error)
        }
        do throws(PGError) {
            try await session.runScript("DROP DATABASE \(name) WITH (FORCE)")
        } catch {
            if case .success = result { throw .database(error) }
        }
        return try result.get()
    }
}
