package import Postgres
package import WireFormats

/// A move of spaces from one database to another, as the directory records it.
package struct SpaceMove: Hashable, Sendable {
    /// A step of a move, in the order in which they are done. The recorded step is the one to do next.
    package enum Step: String, Sendable, CaseIterable {
        /// PostgreSQL copies the rows, and then applies what changes. The source serves the spaces.
        case copying
        /// The source stops serving the spaces. Once the target has all changes, both are compared.
        case switching
        /// The rows are equal, and PostgreSQL is told to replicate no more. No database serves the spaces.
        case closing
        /// The map names the target, which begins to serve the spaces.
        case opening
        /// The target serves the spaces. Their rows are deleted in the source.
        case cleaning
        case done
        /// The source serves the spaces, and the copy is deleted.
        case undone

        /// True if the move can be undone. Later, the target serves the spaces, and may have changes that the source
        /// lacks.
        package var mayBeUndone: Bool {
            switch self {
            case .copying, .switching, .closing: true
            case .opening, .cleaning, .done, .undone: false
            }
        }
    }

    package let id: Int64
    package let spaces: SpaceSet
    /// The name of the database from which the spaces move. It and `target` may be `BucketMap.Entry.directoryName`.
    package let source: String
    package let target: String
    package let step: Step
    package let beganAt: Timestamp

    /// True if the move can be undone.
    package var mayBeUndone: Bool { step.mayBeUndone }

    /// Reads the move that has not ended. All commands on moves run in the directory, as its owner. The command returns
    /// no row if there is none.
    package static let readingUnfinished: Command = """
        SELECT id, buckets, source, target, step, began_at, single FROM sync.move WHERE ended_at IS NULL
        """

    /// Records a new move, and returns it as `readingUnfinished` does.
    package static func beginning(_ spaces: SpaceSet, from source: String, to target: String) -> Command {
        let names: [Parameter] = [.text(source), .text(target)]
        switch spaces {
        case .buckets(let buckets): return Command(beginningOfBuckets, [buckets.numbers] + names)
        case .space(let space): return Command(beginningOfSpace, [.id(space)] + names)
        }
    }

    private static let beginningOfBuckets: Statement = """
        INSERT INTO sync.move (buckets, source, target) VALUES ($1, $2, $3)
        RETURNING id, buckets, source, target, step, began_at, single
        """
    private static let beginningOfSpace: Statement = """
        INSERT INTO sync.move (single, source, target) VALUES ($1, $2, $3)
        RETURNING id, buckets, source, target, step, began_at, single
        """

    /// Records the next step.
    package func advancing(to step: Step) -> Command {
        Command(
            """
            UPDATE sync.move SET step = $2, ended_at = CASE WHEN $2 IN ('done', 'undone') THEN now() END WHERE id = $1
            """, [.int(id), .text(step.rawValue)])
    }

    /// Parses a move; `nil` if the result has no row, or if its row is not of this release.
    package init?(_ rows: Rows) {
        guard rows.count > 0, let step = Step(rawValue: rows.string(0, 4)) else { return nil }
        if let space = rows.idIfPresent(0, 6) {
            spaces = .space(space)
        } else {
            let buckets = (rows.intsIfPresent(0, 1) ?? []).compactMap { Bucket(number: $0) }
            if buckets.isEmpty { return nil }
            spaces = .buckets(buckets)
        }
        (id, source, target) = (rows.int(0, 0), rows.string(0, 2), rows.string(0, 3))
        (self.step, beganAt) = (step, rows.storedTimestamp(0, 5))
    }
}
