package import WireFormats

/// A bucket of spaces: the unit in which spaces are distributed over several databases. A space's id determines its
/// bucket, so the spaces of all apps spread evenly.
package struct Bucket: Hashable, Sendable {
    /// The bucket's number, from 0 to `count - 1`.
    package let number: Int

    /// The number of buckets, 256. It cannot change later, because it determines the bucket of each space. A database
    /// should have several buckets, so that the load can be balanced; 256 are enough for some tens of databases.
    package static let count = 256

    /// All buckets, by their numbers.
    package static let all = (0..<count).map(Bucket.init(unchecked:))

    /// Returns the bucket of a space, as PostgreSQL's `uuid_hash(space_id) & 255` computes it.
    package init(of space: ID) {
        number = Int(space.postgresHash & UInt32(Bucket.count - 1))
    }

    private init(unchecked number: Int) {
        self.number = number
    }
}
