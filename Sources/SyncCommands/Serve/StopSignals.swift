import Dispatch
import Glibc
import Synchronization

/// The signals that the server handles. SIGTERM and SIGINT request a graceful stop. SIGHUP requests that files are read
/// again, or a stop because the terminal was closed.
struct StopSignals {
    private let stream: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation
    private let sources: [any DispatchSourceSignal]
    private let missed = MissedReload()

    enum Event: Sendable {
        case stop
        case reload
        /// The end of the work that `cancelling` runs. It is not a signal, but ends the task that waits for signals.
        case workEnded
    }

    /// - Parameter reloads: true if SIGHUP requests that files are read again; false if it requests a stop.
    init(reloads: Bool = false) {
        let (stream, continuation) = AsyncStream<Event>.makeStream()
        (self.stream, self.continuation) = (stream, continuation)
        var meant = [(SIGTERM, Event.stop), (SIGINT, .stop)]
        // nohup(1): a process with SIGHUP ignored is to go on when the terminal closes.
        if reloads || !StopSignals.isIgnored(SIGHUP) { meant.append((SIGHUP, reloads ? .reload : .stop)) }
        sources = meant.map { number, event in
            // signal(7): the default action would end the process before the source sees it.
            // Not SIG_IGN, which children would inherit.
            signal(number) { _ in }
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { continuation.yield(event) }
            source.resume()
            return source
        }
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }

    /// True if SIGHUP requested a reload of the configuration files during the work that `cancelling` runs. The caller
    /// must then do the reload.
    var hasMissedReload: Bool { missed.isNoted }

    /// Waits for the next signal, and returns whether it requests a stop or a reload.
    func next() async -> Event {
        for await event in stream where event != .workEnded { return event }
        return .stop
    }

    /// Waits until a signal requests a stop, or until `limit` has passed.
    func wait(atMost limit: Duration) async {
        await withTaskGroup { group in
            group.addTask { [stream] in for await event in stream where event == .stop { return } }
            group.addTask { try? await Task.sleep(for: limit) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Runs work in a task that is cancelled when a stop is requested. A second request ends the process immediately.
    ///
    /// - Parameters:
    ///   - note: the message for the first request.
    ///   - say: called with the message.
    func cancelling<Value: Sendable>(
        saying note: String = "Stopping when the batch or statement at work is done; once more stops at once.",
        by say: @escaping @Sendable (String) -> Void = { Terminal.note($0) },
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = Task { try await work() }
        let watch = Task { [stream, missed] in
            for await event in stream {
                if event == .workEnded { return }
                // The files were read before this work; they are read again once the server serves.
                if event == .reload {
                    missed.note()
                    continue
                }
                if task.isCancelled { _exit(1) }
                Terminal.endProgress()
                say(note)
                task.cancel()
            }
        }
        let result = await task.result
        continuation.yield(.workEnded)
        await watch.value
        // The signal may have come too late for the work, but not for the steps after it.
        if task.isCancelled { continuation.yield(.stop) }
        return try result.get()
    }
}

/// Remembers that a reload was requested during other work and must be done later.
private final class MissedReload: Sendable {
    private let noted = Atomic<Bool>(false)

    func note() { noted.store(true, ordering: .relaxed) }

    var isNoted: Bool { noted.load(ordering: .relaxed) }
}
