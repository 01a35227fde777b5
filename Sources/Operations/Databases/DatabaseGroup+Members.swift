import PGMigrations
package import PGStore
import Postgres
import WireFormats

/// Adding and removing databases, and confirming those that were restored.
extension DatabaseGroup {
    /// Adds an empty database with the same migrations as the directory's. It serves no bucket until one moves there.
    ///
    /// - Throws: `PlacementError`; `PGError`, if the database does not answer.
    package func add(_ entry: BucketMap.Entry) async throws {
        try await checkName(entry.name)
        try await withDirectory { directory in
            let origin = try await directory.execute(DatabaseGroup.readingOrigin).string(0, 0)
            let epoch = BucketMarks.Row(try await directory.execute(BucketMarks.reading)).epoch
            let files = try await directory.execute(DatabaseGroup.readingFiles).string(0, 0)
            guard try await directory.execute(DatabaseGroup.excludingEarlierServers).bool(0, 0) else {
                throw PlacementError.earlierServers(database: BucketMap.Entry.directoryName)
            }
            let number = try await directory.execute(DatabaseGroup.countingDatabases).int(0, 0) + 1
            let string = self.directory.with(host: entry.host, port: entry.port, database: entry.database)
            try await with(string) { session in
                if try await session.execute(DatabaseGroup.readingOrigin).string(0, 0) == origin {
                    throw PlacementError.sameDatabase(as: BucketMap.Entry.directoryName)
                }
                guard try await session.execute(DatabaseGroup.findingLedger).bool(0, 0) else {
                    throw PlacementError.otherMigrations("of all")
                }
                let found = try await session.execute(DatabaseGroup.readingFiles).string(0, 0)
                if let other = DatabaseGroup.firstDifference(files, found) {
                    throw PlacementError.otherMigrations(other)
                }
                if let name = BucketMarks.Row(try await session.execute(BucketMarks.reading)).name, name != entry.name {
                    throw PlacementError.sameDatabase(as: name)
                }
                let moved = MovedTable.all(try await session.execute(MovedTable.listing)).map(\.name)
                for table in ["sync.member", "sync.token", "sync.database"] + moved.reversed() {
                    let counting = Command(Statement(unchecked: "SELECT EXISTS (SELECT FROM \(table))"))
                    if try await session.execute(counting).bool(0, 0) { throw PlacementError.notEmpty(table) }
                }
                guard try await RunnerLock.take(session) else { throw PlacementError.busy(database: entry.name) }
                try await session.pipeline(BucketMarks.joining(as: entry.name, epoch: epoch, number: number))
            }
            try await directory.pipeline([
                BucketMarks.naming, BucketMap.adding(entry),
                OperatorEvents.noting("database add", app: nil, detail: entry.name),
            ])
        }
    }

    /// Checks that a database can be added under a name.
    ///
    /// - Throws: `PlacementError.badName`, `nameTaken`; `PGError`.
    package func checkName(_ name: String) async throws {
        guard DatabaseGroup.isName(name) else { throw PlacementError.badName(name) }
        if try await map().names.contains(name) { throw PlacementError.nameTaken(name) }
    }

    /// Removes a database that serves no bucket from the map. The database itself stays as it is.
    ///
    /// - Throws: `PlacementError`; `PGError`.
    package func remove(_ name: String) async throws {
        try await withDirectory { directory in
            try await refuseDuringMove(of: name, directory)
            let map = BucketMap(try await directory.execute(BucketMap.reading))
            _ = try address(of: name, in: map)
            let count =
                Bucket.all.count { map.name(of: $0) == name } + map.placedSpaces.count { map.name(of: $0) == name }
            if count > 0 || name == BucketMap.Entry.directoryName {
                throw PlacementError.inUse(name, buckets: name == BucketMap.Entry.directoryName ? 0 : count)
            }
            try await directory.pipeline([
                BucketMap.removing(name), OperatorEvents.noting("database remove", app: nil, detail: name),
            ])
        }
    }

    /// Lets a database that was restored from a backup serve the buckets that it serves by the map. All others must
    /// answer: what one of them serves stays there, and the map is corrected.
    ///
    /// - Returns: the number of buckets that the database serves.
    /// - Throws: `PlacementError.notRestored` if the database serves something; `PlacementError`; `PGError`.
    package func confirm(_ name: String) async throws -> Int {
        try await withDirectory { directory in
            try await refuseDuringMove(of: name, directory)
            let map = BucketMap(try await directory.execute(BucketMap.reading))
            let own = try await with(address(of: name, in: map)) { session in
                BucketMarks.Row(try await session.execute(BucketMarks.reading))
            }
            guard own.name == name else { throw PlacementError.otherName(name, found: own.name) }
            // A database that was not restored knows better than a map that was.
            guard own.served.isEmpty, own.exceptions.isEmpty else { throw PlacementError.notRestored(name) }
            let changes = try await newerClaims(beside: name, map)
            if !changes.isEmpty { try await directory.pipeline(changes) }
            let newMap = BucketMap(try await directory.execute(BucketMap.reading))
            let mapped = Bucket.all.filter { newMap.name(of: $0) == name }
            try await with(address(of: name, in: map)) { session in
                _ = try await session.execute(BucketMarks.setting(mapped, exceptions: newMap.exceptions(in: name)))
            }
            try await directory.execute(OperatorEvents.noting("database confirm", app: nil, detail: name))
            return mapped.count
        }
    }

    /// Throws an error if a move from or to the database has not ended.
    private func refuseDuringMove(of name: String, _ directory: Session) async throws {
        guard let move = SpaceMove(try await directory.execute(SpaceMove.readingUnfinished)) else { return }
        if [move.source, move.target].contains(name) { throw PlacementError.unfinished(move) }
    }

    /// Returns the changes of the map for what other databases serve although the map names this one: it moved after
    /// the backup from which the directory was restored.
    private func newerClaims(beside name: String, _ map: BucketMap) async throws -> [Command] {
        var claims: [Bucket: String] = [:]
        var changes: [Command] = []
        for other in map.names where other != name {
            let marks = try await with(address(of: other, in: map)) { session in
                BucketMarks.Row(try await session.execute(BucketMarks.reading))
            }
            for bucket in marks.served where map.name(of: bucket) == name {
                if let first = claims.updateValue(other, forKey: bucket) {
                    throw PlacementError.disputed(bucket, claimedBy: [first, other], map: name)
                }
                changes += map.setting(.buckets([bucket]), to: other)
            }
            // The restored map may not know of a space that has moved without its bucket since.
            for space in marks.exceptions.union(map.placedSpaces)
            where map.name(of: space) == name && marks.serves(space) {
                changes += map.setting(.space(space), to: other)
            }
        }
        return changes
    }

    private static func isName(_ name: String) -> Bool {
        name != BucketMap.Entry.directoryName && name.wholeMatch(of: /[a-z][a-z0-9_-]{0,62}/) != nil
    }

    private static func firstDifference(_ here: String, _ there: String) -> String? {
        let (a, b) = (here.split(separator: "\n"), there.split(separator: "\n"))
        let other = Set(a).symmetricDifference(b).min()
        return other.map { String($0.prefix { $0 != " " }) }
    }

    private static let readingOrigin: Command = """
        SELECT concat_ws('/', (SELECT system_identifier FROM pg_control_system()),
            (SELECT oid FROM pg_database WHERE datname = current_database()))
        """

    private static let findingLedger: Command = """
        SELECT to_regclass('sync.migration') IS NOT NULL AND to_regclass('sync.move') IS NOT NULL
        """

    /// The applied files with their checksums and the steps that are not done, a line each.
    private static let readingFiles: Command = """
        SELECT coalesce(string_agg(m.line || '/' || m.number || ' ' || m.checksum || ' ' || (
            SELECT count(*) FROM sync.migration_step AS s
            WHERE s.line = m.line AND s.number = m.number AND s.state <> 'done'), chr(10)), '')
        FROM sync.migration AS m
        """

    /// Reads if the contract step of `sync/0034` has run, without which servers of earlier releases could start. They
    /// would use spaces without asking if these are here.
    private static let excludingEarlierServers: Command = """
        SELECT EXISTS (
            SELECT FROM sync.migration_step
            WHERE line = 'sync' AND number >= 34 AND phase = 'contract' AND state = 'done')
            OR NOT EXISTS (SELECT FROM sync.migration_step WHERE line = 'sync' AND number = 34)
        """

    /// Counts all databases that were ever added, so that none gets the number of another.
    private static let countingDatabases: Command = """
        SELECT count(*) FROM sync.operator_event WHERE action = 'database add'
        """
}
