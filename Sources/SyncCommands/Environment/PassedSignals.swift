import Dispatch
import Foundation
import Glibc
import Synchronization

/// Passes signals that ask this process to end on to a child and all that it has started.
final class PassedSignals {
    private let state = Mutex<(child: Int32?, last: Int32?)>((nil, nil))
    private var sources: [any DispatchSourceSignal] = []

    /// From here on none of them ends this process.
    init() {
        sources = [SIGINT, SIGTERM, SIGHUP].map { number in
            // Not ‘ignored’, which the child would inherit.
            signal(number) { _ in }
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [weak self] in self?.pass(number) }
            source.resume()
            return source
        }
    }

    /// The last that came.
    var last: Int32? { state.withLock(\.last) }

    /// - Parameter child: the leader of a process group. What came before it was there is passed on now.
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

    /// They end this process again.
    func stop() {
        state.withLock { $0.child = nil }
        for source in sources { source.cancel() }
        for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_DFL) }
    }
}
