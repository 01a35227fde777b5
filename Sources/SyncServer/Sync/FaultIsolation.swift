import PGStore

/// Finds which changes of a push it is that PostgreSQL does not take. The push is run again without them, until it
/// passes.
struct FaultIsolation {
    /// How often a refusal may be met in vain, because of something that others change meanwhile.
    private static let fruitlessMax = 2

    private var fruitless = 0
    /// Of the whole push.
    private var trialsLeft = CulpritSearch.trialsMax
    /// For what no record alone is refused for.
    private var search = CulpritSearch()

    /// - Parameters:
    ///   - error: what PostgreSQL said to the push.
    ///   - refused: which records it does not take, tried at once.
    ///   - refusal: what it says to some of the changes alone; `nil` where it takes them.
    /// - Returns: why changes are held, by place in the request; nothing where the push is simply to be run again.
    mutating func culprits(
        of push: Push, refusedBy error: PGError, refused: () async throws -> [WorkingSet.Key: PGError],
        refusal: ([Int]) async throws -> PGError?
    ) async throws -> [Int: Holding] {
        var culprits: [Int: Holding] = [:]
        for (key, error) in try await refused() {
            let places = push.changes.filter {
                $0.change.key == key && push.holdings.reasons[$0.index] == nil
            }.map(\.index)
            culprits.merge(try await self.culprits(in: places, refusedBy: error, refusal)) { $1 }
        }
        if !culprits.isEmpty { return culprits }
        fruitless += 1
        if fruitless <= FaultIsolation.fruitlessMax { return [:] }
        return try await search.next(in: push.openPlaces, refusedBy: error, error: refusal)
    }

    /// Which of the changes of one record, of which not all need be at fault.
    private mutating func culprits(
        in places: [Int], refusedBy error: PGError, _ refusal: ([Int]) async throws -> PGError?
    ) async throws -> [Int: Holding] {
        if places.count > 1 {
            var search = CulpritSearch(trialsLeft: trialsLeft)
            let found = try await search.next(in: places, refusedBy: error, error: refusal)
            trialsLeft = search.trialsLeft
            // Only beside others it is refused; then all of it is held.
            if !found.isEmpty { return found }
        }
        return Dictionary(uniqueKeysWithValues: places.map { ($0, Holding(error)) })
    }
}
