import PGStore
import Postgres
import WireFormats

/// The last stage of a push: sends the remaining writes, and ends the transaction.
extension PushContext {
    /// Ends the transaction after its last push. A push is committed. A dry run is rolled back, after the deferred
    /// constraints have been checked.
    ///
    /// - Parameter committing: called when only COMMIT is left to wait for.
    func finish(committing: () -> Void, _ session: isolated Session) throws {
        let last = remainingWrites().map(\.command)
        switch push.purpose {
        case .commit:
            committing()
            try session.commitPipeline(last)
        case .trial, .isolation:
            try session.pipeline(last + ["SET CONSTRAINTS ALL IMMEDIATE"])
            try session.rollBack()
        }
    }

    /// Returns all writes that have not been sent yet. One of them stores the space's new head (highest sequence
    /// number) and its growth, if these have changed.
    func remainingWrites() -> [Write] {
        let head = outcome.head
        let recordSize = largestWrittenBytes.roundedUpToPowerOfTwo
        let grows = claim.isMeasured && claim.state.recordSizeBytes < recordSize
        var last = writes
        let uncounted = uncountedGrowth()
        if head != claim.head || grows || uncounted != Spaces.Growth() {
            let advancing = store.spaces.advancing(
                space, to: head, recordSize: recordSize, growth: uncounted)
            last.append(Write(command: advancing, rows: 1))
        }
        return last
    }

    /// Returns the part of the space's growth that was not yet stored when the push claimed its sequence numbers. Bytes
    /// are rounded at random to multiples of `growthStepBytes`, so that sums are right on average.
    private func uncountedGrowth() -> Spaces.Growth {
        var growth = growth
        var generator = SystemRandomNumberGenerator()
        growth.records -= Int64(push.createdCount)
        growth.bytes = PushContext.stepped(growth.bytes, &generator)
        return growth
    }
}
