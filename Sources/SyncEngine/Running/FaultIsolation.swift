package import Postgres

/// Finds the changes of a push that PostgreSQL does not accept. The push is run again without them, until it passes.
package struct FaultIsolation {
    /// The most attempts that find no change at fault, because other pushes change the space meanwhile.
    private static let fruitlessMax = 2

    private var fruitless = 0
    /// The number of trials left for the whole push.
    private var trialsLeft = FaultBisection.trialsMax
    /// The search that is used if no record is refused by itself.
    private var search = FaultBisection()

    package init() {}

    /// Returns the changes to hold, with the reasons.
    ///
    /// - Parameters:
    ///   - open: the changes of the push that are not held, by index in the request, and their records.
    ///   - error: the error for the whole push.
    ///   - refused: returns the records that PostgreSQL does not accept, each tried by itself in one transaction.
    ///   - refusal: returns the error for some of the changes alone; `nil` if PostgreSQL accepts them.
    /// - Returns: the reasons to hold changes, by index in the request; empty if the push is simply to be run again.
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

    /// Finds the changes at fault among those of one record; not all of them need be. Empty if they pass by themselves,
    /// or because another push was committed in between.
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
