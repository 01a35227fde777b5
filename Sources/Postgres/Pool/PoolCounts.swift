/// The counts of a pool's sessions and callers at one moment.
package struct PoolCounts: Sendable, Hashable {
    /// The number of sessions that are open or being opened: the sum of the idle and the leased ones.
    package var open: Int
    package var idle: Int
    /// The number of sessions that are lent out, or being opened for a caller.
    package var leased: Int
    /// The number of callers that wait for a session.
    package var waiting: Int
    /// The largest size of the results of one round trip since the start, in bytes.
    package var answerBytesMax = 0
}
