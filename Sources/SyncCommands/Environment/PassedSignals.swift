import Dispatch
import Foundation
import Glibc
import Synchronization

/// Forwards signals to a child process and all of its descendants: those signals that ask this process to end.
final class PassedSignals {
    private let state = Mutex<(child: Int32?, last: Int32?)>((nil, nil))
    private var sources: [any DispatchSourceSignal] = []

    /// Catches SIGINT, SIGTERM and SIGHUP from now on, so that they do not end this process.
    init() {
        sources = [SIGINT, SIGTERM, SIGHUP].map { number in
            // Not SIG_IGN, which the child would inherit.
            signal(number) { _ in }
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [weak self] in self?.pass(number) }
            source.resume()
            return source
        }
    }

    /// The signal received last.
    var last: Int32? { state.withLock(\.last) }

    /// Begins to forward signals to the child's process group. A signal that was received before the child was started
    /// is forwarded now.
    ///
    /// - Parameter child: the process id of the child, which is the leader of its process group.
    func start(to child: Int32) {
        let early = state.withLock { state in
            state.child = child
            return state.last
        }
        if let early { kill(-child, early) }
    }

    private func pass(_ number: Int32) {
        let child = state.withLock { state in
            state.last = number
            return state.child
        }
        if let child { kill(-child, number) }
    }

    /// Stops catching the signals, so that they end this process again.
    func stop() {
        state.withLock { $0.child = nil }
        for source in sources { source.cancel() }
        for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_DFL) }
    }
}
