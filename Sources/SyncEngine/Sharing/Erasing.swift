import PGStore
import PlantedBugs
package import Postgres
package import WireFormats

/// Erases spaces, and all data that is kept of a subject.
///
/// A space is closed first, in a short transaction. Then its rows are removed in small transactions, so that no request
/// waits for long. An interrupted erasure is continued by the next request for it, or by the next collection.
package struct Erasing: Sendable {
    private let transactions: SpaceTransactions
    private let sharing: SpaceSharing
    private let spaces: Spaces
    private let members: Members
    private let invitations: Invitations
    private let erasures: Erasures

    /// The most rows that one transaction removes, which takes some tens of milliseconds.
    static let rowsMax = 5_000
    /// The time after which an unfinished erasure counts as interrupted, one hour. To erase a million rows takes a
    /// minute or two.
    static let erasureMax = Duration.seconds(3600)
    /// The time for which the database keeps the mark of an erased account, and the mark of an erased space that only
    /// its members could reach: 30 days. By then every device has lost the data that it may no longer read, and every
    /// token of an identity provider has expired.
    static let markedFor = Duration.seconds(30 * 24 * 3600)
    /// The most times that an erasure goes through all spaces of an account. It starts over if the subject joined
    /// another space meanwhile.
    private static let roundsMax = 5

    package init(app: String, databases: Databases) {
        transactions = SpaceTransactions(pool: databases.directory)
        sharing = SpaceSharing(app: app, databases: databases)
        spaces = Spaces(app: app)
        members = Members(app: app)
        invitations = Invitations(app: app)
        erasures = Erasures(app: app)
    }

    /// The numbers of rows that an erasure removed, by table. The tables are in the order in which the erasure came to
    /// them.
    package struct Receipt: Sendable, Equatable {
        package private(set) var rows: [(table: String, count: Int)] = []
        /// The spaces that are erased completely.
        package private(set) var spaces: [ID] = []

        package init() {}

        package var count: Int { rows.reduce(0) { $0 + $1.count } }

        /// Adds the result of one statement.
        ///
        /// - Parameter found: one row for each table: its name, and the count of rows that were removed from it.
        /// - Returns: the count of tables.
        @discardableResult
        package mutating func add(_ found: Rows) -> Int {
            for row in 0..<found.count { add(found.string(row, 0), Int(found.int(row, 1))) }
            return found.count
        }

        mutating func add(_ table: String, _ count: Int) {
            if let index = rows.firstIndex(where: { $0.table == table }) {
                rows[index].count += count
            } else {
                rows.append((table, count))
            }
        }

        mutating func add(_ space: ID) { spaces.append(space) }

        package static func == (one: Receipt, other: Receipt) -> Bool {
            one.spaces == other.spaces && one.rows.elementsEqual(other.rows, by: ==)
        }
    }

    /// Returns the time at which the erasure of a space began. Returns `nil` if the space was not erased, or if the
    /// mark of its erasure was removed since.
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
    ///   - owner: the caller, who must be an owner.
    ///   - progress: receives the count of rows removed so far.
    /// - Throws: `SharingError.notAMember` or `takesARole`, if the caller is not an owner; then nothing is removed.
    ///   `PGError`: rows that were removed by then stay removed, and the space stays closed.
    package func erase(
        _ space: ID, by owner: Subject, into receipt: inout Receipt, progress: @Sendable (Int) -> Void = { _ in }
    ) async throws {
        let closed = try await sharing.changing(space, .owner, by: owner) { [spaces, erasures] _, session in
            try close(space, by: owner, spaces, erasures, session)
        }
        for rows in closed { receipt.add(rows) }
        try await remove(space, into: &receipt, progress: progress)
    }

    /// Erases a space as an operator, or continues its erasure.
    ///
    /// - Parameter progress: receives the count of rows removed so far.
    /// - Throws: `PGError`; rows that were removed by then stay removed, and the space is closed.
    package func erase(
        _ space: ID, into receipt: inout Receipt, progress: @Sendable (Int) -> Void = { _ in }
    ) async throws {
        let closed = try await transactions.run(in: space) { [members, spaces, erasures] session in
            try session.execute(Spaces.keepingHere)
            try session.execute(members.locking(space))
            return try close(space, by: nil, spaces, erasures, session)
        }
        for rows in closed { receipt.add(rows) }
        try await remove(space, into: &receipt, progress: progress)
    }

    /// Removes all rows of a closed space from the database that serves it. In the directory, the space has only
    /// members and invitations, which were removed when it was closed.
    private func remove(
        _ space: ID, into receipt: inout Receipt, progress: @Sendable (Int) -> Void
    ) async throws {
        let notices = sharing.notices
        try await notices.inDatabase(of: space) { [erasures] session in
            _ = try session.execute(erasures.shutting(space))
        }
        let removing = erasures.removing(Erasing.rowsMax, of: space)
        while true {
            let removed = try await notices.inDatabase(of: space) { session in try session.execute(removing) }
            if receipt.add(removed) == 0 { break }
            progress(receipt.count)
        }
        try await notices.inDatabase(of: space) { [erasures] session in
            _ = try session.execute(erasures.emptying(space))
        }
        try await transactions.run(in: space) { [erasures] session in
            _ = try session.pipeline(erasures.completing(space))
        }
        receipt.add(space)
    }

    /// Erases the data of the actor's subject: the spaces of which it is the only member, its memberships in others,
    /// the invitations that it made, its tokens.
    ///
    /// - Throws: as `erase(subject:)`.
    package func erase(accountOf actor: Actor) async throws -> Receipt {
        try await erase(actor.subject, token: actor.token, issued: actor.issued)
    }

    /// Erases the data of a subject for an operator. The subject's tokens stay, because only the owner of the tables
    /// can remove them (`IssuedToken.forget`).
    ///
    /// - Throws: `SharingError.sharedSpaces`, if the subject is the only owner of a space with other members. Nothing
    ///   is removed then, unless others joined or left during the erasure. `SyncError.busy`, if the subject joins
    ///   spaces as fast as it is removed from them. `PGError`.
    package func erase(subject: Subject, progress: @Sendable (Int) -> Void = { _ in }) async throws -> Receipt {
        try await erase(subject, token: nil, issued: nil, progress: progress)
    }

    /// Erases the data of a subject, one space after the other. The list of spaces is read without locks. So the state
    /// of each space is checked again under its lock.
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
            for membership in try await sharing.spaces(of: subject) {
                let space = membership.space
                switch try await leaveIfThere(membership, subject) {
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

    /// The outcome for a space when one of its members leaves for good.
    private enum Leaving: Sendable {
        case notMember
        /// The space has other members, and would be without an owner.
        case lastOwner
        /// The member has left the space. Contains the counts of removed rows: each row has the name of a table and a
        /// count.
        case left([Rows])
        /// The space had no other member, so it is closed. Contains the counts of removed rows: each row has the name
        /// of a table and a count.
        case closed([Rows])
    }

    /// Removes the subject from a space, or closes the space if the subject is its owner and its only member. The space
    /// may be gone: another owner may have erased it since it was listed.
    private func leaveIfThere(_ membership: Members.JoinedRow, _ subject: Subject) async throws -> Leaving {
        do { return try await leave(membership, subject) } catch SharingError.erased { return .notMember }
    }

    private func leave(_ membership: Members.JoinedRow, _ subject: Subject) async throws -> Leaving {
        let space = membership.space
        return try await sharing.changing(space, .reader, by: nil) {
            [members, invitations, spaces, erasures] present, session in
            if PlantedBug.leavesAsListed.isPlanted {
                if membership.members == 1 { return .closed(try close(space, by: subject, spaces, erasures, session)) }
                return .left(try session.pipeline([members.leaving(subject, space)]))
            }
            guard let own = present.first(where: { $0.subject == subject }) else { return .notMember }
            let isOwner = own.role == SpaceRole.owner.rawValue
            if present.count == 1, isOwner {
                return .closed(try close(space, by: subject, spaces, erasures, session))
            }
            if !present.haveAnotherOwner(than: subject) { return .lastOwner }
            return .left(
                try session.pipeline([
                    invitations.withdrawing(madeBy: subject, to: space), members.leaving(subject, space),
                ]))
        }
    }

    /// Removes the database's marks of accounts and spaces whose erasure ended more than `markedFor` ago.
    ///
    /// - Parameter now: the current time by the database's clock, which another clock must have confirmed.
    /// - Throws: `PGError`.
    package func forgetErasures(at now: Timestamp, on session: Session) async throws {
        let command = erasures.forgetting(
            endedBefore: now.adding(.zero - Erasing.markedFor), rowsMax: Erasing.rowsMax)
        while try await session.execute(command).number >= Erasing.rowsMax {}
    }

    /// Completes interrupted erasures.
    ///
    /// - Parameter now: the current time by the database's clock. An erasure that began less than `erasureMax` ago is
    ///   left alone, because it may be under way.
    /// - Throws: `PGError`.
    package func completeErasures(at now: Timestamp) async throws -> Receipt {
        let rows = try await transactions.ask(erasures.listing(begunBefore: now.adding(.zero - Erasing.erasureMax)))
        var receipt = Receipt()
        for row in 0..<rows.count { try await erase(rows.id(row, 0), into: &receipt) }
        return receipt
    }
}

/// Closes a space in the directory; if the directory serves the space, shuts it as well.
///
/// - Returns: the counts of rows that were removed with the space: each row has the name of a table and a count.
private func close(
    _ space: ID, by subject: Subject?, _ spaces: Spaces, _ erasures: Erasures, _ session: isolated Session
) throws(PGError) -> [Rows] {
    if SpaceState(try session.execute(spaces.readingHead(space))).isHere {
        try session.execute(erasures.shutting(space))
    }
    return Array(try session.pipeline(erasures.closing(space, by: subject)).dropFirst())
}
