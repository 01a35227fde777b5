package import PGStore

/// Checks, before anything is done in a database, that it can hold what devices send and does with statements what they
/// say.
package enum DatabaseFitness {
    /// - Throws: `unfit`, `database`.
    package static func check(_ session: Session) async throws(MigrationError) {
        let faults: [Fault]
        do throws(PGError) { faults = try await self.faults(session) } catch { throw .database(error) }
        if let first = faults.first { throw .unfit("\(first.object): \(first.fault) \(first.remedy)") }
    }

    /// Something that is to be otherwise before anything is done.
    struct Fault: Sendable {
        let check: Diagnosis.Check
        let object: String
        let fault: String
        let remedy: String
    }

    static func faults(_ session: isolated Session) throws(PGError) -> [Fault] {
        let rows = try session.execute(
            """
            SELECT quote_ident(datname), pg_encoding_to_char(encoding), quote_ident(pg_get_userbyid(datdba)),
                quote_ident(session_user), quote_ident(datname || '_utf8')
            FROM pg_database WHERE datname = current_database()
            """)
        let (database, encoding, login) = (rows.string(0, 0), rows.string(0, 1), rows.string(0, 3))
        var faults: [Fault] = []
        if encoding != "UTF8" {
            faults.append(
                Fault(
                    check: .encoding, object: "database \(database)",
                    fault: "Its encoding is \(encoding), which has not every letter that devices send.",
                    remedy: "Make another: CREATE DATABASE \(rows.string(0, 4)) OWNER \(rows.string(0, 2)) ENCODING "
                        + "'UTF8' LOCALE 'C' TEMPLATE template0;"))
        }
        let settings = try session.execute(PinnedSettings.reading)
        for row in 0..<settings.count {
            let (name, value) = (settings.string(row, 0), settings.string(row, 1))
            faults.append(
                Fault(
                    check: .settings, object: "setting \(name)",
                    fault: "It is ‘\(value)’, by which statements do other than they say, and the login may not set "
                        + "it back.",
                    remedy: "Say as a superuser where it was set: ALTER DATABASE \(database) RESET \(name); or ALTER "
                        + "ROLE \(login) RESET \(name);"))
        }
        return faults
    }
}
