package import PGStore
package import WireFormats

/// Erases spaces, and what is kept of a subject.
///
/// A space is closed first, in a short transaction. Then its rows go in small ones, so that nobody waits for long and
/// PostgreSQL has room. Interrupted, it is gone on with by whoever asks for it again, or by the next collection.
package struct Erasing: Sendable {
    private let transactions: SpaceTransactions
    private let sharing: SpaceSharing
    private let members: Members
    private let erasures: Erasures

    /// The most rows that one transaction removes: some tens of milliseconds.
    static let rowsMax = 5_000
    /// After which an erasure that has not ended counts as interrupted. One of a million rows takes a minute or two.
    static let erasureMax = Duration.seconds(3600)

    package init(app: String, pool: Pool) {
        transactions = SpaceTransactions(pool: pool)
        sharing = SpaceSharing(app: app, pool: pool)
        members = Members(app: app)
        erasures = Erasures(app: app)
    }

    /// What went: rows by table, in the order in which the tables were first met.
    package struct Receipt: Sendable, Equatable {
        package private(set) var rows: [(table: String, count: Int)] = []
        /// The spaces of which nothing is left.
        package private(set) var spaces: [ID] = []

        package init() {}

        package var count: Int { rows.reduce(0) { $0 + $1.count } }

        /// - Returns: how many rows that were.
        @discardableResult
        mutating func add(_ found: Rows) -> Int {
            for row in 0..<found.count { add(found.string(row, 0), Int(found.int(row, 1))) }
            return found.count
        }

        mutating func add(_ table: String, _ count: Int) {
            if let place = rows.firstIndex(where: { $0.table == table }) {
                rows[place].count += count
            } else {
                rows.append((table, count))
            }
        }

        mutating func add(_ space: ID) { spaces.append(space) }

        package static func == (one: Receipt, other: Receipt) -> Bool {
            one.spaces == other.spaces && one.rows.elementsEqual(other.rows, by: ==)
        }
    }

    /// Erases a space.
    ///
    /// - Parameter progress: told how many rows have gone.
    /// - Throws: `PGError`; what has gone by then has gone, and the space is closed.
    package func erase(
        _ space: ID, into receipt: inout Receipt, progress: @Sendable (Int) -> Void = { _ in }
    ) async throws {
        try await transactions.run(in: space) { [members, erasures] session in
            _ = try session.pipeline([members.locking(space)] + erasures.closing(space))
        }
        while true {
            let removed = try await transactions.run(in: space) { [erasures] session in
                try session.execute(erasures.removing(Erasing.rowsMax, of: space))
            }
            if receipt.add(removed) == 0 { break }
            progress(receipt.count)
        }
        try await transactions.run(in: space) { [erasures] session in
            _ = try session.pipeline(erasures.completing(space))
        }
        receipt.add(space)
    }

    /// Erases what is kept of a subject: the spaces that it is alone in, its place in others, the invitations that it
    /// made, its tokens.
    ///
    /// - Throws: `SharingError.sharedSpaces`, before anything goes; `PGError`.
    package func erase(subject: String, progress: @Sendable (Int) -> Void = { _ in }) async throws -> Receipt {
        let joined = try await sharing.spaces(of: subject)
        let kept = joined.filter { $0.role == SpaceRole.owner.rawValue && $0.owners == 1 && $0.members > 1 }
        guard kept.isEmpty else { throw SharingError.sharedSpaces(kept.map(\.space)) }
        var receipt = Receipt()
        for space in joined where space.members == 1 && space.role == SpaceRole.owner.rawValue {
            try await erase(space.space, into: &receipt, progress: progress)
        }
        receipt.add(try await transactions.ask(members.forgetting(subject)))
        return receipt
    }

    /// Completes what was interrupted.
    ///
    /// - Parameter now: by the database's clock. What was begun within `erasureMax` before may be under way.
    /// - Throws: `PGError`.
    package func completeErasures(at now: Timestamp) async throws -> Receipt {
        let rows = try await transactions.ask(erasures.listing(begunBefore: now.adding(.zero - Erasing.erasureMax)))
        var receipt = Receipt()
        for row in 0..<rows.count { try await erase(rows.id(row, 0), into: &receipt) }
        return receipt
    }
}
