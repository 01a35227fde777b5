package import Postgres

/// The map that says which database serves which bucket of spaces. The directory, the database that a server is started
/// with, stores it.
package struct BucketMap: Hashable, Sendable {
    /// A database beside the directory: its name in the map, and its address.
    package struct Entry: Hashable, Sendable {
        package let name: String
        /// The host of the database; `nil` for the directory's. So it is with `port` and `database`.
        package let host: String?
        package let port: Int?
        /// The name of the database on its host.
        package let database: String?
    }

    /// The databases beside the directory, in the order of their names.
    package let databases: [Entry]
    /// For each bucket, by its number: the database that serves it, as an index in `databases`; `nil` for the
    /// directory.
    private let indices: [Int?]

    /// A map by which the directory serves all spaces.
    package static let directoryOnly = BucketMap(databases: [], indices: Array(repeating: nil, count: Bucket.count))

    private init(databases: [Entry], indices: [Int?]) {
        (self.databases, self.indices) = (databases, indices)
    }

    /// Returns the database that serves a bucket, as an index in `databases`; `nil` for the directory.
    package func index(of bucket: Bucket) -> Int? { indices[bucket.number] }

    /// Reads the map: a row for each database, `(name, host, port, dbname, buckets)`. `buckets` is an array of the
    /// numbers of the buckets that the database serves. Runs outside of any space, in the directory.
    package static let reading: Command = """
        SELECT name, host, port, dbname, ARRAY(SELECT number FROM sync.bucket WHERE database = name)
        FROM sync.database ORDER BY name
        """

    /// Parses the rows that the command `reading` returned.
    package init(_ rows: Rows) {
        var (databases, indices) = ([Entry](), [Int?](repeating: nil, count: Bucket.count))
        for row in 0..<rows.count {
            for number in rows.intsIfPresent(row, 4) ?? [] where indices.indices.contains(Int(number)) {
                indices[Int(number)] = databases.count
            }
            databases.append(
                Entry(
                    name: rows.string(row, 0), host: rows.stringIfPresent(row, 1),
                    port: rows.intIfPresent(row, 2).map { Int($0) }, database: rows.stringIfPresent(row, 3)))
        }
        self.init(databases: databases, indices: indices)
    }
}
