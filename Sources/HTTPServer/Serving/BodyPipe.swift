internal import CMicroHTTPD
internal import Synchronization

/// One chunk at a time from a producing task to the thread that sends: the bounded queue of a streaming response.
///
/// The reader suspends its connection when there is nothing to send; the writer resumes it. The writer waits until its
/// chunk is taken.
final class BodyPipe: Sendable {
    private let pointer: ConnectionPointer
    private let state = Mutex(State())

    fileprivate struct State {
        var pending: ArraySlice<UInt8> = []
        var writer: CheckedContinuation<Bool, Never>?
        var pump: Task<Void, Never>?
        var isSuspended = false
        var isEnded = false
    }

    init(pointer: ConnectionPointer) {
        self.pointer = pointer
    }

    /// Starts the task that feeds the pipe; ends the pipe with it.
    func start(_ stream: HTTPBodyStream) {
        let pump = Task {
            await stream.feed { chunk in await self.write(chunk) }
            self.end()
        }
        let isEnded = state.withLock { state in
            if !state.isEnded { state.pump = pump }
            return state.isEnded
        }
        if isEnded { pump.cancel() }
    }

    /// True when the chunk has been taken, false when nobody will take more.
    private func write(_ chunk: [UInt8]) async -> Bool {
        await withCheckedContinuation { continuation in
            let (isEnded, isSuspended) = state.withLock { state in
                guard !state.isEnded else { return (true, false) }
                state.pending = chunk[...]
                state.writer = continuation
                return (false, state.takeSuspended())
            }
            if isEnded { continuation.resume(returning: false) }
            if isSuspended { pointer.resume() }
        }
    }

    /// Copies what there is: a count, or `MHD_CONTENT_READER_END_OF_STREAM`, or 0 with the connection suspended.
    /// Only from the content reader callback.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let (count, writer) = state.withLock { state -> (Int, CheckedContinuation<Bool, Never>?) in
            let part = state.pending.prefix(buffer.count)
            guard !part.isEmpty else {
                if state.isEnded { return (mhd_end_of_stream, nil) }
                // Under the lock, so that a writer cannot resume before this; it takes no lock of ours.
                pointer.suspend()
                state.isSuspended = true
                return (0, nil)
            }
            buffer.copyBytes(from: part)
            state.pending = state.pending.dropFirst(part.count)
            return (part.count, state.pending.isEmpty ? state.takeWriter() : nil)
        }
        writer?.resume(returning: true)
        return count
    }

    /// No more chunks: what was written is still sent. May be called often and from anywhere.
    func end() {
        let (writer, pump, isSuspended) = state.withLock { state in
            state.isEnded = true
            defer { state.pump = nil }
            return (state.takeWriter(), state.pump, state.takeSuspended())
        }
        writer?.resume(returning: false)
        pump?.cancel()
        if isSuspended { pointer.resume() }
    }
}

extension BodyPipe.State {
    fileprivate mutating func takeWriter() -> CheckedContinuation<Bool, Never>? {
        defer { writer = nil }
        return writer
    }

    fileprivate mutating func takeSuspended() -> Bool {
        defer { isSuspended = false }
        return isSuspended
    }
}
