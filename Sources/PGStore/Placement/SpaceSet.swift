package import WireFormats

/// The spaces that move together from one database to another: those of some buckets, or a single one.
package enum SpaceSet: Hashable, Sendable {
    /// Not empty, in the order of their numbers. None of the buckets has a space that moved without it.
    case buckets([Bucket])
    /// A space that moves without its bucket, because it is very large.
    case space(ID)

    /// The most spaces of an installation that may be in another database than their bucket. Every request reads the
    /// ids of those that concern its database.
    package static let placedMax = 100

    /// Returns SQL for a condition: the space whose id is in a column is one of these. A publication's row filter may
    /// have it.
    func contains(_ column: String) -> String {
        switch self {
        case .buckets(let buckets):
            let numbers = buckets.map { "\($0.number)" }.joined(separator: ", ")
            return "(uuid_hash(\(column)) & \(Bucket.count - 1)) IN (\(numbers))"
        case .space(let space): return "\(column) = '\(space)'"
        }
    }

    /// SQL for a condition on the row of `sync.server`: the database serves none of these spaces.
    var isNotServed: String {
        switch self {
        case .buckets(let buckets): buckets.map { "get_bit(buckets, \($0.number)) = 0" }.joined(separator: " AND ")
        case .space(let space):
            "(get_bit(buckets, \(Bucket(of: space).number)) = 1) = ('\(space)' = ANY (exceptions))"
        }
    }

    /// The spaces in words, for a person: `buckets 3, 7–9`.
    package var text: String {
        switch self {
        case .buckets(let buckets): "bucket\(buckets.count == 1 ? "" : "s") \(buckets.text)"
        case .space(let space): "space \(space)"
        }
    }
}
