/// The counts of a pool's sessions and callers at one moment.
package struct PoolCounts: Sendable, Hashable {
    /// The number of sessions that are open or being opened: `idle` and `leased` together.
    package var open: Int
    package var idle: Int
    /// The number of sessions that are lent out, or being opened for a caller.
    package var leased: Int
    /// The number of callers that wait for a session.
    package var waiting: Int
    /// The largest total size, in bytes, of the results of one round trip of any session, since the pool's start.
    package var answerBytesMax = 0
}
