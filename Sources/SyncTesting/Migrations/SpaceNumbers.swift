import WireFormats

/// Which pushes the records of a space got their numbers by: the numbers themselves are others where migrations gave
/// some in between.
struct SpaceNumbers {
    /// One record, by what it is in each version.
    struct Key: Hashable {
        let table: String
        let id: String
    }

    /// Of the entities that migrations send again.
    private let republished: Set<String>
    /// The space's head after each push.
    private var heads: [Int64] = []
    /// The heads before and after the migrations.
    private var migrated: (from: Int64, through: Int64) = (0, 0)
    /// The number of each record before the migrations.
    private var earlier: [Key: Int64] = [:]

    /// - Parameter republished: the tables of the entities that the migrations to come send again.
    init(republished: Set<String>) {
        self.republished = republished
    }

    mutating func push(endedWith head: Int64) {
        heads.append(head)
    }

    /// - Parameter earlier: what readers of every version were told before.
    mutating func migrations(endedWith head: Int64, after earlier: [SpaceReading]) {
        migrated = (heads.last ?? 0, head)
        for reading in earlier { self.earlier.merge(reading.numbers) { max($0, $1) } }
    }

    /// The place of the push that a record got `number` by, or, where a migration said that it sends the record again,
    /// the one before.
    ///
    /// Which of those that fall with another comes first depends on where they lie in the table, so the number itself
    /// may differ.
    func origin(of number: Int64, for record: Key) -> String {
        guard number > migrated.from, number <= migrated.through else { return place(of: number) }
        guard republished.contains(record.table), let earlier = earlier[record] else { return "a migration" }
        return place(of: earlier)
    }

    private func place(of number: Int64) -> String { "\(heads.count { $0 < number })" }
}
