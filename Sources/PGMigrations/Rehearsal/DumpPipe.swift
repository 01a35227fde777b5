import Glibc
import Postgres

/// Pipes `pg_dump` of one database into `pg_restore` of another, without a file in between.
struct DumpPipe {
    let source: ConnectionString
    let target: ConnectionString
    /// The server's major version.
    let major: Int
    let role: String?

    init(from source: ConnectionString, into target: ConnectionString, major: Int, role: String?) {
        (self.source, self.target, self.major, self.role) = (source, target, major, role)
    }

    private static let pollInterval = Duration.milliseconds(20)
    /// The number of times that the states of `pg_dump` and `pg_restore` are polled between two reports of the
    /// progress.
    private static let pollsPerLook = 25

    /// The longest time for which `pg_dump` waits for a lock on a table. A session that alters a table may make it
    /// wait. Sessions that come later then wait behind `pg_dump`, so it must give up soon.
    private static let lockWaitMax = "10s"

    /// The options of `pg_dump` and `pg_restore` that leave out objects which do not matter to a table's rows.
    /// Restoring some of these objects requires a superuser.
    private static let leavingOut = [
        "--no-publications", "--no-subscriptions", "--no-comments", "--no-security-labels",
    ]

    /// Runs `pg_dump` and `pg_restore` until both end. If the task is cancelled, kills both.
    ///
    /// - Parameters:
    ///   - words: additional arguments of `pg_dump`.
    ///   - look: called from time to time while the programs run, to report the progress.
    /// - Throws: `notCopied`, `cancelled`.
    func run(_ words: [String], look: () async -> Void) async throws(MigrationError) {
        guard let installation = PostgresInstallation.dumping(major: major) else {
            throw .notCopied(
                "The database is copied with pg_dump and pg_restore of PostgreSQL \(major) or newer, which are not "
                    + "installed here. Install them (Debian: apt-get install postgresql-client-\(major)).")
        }
        let become = role.map { ["--role=\($0)"] } ?? []
        let dump = program("\(installation.programs)/pg_dump", source) {
            ["--format=custom", "--compress=0", "--lock-wait-timeout=\(Self.lockWaitMax)"] + Self.leavingOut + become
                + words + ["--dbname=\($0)"]
        }
        let restore = program("\(installation.programs)/pg_restore", target) {
            ["--exit-on-error"] + Self.leavingOut + become + ["--dbname=\($0)"]
        }
        guard let dumpErrors = tmpfile(), let restoreErrors = tmpfile() else {
            throw .notCopied("No temporary file could be made: \(String(cString: strerror(errno))).")
        }
        defer {
            fclose(dumpErrors)
            fclose(restoreErrors)
        }
        let children: [Child]
        do throws(FileError) {
            children = try Self.start(dump, fileno(dumpErrors), restore, fileno(restoreErrors))
        } catch {
            throw .notCopied("\(error)")
        }
        let statuses = try await wait(for: children, look)
        if statuses.allSatisfy({ $0 == 0 }) { return }
        // One program's failure ends the other as well, and only their messages show which failed first.
        let said = [dumpErrors, restoreErrors].map(Self.text).filter { !$0.isEmpty }.joined(separator: " / ")
        throw .notCopied("The database could not be copied: \(said)")
    }

    private func program(
        _ path: String, _ string: ConnectionString, _ arguments: (_ database: String) -> [String]
    ) -> Program {
        let (text, password) = string.forCommandLine
        // The current environment may hold the password and other variables that libpq reads.
        let inherited = (try? Files.contents(of: "/proc/self/environ")) ?? []
        var environment = inherited.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        if let password {
            environment.removeAll { $0.hasPrefix("PGPASSWORD=") }
            environment.append("PGPASSWORD=\(password)")
        }
        // The programs' output is only shown to people, so its language does not matter.
        return Program(
            path: path, arguments: arguments(text) + ["--no-password"], account: .current, environment: environment)
    }

    // MARK: Children

    private typealias Child = pid_t

    private static func start(
        _ dump: Program, _ dumpErrors: CInt, _ restore: Program, _ restoreErrors: CInt
    ) throws(FileError) -> [Child] {
        var ends: [CInt] = [0, 0]
        guard pipe(&ends) == 0 else {
            throw FileError(path: dump.path, attempt: "run", reason: String(cString: strerror(errno)))
        }
        // Only the children may keep the ends open: each notices the end of the other by its end of the pipe.
        defer { for end in ends { close(end) } }
        let reader = try restore.start(input: ends[0], output: nil, errors: restoreErrors)
        do throws(FileError) {
            return [try dump.start(input: nil, output: ends[1], errors: dumpErrors), reader]
        } catch {
            kill(reader, SIGKILL)
            waitpid(reader, nil, 0)
            throw error
        }
    }

    /// Waits until `pg_dump` and `pg_restore` have both ended.
    ///
    /// - Returns: the exit status of each, in the form of `wait(2)`.
    private func wait(for children: [Child], _ look: () async -> Void) async throws(MigrationError) -> [CInt] {
        var statuses: [Child: CInt] = [:]
        for poll in 0... {
            for child in children where statuses[child] == nil { statuses[child] = Program.status(ofEnded: child) }
            if statuses.count == children.count { break }
            if poll % Self.pollsPerLook == 0 { await look() }
            do {
                try await Task.sleep(for: Self.pollInterval)
            } catch {
                for child in children where statuses[child] == nil {
                    kill(child, SIGKILL)
                    waitpid(child, nil, 0)
                }
                throw .cancelled
            }
        }
        return children.compactMap { statuses[$0] }
    }

    /// Returns the text that a program wrote to its error output, in one line.
    private static func text(_ file: UnsafeMutablePointer<FILE>) -> String {
        var bytes = [UInt8](repeating: 0, count: 2000)
        let count = pread(fileno(file), &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: "\n")
            .joined(separator: " / ")
    }
}
