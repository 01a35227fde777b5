import Postgres
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

    /// Creates the bucket with a number; `nil` if there is no such bucket.
    package init?(number: Int64) {
        guard (0..<Int64(Bucket.count)).contains(number) else { return nil }
        self.number = Int(number)
    }

    private init(unchecked number: Int) {
        self.number = number
    }
}

extension [Bucket] {
    /// The numbers of the buckets, for a person: `3, 7–9`.
    package var text: String {
        var parts: [ClosedRange<Int>] = []
        for number in map(\.number).sorted() {
            if let last = parts.last, last.upperBound == number - 1 {
                parts[parts.count - 1] = last.lowerBound...number
            } else {
                parts.append(number...number)
            }
        }
        return parts.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)–\($0.upperBound)" }
            .joined(separator: ", ")
    }

    var numbers: Parameter { .ints(map { Int64($0.number) }) }
}
