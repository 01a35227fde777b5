import HTTPServer
import SyncEngine
import Synchronization
import WireFormats

/// The listeners of each space, and the space's head (its highest sequence number).
///
/// A listener has no queue. The hub stores the last head that was sent to the listener. When the listener's client can
/// take more, the hub sends it the current head. So a slow client gets one event for many changes in a short time.
package final class EventHub: Sendable {
    private let state = Mutex(State())

    private struct State {
        /// The spaces with listeners.
        var spaces: [SpaceName: Space] = [:]
        var listeners: [Int: Listener] = [:]
        var listenerCount = 0
        var sentCount = 0
    }

    private struct Space {
        var head: SpaceHead?
        var listeners: Set<Int> = []
    }

    private struct Listener {
        let space: SpaceName
        /// The schema version of the listener's client, as an index in `shapes` of the app's plan.
        let version: Int
        /// The hash of the token that allows the listener to listen.
        let token: [UInt8]
        let bell: Bell
        var sent: SpaceHead?
        var isEnded = false
    }

    /// Statistics of the event streams: the numbers of open streams and of their spaces, and the number of events sent.
    package struct Counts: Sendable, Equatable {
        /// The number of open event streams.
        package var listeners = 0
        /// The number of spaces that the streams listen to.
        package var spaces = 0
        /// The number of events sent since the start, without heartbeats.
        package var sent = 0
    }

    package var counts: Counts {
        state.withLock { Counts(listeners: $0.listeners.count, spaces: $0.spaces.count, sent: $0.sentCount) }
    }

    /// Returns a stream of a space's events that misses no change from now on. Its first event is the space's head,
    /// which the caller must pass to `publish` before it returns the stream as a response.
    func stream(of space: SpaceName, in version: Int, token: [UInt8]) -> HTTPBodyStream {
        let bell = Bell()
        let id = state.withLock { state in
            state.listenerCount += 1
            let id = state.listenerCount
            state.listeners[id] = Listener(space: space, version: version, token: token, bell: bell)
            state.spaces[space, default: Space()].listeners.insert(id)
            return id
        }
        return HTTPBodyStream(
            bell: bell, heartbeat: HeadEvent.heartbeat, next: { self.next(for: id) }, ended: { self.remove(id) })
    }

    /// Sends each head that is newer than the hub's head of that space to all listeners of the space.
    func publish(_ moved: [SpaceName: SpaceHead]) {
        let bells = state.withLock { state in
            var bells: [Bell] = []
            for (name, head) in moved {
                guard let space = state.spaces[name], head.isNews(after: space.head) else { continue }
                state.spaces[name]?.head = head
                bells += space.listeners.compactMap { state.listeners[$0]?.bell }
            }
            return bells
        }
        for bell in bells { bell.ring() }
    }

    /// Ends the streams for which `isOver` returns true. Its arguments are the stream's space and the hash of its
    /// token.
    func end(where isOver: (SpaceName, [UInt8]) -> Bool) {
        endListeners { isOver($0.space, $0.token) }
    }

    /// Ends the streams of clients that use one of these versions of an app. A version is given as an index in `shapes`
    /// of the app's plan.
    func end(_ app: String, versions: Set<Int>) {
        endListeners { $0.space.app == app && versions.contains($0.version) }
    }

    private func endListeners(where isOver: (Listener) -> Bool) {
        let bells = state.withLock { state in
            var bells: [Bell] = []
            for (id, listener) in state.listeners where isOver(listener) {
                state.listeners[id]?.isEnded = true
                bells.append(listener.bell)
            }
            return bells
        }
        for bell in bells { bell.ring() }
    }

    /// The spaces with listeners.
    var spaces: [SpaceName] { state.withLock { Array($0.spaces.keys) } }

    /// The hashes of the tokens of all listeners.
    var tokens: Set<[UInt8]> { state.withLock { Set($0.listeners.values.map(\.token)) } }

    private func next(for id: Int) -> HTTPBodyStream.Chunk {
        state.withLock { state in
            guard let listener = state.listeners[id], !listener.isEnded else { return .end }
            guard let head = state.spaces[listener.space]?.head, head != listener.sent else {
                return .nothing
            }
            state.listeners[id]?.sent = head
            state.sentCount += 1
            return .bytes(HeadEvent.bytes(head: head.head, isFirst: listener.sent == nil))
        }
    }

    private func remove(_ id: Int) {
        state.withLock { state in
            guard let listener = state.listeners.removeValue(forKey: id) else { return }
            state.spaces[listener.space]?.listeners.remove(id)
            if state.spaces[listener.space]?.listeners.isEmpty == true { state.spaces[listener.space] = nil }
        }
    }
}
