package import PGStore
package import WireFormats

/// The errors of operations on the databases of an installation. The descriptions name the remedies.
package enum PlacementError: Error, Hashable, CustomStringConvertible {
    /// There is no database of this name; `known` are those that there are.
    case unknownDatabase(String, known: [String])
    case badName(String)
    case nameTaken(String)
    /// The database's address is that of a database that is in the map already.
    case sameDatabase(as: String)
    /// A database that has spaces or members, and so is not empty.
    case notEmpty(String)
    /// The migrations of two databases differ.
    case otherMigrations(String)
    /// The database still serves buckets, or the only one is the directory.
    case inUse(String, buckets: Int)
    /// The database that answers at an address has another name than the map says.
    case otherName(String, found: String?)
    /// A migration run or another move is at work.
    case busy(database: String)
    /// A move has not ended.
    case unfinished(SpaceMove)
    case noUnfinishedMove
    /// The move cannot be undone any more.
    case tooLate(SpaceMove)
    /// The spaces are served by the target already.
    case inPlace(SpaceSet, database: String)
    /// A space that moved without its bucket, which the directory would have to move back first.
    case placedAlone(ID, String, home: String)
    /// A database that is to be confirmed, and that serves something: it was not restored.
    case notRestored(String)
    /// As many spaces as permitted are in another database than their bucket.
    case tooManyPlaced
    /// Servers of earlier releases, which do not ask where a space is, could start.
    case earlierServers(database: String)
    /// Buckets that several databases serve cannot move together.
    case severalSources([Bucket], [String])
    /// The databases that say that they serve a bucket are not exactly the one that the map names.
    case disputed(Bucket, claimedBy: [String], map: String)
    /// The login, or the settings of a database, do not permit logical replication.
    case cannotReplicate(database: String, reason: String)
    /// PostgreSQL has failed several times to copy rows, or to apply changes.
    case replicationFailed(database: String)
    /// A transaction in the cluster of a database has been open for too long. The replication begins after all
    /// transactions that are open now.
    case openTransaction(database: String)
    /// No attempt to switch ended in time.
    case pauseTooLong(waitedFor: String, attempts: Int)
    /// The rows of a table differ after the copy.
    case differs(table: String)
    /// The tables of the two databases differ.
    case otherTables(String)

    package var description: String {
        switch self {
        case .unknownDatabase(let name, let known):
            "There is no database ‘\(name)’; there is \(known.joined(separator: ", "))."
        case .badName(let name):
            "‘\(name)’ is no name for a database: it begins with a lower-case letter, and has up to 63 of these, "
                + "digits, ‘-’ and ‘_’. ‘\(BucketMap.Entry.directoryName)’ is the one that the server is started with."
        case .nameTaken(let name): "There is a database ‘\(name)’ already. Take another name."
        case .sameDatabase(let name):
            "The address leads to the database ‘\(name)’. State ‘--host’, ‘--port’ or ‘--dbname’."
        case .notEmpty(let table):
            "The database is not empty: \(table) has rows. Make a new one, and apply the migrations to it."
        case .otherMigrations(let first):
            "The two databases have other migrations, first \(first). Apply the same to both with "
                + "‘syncserver migrate up’, and say this again."
        case .inUse(let name, let buckets):
            buckets == 0
                ? "The directory cannot be removed."
                : "‘\(name)’ serves \(buckets) buckets. Move them first: ‘syncserver database drain \(name)’."
        case .otherName(let name, let found):
            "At the address of ‘\(name)’ is a database that \(found.map { "is named ‘\($0)’" } ?? "has no name"). "
                + "Correct the address in sync.database, in the directory."
        case .busy(let name):
            "A migration run or another move is at work in the database ‘\(name)’. Run this again when it has ended."
        case .unfinished(let move):
            "The move of \(move.spaces.text) from \(move.source) to \(move.target) has not ended. Go on with "
                + "‘syncserver database move --resume’"
                + (move.mayBeUndone ? ", or give it up with ‘syncserver database move --undo’." : ".")
        case .noUnfinishedMove: "No move is unfinished."
        case .tooLate(let move):
            "‘\(move.target)’ serves \(move.spaces.text), and may have changes that ‘\(move.source)’ lacks. End "
                + "the move with ‘syncserver database move --resume’; then move back."
        case .inPlace(let spaces, let name): "‘\(name)’ serves \(spaces.text) already."
        case .placedAlone(let space, let name, let home):
            "The space \(space) is in ‘\(name)’, without its bucket. Move it back first: ‘syncserver database "
                + "move --space \(space) --alone --to \(home)’."
        case .notRestored(let name):
            "‘\(name)’ serves spaces, so it was not restored, and nothing was done. Confirm the database that serves "
                + "nothing: what others serve is then taken into the map."
        case .tooManyPlaced:
            "\(SpaceSet.placedMax) spaces have moved without their bucket, and no more may. Move one back first, of "
                + "those that are listed in sync.placed_space, in the directory."
        case .earlierServers(let name):
            "Servers of an earlier release could start on the database ‘\(name)’, and would not ask where a space is. "
                + "When all servers are of this release, say ‘syncserver migrate up --contract’, and then this again."
        case .severalSources(let buckets, let names):
            "The buckets \(buckets.text) are in several databases: \(names.joined(separator: ", ")). Move those of "
                + "each by themselves."
        case .disputed(let bucket, let claims, let map):
            "By the map ‘\(map)’ serves bucket \(bucket.number), and "
                + (claims.isEmpty
                    ? "no database says that it does" : "\(claims.joined(separator: " and ")) says that it does")
                + ". Nothing was done. After a restoration: ‘syncserver database confirm’."
        case .cannotReplicate(let name, let reason): "The database ‘\(name)’ cannot replicate: \(reason)"
        case .replicationFailed(let name):
            "PostgreSQL failed to copy the rows, or to apply changes to them: its log of the database ‘\(name)’ says "
                + "why. Remove the cause and say ‘syncserver database move --resume’, or ‘--undo’."
        case .openTransaction(let name):
            "Transactions on the server of ‘\(name)’ have been open for a minute, and the replication begins when they "
                + "have ended. See pg_stat_activity, and say ‘syncserver database move --resume’, or ‘--undo’."
        case .pauseTooLong(let what, let attempts):
            "In \(attempts) attempts, \(what) took longer than the spaces may be without a database. The source serves "
                + "them. Say ‘syncserver database move --resume’ when there is less to do, with a longer "
                + "‘--pause-max’, or ‘--undo’."
        case .differs(let table):
            "The rows of \(table) differ in the two databases, so nothing was switched: the source serves the spaces. "
                + "Has something else written to the target? Give the copy up with ‘syncserver database move --undo’."
        case .otherTables(let table):
            "The two databases have other tables with rows of spaces, first \(table). Apply the same migrations "
                + "to both."
        }
    }
}
