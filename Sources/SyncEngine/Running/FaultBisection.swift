package import Postgres

/// Finds which change of a push it is that PostgreSQL does not take: by halves, in transactions that are rolled back.
package struct FaultBisection: Sendable {
    /// How many of the open changes, from the first, pass together.
    private var passing = 0
    /// How many transactions it may still cost.
    private(set) var trialsLeft: Int

    /// The most transactions that one push may cost in this way. Where they are used up, everything that was not seen
    /// to pass is held, and a replay takes what can be.
    package static let trialsMax = 64

    package init(trialsLeft: Int = trialsMax) {
        self.trialsLeft = trialsLeft
    }

    /// The first culprit, and why it is held; nothing where what was refused is so no longer, because somebody else has
    /// pushed since. Then the push is to be run again.
    ///
    /// - Parameters:
    ///   - open: the places in the request of what is not held.
    ///   - error: what PostgreSQL said to all of them.
    ///   - error of: what it says to some of them; `nil` where it takes them.
    package mutating func next(
        in open: [Int], refusedBy error: PGError, error of: ([Int]) async throws -> PGError?
    ) async throws -> [Int: QuarantineReason] {
        var (failing, reason) = (open.count, error)
        // Each trial sees what was committed by then, so that a refusal from before one that passed proves nothing.
        var isCurrent = true
        while failing - passing > 1 || !isCurrent {
            guard trialsLeft > 0 else {
                let holding = QuarantineReason(reason, "One of many that were refused together: ")
                return Dictionary(uniqueKeysWithValues: open[passing...].map { ($0, holding) })
            }
            trialsLeft -= 1
            let isLast = failing - passing <= 1
            let middle = isLast ? failing : (passing + failing) / 2
            if let refusal = try await of(Array(open[..<middle])) {
                (failing, reason, isCurrent) = (middle, refusal, true)
            } else if isLast {
                passing = 0
                return [:]
            } else {
                (passing, isCurrent) = (middle, false)
            }
        }
        return [open[failing - 1]: QuarantineReason(reason)]
    }
}

extension PGError {
    /// Whether PostgreSQL does not take the data: it would not the next time either. Class 22, a value that its type
    /// cannot hold; class 23, a constraint that the plan knows nothing of; 54000, a value too long for an index.
    var refusesData: Bool {
        guard let state = report?.sqlState else { return false }
        return state.hasPrefix("22") || state.hasPrefix("23") || state == "54000"
    }
}
