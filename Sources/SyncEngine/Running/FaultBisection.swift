package import Postgres

/// Finds the change of a push that PostgreSQL does not accept, by bisection, in transactions that are rolled back.
package struct FaultBisection: Sendable {
    /// The count of changes, from the first one on, that PostgreSQL accepts together as far as is known. Changes that
    /// are already in quarantine are not counted.
    private var passing = 0
    /// The number of trials (transactions that are rolled back) that the search may still run.
    private(set) var trialsLeft: Int

    /// The most trials (transactions that are rolled back) in one search for the changes at fault. When they are used
    /// up, every change that has not passed a trial is put into quarantine; a replay later merges those that PostgreSQL
    /// accepts.
    package static let trialsMax = 64

    package init(trialsLeft: Int = trialsMax) {
        self.trialsLeft = trialsLeft
    }

    /// Returns the first change that PostgreSQL does not accept, by index in the request, with the reason to put it
    /// into quarantine. If the trials are used up before it is found, returns all changes that may be the one.
    ///
    /// Returns an empty dictionary if PostgreSQL now accepts what it refused before, because another push was committed
    /// in between. The push must then be run again.
    ///
    /// - Parameters:
    ///   - open: the indices in the request of the changes that are not in quarantine.
    ///   - error: PostgreSQL's error for all of these changes together.
    ///   - of: tries some of the changes; returns PostgreSQL's error, or `nil` if it accepts them.
    package mutating func next(
        in open: [Int], refusedBy error: PGError, error of: ([Int]) async throws -> PGError?
    ) async throws -> [Int: QuarantineReason] {
        var (failing, reason) = (open.count, error)
        // Each trial sees what was committed before it. So a refusal proves nothing if it is older than a trial that
        // passed.
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
    /// True if PostgreSQL refuses the data itself, so that trying again does not help. Class 22: a value that its type
    /// cannot represent. Class 23: a constraint that the plan does not know. 54000: a value that is too long for an
    /// index.
    var refusesData: Bool {
        guard let state = report?.sqlState else { return false }
        return state.hasPrefix("22") || state.hasPrefix("23") || state == "54000"
    }
}
