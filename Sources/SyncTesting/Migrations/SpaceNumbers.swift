import WireFormats

/// The pushes from which the records of a space have their sequence numbers. The numbers themselves differ between two
/// databases if migrations have used some in one of them.
struct SpaceNumbers {
    /// The key of a record, independent of the version.
    struct Key: Hashable {
        let table: String
        let id: String
    }

    /// The tables of the entities that migrations send again.
    private let republished: Set<String>
    /// The space's head (the number of its latest change) after each push.
    private var heads: [Int64] = []
    /// The space's head before the migrations and after them.
    private var migrated: (from: Int64, through: Int64) = (0, 0)
    /// The sequence number of each record before the migrations.
    private var earlier: [Key: Int64] = [:]

    /// Begins without any push.
    ///
    /// - Parameter republished: the tables of the entities that the coming migrations send again.
    init(republished: Set<String>) {
        self.republished = republished
    }

    mutating func push(endedWith head: Int64) {
        heads.append(head)
    }

    /// Records that the migrations were applied.
    ///
    /// - Parameter earlier: the records that readers of every version received before.
    mutating func migrations(endedWith head: Int64, after earlier: [SpaceReading]) {
        migrated = (heads.last ?? 0, head)
        for reading in earlier { self.earlier.merge(reading.numbers) { max($0, $1) } }
    }

    /// Returns a text that names the push from which a record has `number`. If a migration declares that it sends the
    /// record again, it is the push of the record's earlier number.
    ///
    /// When one deletion deletes several records, the order of their numbers depends on their positions in the table.
    /// So pushes are compared instead of numbers.
    func origin(of number: Int64, for record: Key) -> String {
        guard number > migrated.from, number <= migrated.through else { return position(of: number) }
        guard republished.contains(record.table), let earlier = earlier[record] else { return "a migration" }
        return position(of: earlier)
    }

    private func position(of number: Int64) -> String { "\(heads.count { $0 < number })" }
}
