import WireFormats

/// The pushes that gave the records of a space their sequence numbers. Two databases are compared by these pushes,
/// because the numbers themselves differ if migrations have used some in one database.
struct SpaceNumbers {
    /// The identity of a record in all versions: its table and its id.
    struct Key: Hashable {
        let table: String
        let id: String
    }

    /// The tables of the entities whose records a migration sends again.
    private let republished: Set<String>
    /// The head of the space (the number of its latest change) after each push.
    private var heads: [Int64] = []
    /// The head of the space (the number of its latest change) before the migrations and after them.
    private var migrated: (from: Int64, through: Int64) = (0, 0)
    /// For each record, its sequence number before the migrations.
    private var earlier: [Key: Int64] = [:]

    /// Makes the numbers of a space before any push.
    ///
    /// - Parameter republished: the tables of the entities whose records the coming migrations send again.
    init(republished: Set<String>) {
        self.republished = republished
    }

    mutating func push(endedWith head: Int64) {
        heads.append(head)
    }

    /// Records that migrations were applied.
    ///
    /// - Parameters:
    ///   - head: the number of the space's latest change after the migrations.
    ///   - earlier: the records that a reader of each version received before the migrations.
    mutating func migrations(endedWith head: Int64, after earlier: [SpaceReading]) {
        migrated = (heads.last ?? 0, head)
        for reading in earlier { self.earlier.merge(reading.numbers) { max($0, $1) } }
    }

    /// Returns a text that identifies the push that gave a record its sequence number. If a migration declares that it
    /// sends the record again, the push is that of the record's number before the migration.
    ///
    /// Pushes are compared instead of numbers, because one deletion may delete several records. The order of these
    /// records' numbers depends on their positions in the tables.
    func origin(of number: Int64, for record: Key) -> String {
        guard number > migrated.from, number <= migrated.through else { return position(of: number) }
        guard republished.contains(record.table), let earlier = earlier[record] else { return "a migration" }
        return position(of: earlier)
    }

    private func position(of number: Int64) -> String { "\(heads.count { $0 < number })" }
}
