/// How a pool stands at one moment.
package struct PoolCounts: Sendable, Hashable {
    /// Sessions open or being opened: idle and leased.
    package var open: Int
    package var idle: Int
    /// Sessions lent out, or being opened for a caller.
    package var leased: Int
    /// Callers waiting for a session.
    package var waiting: Int
    /// The most bytes that the answers of one round trip have taken since the start.
    package var answerBytesMax = 0
}
