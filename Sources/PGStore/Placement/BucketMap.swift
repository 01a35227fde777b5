package import Postgres
package import WireFormats

/// The map that says which database serves which bucket of spaces, and which single spaces. The directory, the database
/// that a server is started with, stores it.
package struct BucketMap: Hashable, Sendable {
    /// A database beside the directory: its name in the map, and its address.
    package struct Entry: Hashable, Sendable {
        package let name: String
        /// The name that the directory has in moves and lists. No other database may have it.
        package static let directoryName = "directory"
        /// The host of the database; `nil` for the directory's. So it is with `port` and `database`.
        package let host: String?
        package let port: Int?
        /// The name of the database on its host.
        package let database: String?

        package init(name: String, host: String?, port: Int?, database: String?) {
            (self.name, self.host, self.port, self.database) = (name, host, port, database)
        }
    }

    /// The databases beside the directory, in the order of their names.
    package let databases: [Entry]
    /// For each bucket, by its number: the database that serves it, as an index in `databases`; `nil` for the
    /// directory.
    private let indices: [Int?]
    /// The spaces that another database serves than the rest of their bucket, each with the index of that database in
    /// `databases`; `nil` for the directory.
    private let placed: [ID: Int?]

    /// A map by which the directory serves all spaces.
    package static let directoryOnly = BucketMap(
        databases: [], indices: Array(repeating: nil, count: Bucket.count), placed: [:])

    private init(databases: [Entry], indices: [Int?], placed: [ID: Int?]) {
        (self.databases, self.indices, self.placed) = (databases, indices, placed)
    }

    /// Returns the database that serves a bucket, as an index in `databases`; `nil` for the directory.
    package func index(of bucket: Bucket) -> Int? { indices[bucket.number] }

    /// Returns the database that serves a space, as an index in `databases`; `nil` for the directory.
    package func index(of space: ID) -> Int? { placed[space] ?? index(of: Bucket(of: space)) }

    /// The spaces that another database serves than the rest of their bucket.
    package var placedSpaces: [ID] { Array(placed.keys) }

    /// The names of all databases, the directory's first.
    package var names: [String] { [Entry.directoryName] + databases.map(\.name) }

    /// Returns the name of the database that serves a bucket; for the directory, `Entry.directoryName`.
    package func name(of bucket: Bucket) -> String {
        index(of: bucket).map { databases[$0].name } ?? Entry.directoryName
    }

    /// Returns the name of the database that serves a space; for the directory, `Entry.directoryName`.
    package func name(of space: ID) -> String {
        index(of: space).map { databases[$0].name } ?? Entry.directoryName
    }

    /// Returns the spaces that are exceptions in a database: those that it serves without their bucket, and those that
    /// it does not serve although it serves their bucket.
    package func exceptions(in name: String) -> [ID] {
        placed.keys.filter { (self.name(of: $0) == name) != (self.name(of: Bucket(of: $0)) == name) }
    }

    /// Sets the database that serves some spaces. Runs outside of any space, in the directory, as its owner.
    ///
    /// - Parameter name: a name in the map, or `Entry.directoryName`.
    package func setting(_ spaces: SpaceSet, to name: String) -> [Command] {
        let stored = name == Entry.directoryName ? nil : name
        switch spaces {
        case .buckets(let buckets):
            let gone = Command("DELETE FROM sync.bucket WHERE number = ANY ($1)", [buckets.numbers])
            if stored == nil { return [gone] }
            return [
                gone,
                Command(
                    "INSERT INTO sync.bucket (number, database) SELECT unnest($1::bigint[]), $2",
                    [buckets.numbers, .text(stored)]),
            ]
        case .space(let space):
            let gone = Command("DELETE FROM sync.placed_space WHERE id = $1", [.id(space)])
            if self.name(of: Bucket(of: space)) == name { return [gone] }
            return [
                gone,
                Command(
                    "INSERT INTO sync.placed_space (id, database) VALUES ($1, $2)", [.id(space), .text(stored)]),
            ]
        }
    }

    /// Adds a database, which serves no bucket yet. Runs in the directory, as its owner.
    package static func adding(_ entry: Entry) -> Command {
        Command(
            "INSERT INTO sync.database (name, host, port, dbname) VALUES ($1, $2, $3, $4)",
            [
                .text(entry.name), .text(entry.host), .int(entry.port.map(Int64.init)),
                .text(entry.database),
            ])
    }

    /// Removes a database that serves no bucket. Runs in the directory, as its owner.
    package static func removing(_ name: String) -> Command {
        Command("DELETE FROM sync.database WHERE name = $1", [.text(name)])
    }

    /// Reads the map: a row for each database, `(name, host, port, dbname, buckets, spaces)`, the directory's first,
    /// whose `name` is NULL. `buckets` is an array of the numbers of the buckets that the database serves, and `spaces`
    /// a text with the ids of the spaces that it serves without their bucket. Runs outside of any space, in the
    /// directory.
    package static let reading: Command = """
        SELECT d.name, d.host, d.port, d.dbname, ARRAY(SELECT number FROM sync.bucket WHERE database = d.name),
            (SELECT coalesce(string_agg(id::text, ','), '') FROM sync.placed_space
            WHERE database IS NOT DISTINCT FROM d.name)
        FROM (
            SELECT NULL AS name, NULL AS host, NULL::integer AS port, NULL AS dbname
            UNION ALL SELECT name, host, port, dbname FROM sync.database
        ) AS d
        ORDER BY d.name NULLS FIRST
        """

    /// Parses the rows that the command `reading` returned.
    package init(_ rows: Rows) {
        var (databases, indices) = ([Entry](), [Int?](repeating: nil, count: Bucket.count))
        var placed: [ID: Int?] = [:]
        for row in 0..<rows.count {
            let name = rows.stringIfPresent(row, 0)
            let index = name == nil ? nil : databases.count
            for text in rows.string(row, 5).split(separator: ",") {
                if let space = ID(String(text)) { placed.updateValue(index, forKey: space) }
            }
            guard let name else { continue }
            for number in rows.intsIfPresent(row, 4) ?? [] where indices.indices.contains(Int(number)) {
                indices[Int(number)] = index
            }
            databases.append(
                Entry(
                    name: name, host: rows.stringIfPresent(row, 1),
                    port: rows.intIfPresent(row, 2).map { Int($0) }, database: rows.stringIfPresent(row, 3)))
        }
        self.init(databases: databases, indices: indices, placed: placed)
    }
}
