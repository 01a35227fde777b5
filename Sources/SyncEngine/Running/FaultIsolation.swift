package import Postgres

/// Finds the changes of a push that PostgreSQL does not accept. The push is run again without them, until it passes.
package struct FaultIsolation {
    /// The most attempts that may end without a change at fault, because other pushes have changed the space meanwhile.
    private static let fruitlessMax = 2

    private var fruitless = 0
    /// The number of trials (transactions that are rolled back) that are left for all searches among the changes of one
    /// record.
    private var trialsLeft = FaultBisection.trialsMax
    /// The search for the changes at fault among all changes of the push. It is used if PostgreSQL accepts each record
    /// by itself, but not all of them together. Its trials do not count against `trialsLeft`.
    private var search = FaultBisection()

    package init() {}

    /// Returns the changes to put into quarantine, with the reasons.
    ///
    /// - Parameters:
    ///   - open: the changes of the push that are not in quarantine, by index in the request, and their records.
    ///   - error: PostgreSQL's error for the whole push.
    ///   - refused: tries each record of the push by itself, all in one transaction; returns those that PostgreSQL does
    ///     not accept, with the errors.
    ///   - refusal: tries some of the changes alone; returns PostgreSQL's error, or `nil` if it accepts them.
    /// - Returns: the reasons, by index in the request. Empty if no change was found at fault; the push is then run
    ///   again as it is.
    package mutating func culprits<Key: Hashable>(
        among open: [(index: Int, key: Key)], refusedBy error: PGError, refused: () async throws -> [Key: PGError],
        refusal: ([Int]) async throws -> PGError?
    ) async throws -> [Int: QuarantineReason] {
        var culprits: [Int: QuarantineReason] = [:]
        var contested: [Int: QuarantineReason] = [:]
        for (key, error) in try await refused() {
            let indices = open.filter { $0.key == key }.map(\.index)
            let found = try await self.culprits(in: indices, refusedBy: error, refusal)
            culprits.merge(found) { $1 }
            if found.isEmpty { for index in indices { contested[index] = QuarantineReason(error) } }
        }
        if !culprits.isEmpty { return culprits }
        fruitless += 1
        if fruitless <= FaultIsolation.fruitlessMax { return [:] }
        // The record is refused only together with others, so all of its changes are held.
        if !contested.isEmpty { return contested }
        return try await search.next(in: open.map(\.index), refusedBy: error, error: refusal)
    }

    /// Returns the changes at fault among the changes of one record, or only some of them. Empty if PostgreSQL now
    /// accepts these changes: alone, or because another push was committed in between.
    private mutating func culprits(
        in indices: [Int], refusedBy error: PGError, _ refusal: ([Int]) async throws -> PGError?
    ) async throws -> [Int: QuarantineReason] {
        if indices.count == 1 { return [indices[0]: QuarantineReason(error)] }
        var search = FaultBisection(trialsLeft: trialsLeft)
        let found = try await search.next(in: indices, refusedBy: error, error: refusal)
        trialsLeft = search.trialsLeft
        return found
    }
}
