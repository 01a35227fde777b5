import Glibc
import Synchronization

/// A switch that ends the database sessions of a server: once it is cut, every wait for the database ends with
/// `connectionLost`, on whatever thread it is, and no further session can be opened.
///
/// A session's own thread may be waiting for a database that hangs, so a call to the session itself would not get
/// through.
package final class Lifeline: Sendable {
    /// The reading end of a pipe, which every wait for the database includes in its `poll`. Nobody reads from the pipe:
    /// when a byte is written to it, every such `poll`, in any thread, returns at once.
    let descriptor: Int32
    private let otherEnd: Int32
    private let state = Mutex(State())

    private struct State {
        var isCut = false
        /// The functions that end the logins in progress, by the number that `whenCut` returns. libpq offers no way to
        /// interrupt a login.
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

    /// Cuts the lifeline: ends every wait for the database, present and future. The outcome of a statement in flight is
    /// then unknown.
    package func cut() {
        let openings = state.withLock { state in
            defer { (state.isCut, state.openings) = (true, [:]) }
            return state.openings
        }
        _ = write(otherEnd, "!", 1)
        for giveUp in openings.values { giveUp() }
    }

    /// Calls `giveUp` when the lifeline is cut, or immediately if it is cut already.
    ///
    /// - Returns: the argument for `forget`, by which the call is cancelled; `nil` if `giveUp` has been called.
    func whenCut(_ giveUp: @escaping @Sendable () -> Void) -> Int? {
        let id = state.withLock { state -> Int? in
            guard !state.isCut else { return nil }
            state.count += 1
            state.openings[state.count] = giveUp
            return state.count
        }
        if id == nil { giveUp() }
        return id
    }

    func forget(_ id: Int) {
        state.withLock { _ = $0.openings.removeValue(forKey: id) }
    }
}
