import WireFormats

/// A lookup of the push from which each record of a space got its sequence number.
///
/// Two databases are compared by these pushes. Their sequence numbers cannot be compared, because a migration may have
/// used some numbers in one of them.
struct SpaceNumbers {
    /// The identity of a record in all versions: its table and its id.
    struct Key: Hashable {
        let table: String
        let id: String
    }

    /// The tables whose records a migration sends to devices again.
    private let republished: Set<String>
    /// The head of the space (the number of its latest change) after each push.
    private var heads: [Int64] = []
    /// The head of the space (the number of its latest change) before the migrations (`from`) and after them
    /// (`through`).
    private var migrated: (from: Int64, through: Int64) = (0, 0)
    /// The sequence number that each record had before the migrations.
    private var earlier: [Key: Int64] = [:]

    /// Makes the lookup for a space without any pushes.
    ///
    /// - Parameter republished: the tables whose records a later migration sends to devices again.
    init(republished: Set<String>) {
        self.republished = republished
    }

    mutating func push(endedWith head: Int64) {
        heads.append(head)
    }

    /// Records that the database was migrated.
    ///
    /// - Parameters:
    ///   - head: the number of the space's latest change after the migrations.
    ///   - earlier: the records that a reader of each version received before the migrations.
    mutating func migrations(endedWith head: Int64, after earlier: [SpaceReading]) {
        migrated = (heads.last ?? 0, head)
        for reading in earlier { self.earlier.merge(reading.numbers) { max($0, $1) } }
    }

    /// Returns a text that identifies the push from which a record got its sequence number. If a migration sent the
    /// record again, it is the last push of the record before the migration.
    ///
    /// The number itself is not compared, because one deletion may delete several records, and their numbers then
    /// depend on the positions of their rows in the tables.
    func origin(of number: Int64, for record: Key) -> String {
        guard number > migrated.from, number <= migrated.through else { return position(of: number) }
        guard republished.contains(record.table), let earlier = earlier[record] else { return "a migration" }
        return position(of: earlier)
    }

    private func position(of number: Int64) -> String { "\(heads.count { $0 < number })" }
}
