import PGStore
import Postgres

/// Runs a pull until its page is complete: from the standby or the primary, in one transaction. A page that was read
/// from a window (a range of sequence numbers) may need further transactions.
struct PullRunner: Sendable {
    let transactions: SpaceTransactions
    let heads: HeadReader
    /// The standby from which large pages are read; `nil` if everything is read from the primary.
    let standby: Standby?
    /// The queue in which small pulls of different spaces share a transaction; the answer is `nil` for a page that must
    /// be read alone.
    let sharedQueue: SharedTurns<Pull, Result<Pull.Page, any Error>?>

    /// Returns the page of a pull.
    ///
    /// - Parameter ahead: the count of sequence numbers from the cursor to the head, as far as known.
    /// - Throws: `SyncError`, `PGError`.
    func run(_ pull: Pull, ahead: Int64) async throws -> Pull.Page {
        if let standby, ahead >= Standby.numbersMin {
            // Also during an initial sync, because the device may have received the space's head meanwhile.
            let head = try await heads.state(of: pull.space, revocations: pull.revocations).head
            let found = await standby.page(upTo: head) { transactions in
                try await readPage(of: pull, ahead: ahead, transactions)
            }
            if let found { return found }
        }
        return try await readPage(of: pull, ahead: ahead, transactions)
    }

    private func readPage(
        of pull: Pull, ahead: Int64, _ transactions: SpaceTransactions
    ) async throws -> Pull.Page {
        guard pull.suitsWindows(ahead: ahead) else {
            return try await transactions.run(.snapshot, in: pull.space) { try pull.list(on: $0) }
        }
        var page = try await readWindows(of: pull, ahead: ahead, transactions)
        if page.isThin, page.count == 0 {
            // A wide gap: the records with these numbers have been rewritten since.
            let gap = page.seq
            page = try await transactions.run(.snapshot, in: pull.space) { try pull.readWindows(behind: gap, on: $0) }
        }
        if !page.isThin { return page }
        return try await transactions.run(.snapshot, in: pull.space) { [page] in
            try pull.list(completing: page, on: $0)
        }
    }

    private func readWindows(
        of pull: Pull, ahead: Int64, _ transactions: SpaceTransactions
    ) async throws -> Pull.Page {
        if ahead <= Pull.smallMax {
            let small = pull.small(sharedBy: SharedTurns<Pull, Pull.Page>.smallMax)
            let page = try await sharedQueue.run(small) { pulls, _ in
                do {
                    return try await transactions.run(.snapshot, in: pulls[0].space) { session in
                        try Pull.readWindows(of: pulls, on: session)
                    }
                } catch  where pulls.count > 1 {
                    // The pull at fault meets the error again by itself.
                    return pulls.map { _ in nil }
                }
            }
            if let page { return try page.get() }
        }
        return try await transactions.run(.snapshot, in: pull.space) { session in
            try Pull.readWindows(of: [pull], on: session)[0].get()
        }
    }
}
