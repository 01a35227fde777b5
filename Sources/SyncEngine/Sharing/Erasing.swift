import PGStore
import PlantedBugs
package import Postgres
package import WireFormats

/// Erases spaces, and what is kept of a subject.
///
/// A space is closed first, in a short transaction. Then its rows go in small ones, so that nobody waits for long and
/// PostgreSQL has room. Interrupted, it is gone on with by whoever asks for it again, or by the next collection.
package struct Erasing: Sendable {
    private let transactions: SpaceTransactions
    private let sharing: SpaceSharing
    private let members: Members
    private let invitations: Invitations
    private let erasures: Erasures

    /// The most rows that one transaction removes: some tens of milliseconds.
    static let rowsMax = 5_000
    /// After which an erasure that has not ended counts as interrupted. One of a million rows takes a minute or two.
    static let erasureMax = Duration.seconds(3600)
    /// How long it is kept that there was a space, which only members could reach, and that an account was erased: no
    /// device has what it once could for longer, and no provider's token is good for so long.
    static let markedFor = Duration.seconds(30 * 24 * 3600)
    /// How often an account is gone through again because its subject joined a space meanwhile.
    private static let roundsMax = 5

    package init(app: String, pool: Pool) {
        transactions = SpaceTransactions(pool: pool)
        sharing = SpaceSharing(app: app, pool: pool)
        members = Members(app: app)
        invitations = Invitations(app: app)
        erasures = Erasures(app: app)
    }

    /// What went: rows by table, in the order in which the tables were first met.
    package struct Receipt: Sendable, Equatable {
        package private(set) var rows: [(table: String, count: Int)] = []
        /// The spaces of which nothing is left.
        package private(set) var spaces: [ID] = []

        package init() {}

        package var count: Int { rows.reduce(0) { $0 + $1.count } }

        /// Adds what a statement said of tables.
        ///
        /// - Parameter found: `(table, rows)` for each.
        /// - Returns: how many tables that were.
        @discardableResult
        package mutating func add(_ found: Rows) -> Int {
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

    /// When a space was erased; `nil` where it was not, or where that is forgotten.
    ///
    /// - Throws: `PGError`.
    package func begun(_ space: ID) async throws -> Timestamp? {
        let rows = try await transactions.run(in: space) { [erasures] session in
            try session.execute(erasures.reading(space))
        }
        return rows.count == 0 ? nil : rows.timestamp(0, 0)
    }

    /// Erases a space.
    ///
    /// - Parameters:
    ///   - owner: who asks, an owner.
    ///   - progress: told how many rows have gone.
    /// - Throws: `SharingError.notAMember`, `takesARole`, before anything goes; `PGError`: what has gone by then has
    ///   gone, and the space is closed.
    package func erase(
        _ space: ID, by owner: Subject, into receipt: inout Receipt, progress: @Sendable (Int) -> Void = { _ in }
    ) async throws {
        let closed = try await sharing.changing(space, .owner, by: owner) { [erasures] _, session in
            try close(space, by: owner, erasures, session)
        }
        for rows in closed { receipt.add(rows) }
        try await remove(space, into: &receipt, progress: progress)
    }

    /// Erases a space as an operator, or goes on with it.
    ///
    /// - Parameter progress: told how many rows have gone.
    /// - Throws: `PGError`; what has gone by then has gone, and the space is closed.
    package func erase(
        _ space: ID, into receipt: inout Receipt, progress: @Sendable (Int) -> Void = { _ in }
    ) async throws {
        let closed = try await transactions.run(in: space) { [members, erasures] session in
            try session.execute(members.locking(space))
            return try close(space, by: nil, erasures, session)
        }
        for rows in closed { receipt.add(rows) }
        try await remove(space, into: &receipt, progress: progress)
    }

    /// Removes what a closed space has.
    private func remove(
        _ space: ID, into receipt: inout Receipt, progress: @Sendable (Int) -> Void
    ) async throws {
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

    /// Erases what is kept of the actor's subject: the spaces that it is alone in, its place in others, the invitations
    /// that it made, its tokens.
    ///
    /// - Throws: as `erase(subject:)`.
    package func erase(accountOf actor: Actor) async throws -> Receipt {
        try await erase(actor.subject, token: actor.token, issued: actor.issued)
    }

    /// The same for an operator, without the subject's tokens: these are the tables' owner's to end
    /// (`IssuedToken.forget`).
    ///
    /// - Throws: `SharingError.sharedSpaces`, before anything goes, or where others joined or left meanwhile;
    ///   `SyncError.busy`, where the subject joins spaces as fast as it is taken out; `PGError`.
    package func erase(subject: Subject, progress: @Sendable (Int) -> Void = { _ in }) async throws -> Receipt {
        try await erase(subject, token: nil, issued: nil, progress: progress)
    }

    /// What is seen of a space before its lock is held is looked at again under it, space by space.
    private func erase(
        _ subject: Subject, token: [UInt8]?, issued: Timestamp?, progress: @Sendable (Int) -> Void = { _ in }
    ) async throws -> Receipt {
        let kept = try await sharing.spaces(of: subject).filter {
            $0.role == SpaceRole.owner.rawValue && $0.owners == 1 && $0.members > 1
        }
        guard kept.isEmpty else { throw SharingError.sharedSpaces(kept.map(\.space)) }
        var receipt = Receipt()
        for _ in 0..<Erasing.roundsMax {
            var shared: [ID] = []
            for place in try await sharing.spaces(of: subject) {
                let space = place.space
                switch try await leaveIfThere(place, subject) {
                case .notMember: break
                case .lastOwner: shared.append(space)
                case .left(let rows):
                    for rows in rows { receipt.add(rows) }
                case .closed(let rows):
                    for rows in rows { receipt.add(rows) }
                    try await remove(space, into: &receipt, progress: progress)
                }
            }
            guard shared.isEmpty else { throw SharingError.sharedSpaces(shared) }
            let forgotten = try await transactions.runOutside { [members] session -> Rows? in
                let rows = try session.pipeline([members.locking(subject), members.listingSpaces(of: subject)])
                let forgetting = members.forgetting(subject, token: token, issued: issued)
                return rows[1].count > 0 ? nil : try session.execute(forgetting)
            }
            if let forgotten {
                receipt.add(forgotten)
                return receipt
            }
        }
        throw SyncError.busy
    }

    /// What becomes of a space when one of its members goes for good.
    private enum Leaving: Sendable {
        case notMember
        /// Others are in it, and would be without an owner.
        case lastOwner
        /// `(table, rows)` of what went.
        case left([Rows])
        /// Nobody else was in it, so it is closed.
        case closed([Rows])
    }

    /// Another owner may have erased the space since it was listed.
    private func leaveIfThere(_ place: Members.JoinedRow, _ subject: Subject) async throws -> Leaving {
        do { return try await leave(place, subject) } catch SharingError.erased { return .notMember }
    }

    private func leave(_ place: Members.JoinedRow, _ subject: Subject) async throws -> Leaving {
        let space = place.space
        return try await sharing.changing(space, .reader, by: nil) {
            [members, invitations, erasures] present, session in
            if PlantedBug.leavesAsListed.isPlanted {
                if place.members == 1 { return .closed(try close(space, by: subject, erasures, session)) }
                return .left(try session.pipeline([members.leaving(subject, space)]))
            }
            guard let own = present.first(where: { $0.subject == subject }) else { return .notMember }
            let isOwner = own.role == SpaceRole.owner.rawValue
            if present.count == 1, isOwner { return .closed(try close(space, by: subject, erasures, session)) }
            if !present.haveAnotherOwner(than: subject) { return .lastOwner }
            return .left(
                try session.pipeline([
                    invitations.withdrawing(madeBy: subject, to: space), members.leaving(subject, space),
                ]))
        }
    }

    /// Removes marks of what was erased long ago.
    ///
    /// - Parameter now: by the database's clock, which another must have confirmed.
    /// - Throws: `PGError`.
    package func forgetErasures(at now: Timestamp, on session: Session) async throws {
        let command = erasures.forgetting(
            endedBefore: now.adding(.zero - Erasing.markedFor), rowsMax: Erasing.rowsMax)
        while try await session.execute(command).number >= Erasing.rowsMax {}
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

/// - Returns: `(table, rows)` of what went with it.
private func close(
    _ space: ID, by subject: Subject?, _ erasures: Erasures, _ session: isolated Session
) throws(PGError) -> [Rows] {
    Array(try session.pipeline(erasures.closing(space, by: subject)).dropFirst(Erasures.closingCount))
}
