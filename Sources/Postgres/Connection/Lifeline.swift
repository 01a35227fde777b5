import Glibc
import Synchronization

/// What the sessions of a server hang on: once it is cut, every wait for the database ends with `connectionLost`, on
/// whatever thread it is, and no session is opened any more.
///
/// A session's own thread may sit in a wait for a database that hangs, so nothing that is asked of the session itself
/// would reach it.
package final class Lifeline: Sendable {
    /// The end of a pipe from which nobody reads: once a byte is in it, `poll` sees that in every thread, and for ever.
    let descriptor: Int32
    private let otherEnd: Int32
    private let state = Mutex(State())

    private struct State {
        var isCut = false
        /// Logins under way, which libpq does not let anybody interrupt.
        var openings: [Int: @Sendable () -> Void] = [:]
        var count = 0
    }

    package init() {
        var ends: (Int32, Int32) = (-1, -1)
        let made = withUnsafeMutablePointer(to: &ends) {
            $0.withMemoryRebound(to: Int32.self, capacity: 2) { pipe($0) }
        }
        precondition(made == 0, "A server that has no descriptors left for a pipe cannot open a session either.")
        (descriptor, otherEnd) = ends
        for end in [descriptor, otherEnd] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    deinit {
        close(descriptor)
        close(otherEnd)
    }

    /// Ends every wait, now and from now on. What a statement in flight did is not known then.
    package func cut() {
        let openings = state.withLock { state in
            defer { (state.isCut, state.openings) = (true, [:]) }
            return state.openings
        }
        _ = write(otherEnd, "!", 1)
        for giveUp in openings.values { giveUp() }
    }

    /// Calls `giveUp` when it is cut, once; at once if it is cut already.
    ///
    /// - Returns: what `forget` takes; `nil` where it has been called.
    func whenCut(_ giveUp: @escaping @Sendable () -> Void) -> Int? {
        let place = state.withLock { state -> Int? in
            guard !state.isCut else { return nil }
            state.count += 1
            state.openings[state.count] = giveUp
            return state.count
        }
        if place == nil { giveUp() }
        return place
    }

    func forget(_ place: Int) {
        state.withLock { _ = $0.openings.removeValue(forKey: place) }
    }
}
