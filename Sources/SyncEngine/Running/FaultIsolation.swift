package import Postgres

/// Finds which changes of a push it is that PostgreSQL does not take. The push is run again without them, until it
/// passes.
package struct FaultIsolation {
    /// How often a refusal may be met in vain, because of something that others change meanwhile.
    private static let fruitlessMax = 2

    private var fruitless = 0
    /// Of the whole push.
    private var trialsLeft = FaultBisection.trialsMax
    /// For what no record alone is refused for.
    private var search = FaultBisection()

    package init() {}

    /// - Parameters:
    ///   - open: the changes of the push that are not held, by place in the request, and their records.
    ///   - error: what PostgreSQL said to the push.
    ///   - refused: which records it does not take, tried at once.
    ///   - refusal: what it says to some of the changes alone; `nil` where it takes them.
    /// - Returns: why changes are held, by place in the request; nothing where the push is simply to be run again.
    package mutating func culprits<Key: Hashable>(
        among open: [(index: Int, key: Key)], refusedBy error: PGError, refused: () async throws -> [Key: PGError],
        refusal: ([Int]) async throws -> PGError?
    ) async throws -> [Int: QuarantineReason] {
        var culprits: [Int: QuarantineReason] = [:]
        var contested: [Int: QuarantineReason] = [:]
        for (key, error) in try await refused() {
            let places = open.filter { $0.key == key }.map(\.index)
            let found = try await self.culprits(in: places, refusedBy: error, refusal)
            culprits.merge(found) { $1 }
            if found.isEmpty { for place in places { contested[place] = QuarantineReason(error) } }
        }
        if !culprits.isEmpty { return culprits }
        fruitless += 1
        if fruitless <= FaultIsolation.fruitlessMax { return [:] }
        // It is refused only beside others, and then all of it is held.
        if !contested.isEmpty { return contested }
        return try await search.next(in: open.map(\.index), refusedBy: error, error: refusal)
    }

    /// Which of the changes of one record, of which not all need be at fault; none where they pass by themselves, or
    /// because somebody else has pushed since.
    private mutating func culprits(
        in places: [Int], refusedBy error: PGError, _ refusal: ([Int]) async throws -> PGError?
    ) async throws -> [Int: QuarantineReason] {
        if places.count == 1 { return [places[0]: QuarantineReason(error)] }
        var search = FaultBisection(trialsLeft: trialsLeft)
        let found = try await search.next(in: places, refusedBy: error, error: refusal)
        trialsLeft = search.trialsLeft
        return found
    }
}
