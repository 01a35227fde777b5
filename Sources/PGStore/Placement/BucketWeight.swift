package import Postgres

/// The number and the size of the spaces in one bucket.
package struct BucketWeight: Hashable, Sendable {
    package let spaces: Int64
    /// The size of the values of the living records, in bytes, as far as it was counted.
    package let bytes: Int64

    /// Reads the weight of each bucket that has spaces. The session must see all spaces, as the tables' owner does.
    package static let reading: Command = """
        SELECT (uuid_hash(space_id) & 255)::bigint, count(*),
            least(coalesce(sum(least(greatest(bytes, 0), 1::bigint << 50)), 0), 1::bigint << 60)::bigint
        FROM sync.space GROUP BY 1
        """

    /// Parses the weights that the command `reading` returned.
    package static func all(_ rows: Rows) -> [Bucket: BucketWeight] {
        var weights: [Bucket: BucketWeight] = [:]
        for row in 0..<rows.count {
            guard let bucket = Bucket(number: rows.int(row, 0)) else { continue }
            weights[bucket] = BucketWeight(spaces: rows.int(row, 1), bytes: rows.int(row, 2))
        }
        return weights
    }
}
