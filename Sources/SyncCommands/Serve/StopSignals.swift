import Dispatch
import Glibc
import Synchronization

/// SIGTERM and SIGINT, which ask for a graceful stop, and SIGHUP, which is a closed terminal or asks to read files
/// again.
struct StopSignals {
    private let stream: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation
    private let sources: [any DispatchSourceSignal]
    private let missed = MissedReload()

    enum Event: Sendable {
        case stop
        case reload
        /// Work that a signal would have cancelled.
        case workEnded
    }

    /// - Parameter reloads: what SIGHUP means: to read files again, or to stop.
    init(reloads: Bool = false) {
        let (stream, continuation) = AsyncStream<Event>.makeStream()
        (self.stream, self.continuation) = (stream, continuation)
        var meant = [(SIGTERM, Event.stop), (SIGINT, .stop)]
        // nohup(1): who has it ignored wants to go on when the terminal closes.
        if reloads || !StopSignals.isIgnored(SIGHUP) { meant.append((SIGHUP, reloads ? .reload : .stop)) }
        sources = meant.map { number, event in
            // signal(7): the default action would end the process before the source sees it.
            // Not ‘ignored’, which children would inherit.
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

    /// Whether it was asked to read its files again while something else was at work.
    var hasMissedReload: Bool { missed.isNoted }

    /// Waits for the next that was asked.
    func next() async -> Event {
        for await event in stream where event != .workEnded { return event }
        return .stop
    }

    /// Waits for another stop, or until `limit` is over.
    func wait(atMost limit: Duration) async {
        await withTaskGroup { group in
            group.addTask { [stream] in for await event in stream where event == .stop { return } }
            group.addTask { try? await Task.sleep(for: limit) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Runs work in a task that the first stop cancels. The next ends the process at once.
    ///
    /// - Parameters:
    ///   - note: said at the first.
    ///   - say: where it is said.
    func cancelling<Value: Sendable>(
        saying note: String = "Stopping when the batch or statement at work is done; once more stops at once.",
        by say: @escaping @Sendable (String) -> Void = { Terminal.note($0) },
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = Task { try await work() }
        let watch = Task { [stream, missed] in
            for await event in stream {
                if event == .workEnded { return }
                // The files were read before; they are read again once it serves.
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
        // It may have come too late for the work, but not for what follows it.
        if task.isCancelled { continuation.yield(.stop) }
        return try result.get()
    }
}

/// Whether files are to be read again when there is time for it.
private final class MissedReload: Sendable {
    private let noted = Atomic<Bool>(false)

    func note() { noted.store(true, ordering: .relaxed) }

    var isNoted: Bool { noted.load(ordering: .relaxed) }
}
