package import Postgres
package import WireFormats

/// The statements on the row of `sync.server`, by which a database says which buckets it serves. Only the owner of the
/// tables may run those that change it.
package enum BucketMarks {
    /// The row of `sync.server`.
    package struct Row: Sendable {
        /// The database's name in the map; `nil` for a database that is the only one.
        package let name: String?
        package let epoch: ID
        /// The buckets that the database serves.
        package let served: Set<Bucket>
        /// The spaces that have moved without their bucket: those of `served` are elsewhere, others are here.
        package let exceptions: Set<ID>

        /// Returns true if the database serves a space.
        package func serves(_ space: ID) -> Bool { served.contains(Bucket(of: space)) != exceptions.contains(space) }

        /// Returns the first of these buckets that the database serves, or the bucket of the space if the database
        /// serves that; `nil` if it serves none.
        package func firstServed(of spaces: SpaceSet) -> Bucket? {
            switch spaces {
            case .buckets(let buckets): buckets.first { served.contains($0) }
            case .space(let space): serves(space) ? Bucket(of: space) : nil
            }
        }

        /// Returns the first of these buckets that the database does not serve, or the bucket of the space if the
        /// database does not serve that; `nil` if it serves all.
        package func firstNotServed(of spaces: SpaceSet) -> Bucket? {
            switch spaces {
            case .buckets(let buckets): buckets.first { !served.contains($0) }
            case .space(let space): serves(space) ? nil : Bucket(of: space)
            }
        }

        /// Parses the row that the command `reading` returned.
        package init(_ rows: Rows) {
            (name, epoch) = (rows.stringIfPresent(0, 0), rows.id(0, 1))
            served = Set((rows.intsIfPresent(0, 2) ?? []).compactMap { Bucket(number: $0) })
            exceptions = Set(rows.string(0, 3).split(separator: ",").compactMap { ID(String($0)) })
        }
    }

    /// Reads `Row`.
    package static let reading: Command = """
        SELECT name, epoch, ARRAY(
            SELECT number::bigint FROM generate_series(0, 255) AS number WHERE get_bit(buckets, number) = 1),
            array_to_string(exceptions, ',')
        FROM sync.server
        """

    /// Sets if the database serves these spaces. All others stay as they are.
    package static func setting(_ spaces: SpaceSet, isServed: Bool) -> Command {
        switch spaces {
        case .buckets(let buckets):
            return Command(
                isServed
                    ? "UPDATE sync.server SET buckets = buckets | $1::text::bit(256)"
                    : "UPDATE sync.server SET buckets = buckets & ~ $1::text::bit(256)", [bits(buckets)])
        case .space(let space):
            return Command(
                """
                UPDATE sync.server SET exceptions = array_remove(exceptions, $1) || CASE
                    WHEN (get_bit(buckets, uuid_hash($1) & 255) = 1) <> $2 THEN ARRAY[$1] ELSE '{}' END
                """, [.id(space), .bool(isServed)])
        }
    }

    /// Sets all that the database serves.
    package static func setting(_ served: [Bucket], exceptions: [ID] = []) -> Command {
        Command(
            "UPDATE sync.server SET buckets = $1::text::bit(256), exceptions = $2", [bits(served), .ids(exceptions)])
    }

    private static func bits(_ buckets: [Bucket]) -> Parameter {
        let set = Set(buckets)
        return .text(Bucket.all.map { set.contains($0) ? "1" : "0" }.joined())
    }

    /// Makes an empty database one of an installation. It serves no bucket yet.
    ///
    /// - Parameters:
    ///   - epoch: the directory's epoch, so that the cursors of spaces that move between the two stay valid.
    ///   - number: a number that no other database of the installation has, from 1. It is the upper part of the ids
    ///     that the database gives to held changes, so that they stay unique when spaces move.
    package static func joining(as name: String, epoch: ID, number: Int64) -> [Command] {
        [
            // A copy of another database would be recognised later, and then serve nothing.
            Spaces.recognizing,
            Command(
                "UPDATE sync.server SET name = $1, epoch = $2, buckets = 0::bit(256), exceptions = '{}'",
                [.text(name), .id(epoch)]),
            Command(
                "SELECT setval(pg_get_serial_sequence('sync.quarantine', 'id'), ($1::bigint << 40) + 1, false)",
                [.int(number)]),
        ]
    }

    /// Sets the name of the directory, which has other databases beside it from then on.
    package static let naming = Command(
        "UPDATE sync.server SET name = $1 WHERE name IS NULL", [.text(BucketMap.Entry.directoryName)])
}
