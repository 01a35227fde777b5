import Dispatch

/// A session of its own that receives the notifications on one channel (LISTEN and NOTIFY).
///
/// Nothing is kept for absent listeners: notifications from before a channel was opened, or between two of them, are
/// lost. While nothing comes, a channel costs no thread.
package final class NotificationChannel: Sendable {
    private let session: Session
    private let socket: Int32

    private init(session: Session, socket: Int32) {
        (self.session, self.socket) = (session, socket)
    }

    /// Logs in and listens: notifications from now on are received.
    ///
    /// - Throws: as `Session.open`.
    package static func open(
        _ name: String, of string: ConnectionString, role: String? = nil, lifeline: Lifeline? = nil
    ) async throws(PGError) -> NotificationChannel {
        let session = try await Session.open(string, role: role, lifeline: lifeline)
        do throws(PGError) {
            return NotificationChannel(session: session, socket: try await session.listen(to: name))
        } catch {
            await session.close()
            throw error
        }
    }

    /// Returns the next payloads, in the order in which they were committed; waits until there is one. Only one task
    /// may call this at a time.
    ///
    /// - Throws: `connectionLost`, after which the channel is of no use; `cancelled`.
    package func next() async throws(PGError) -> [String] {
        while true {
            let payloads = try await session.takeNotifications()
            if !payloads.isEmpty { return payloads }
            await waitForReading()
            if Task.isCancelled { throw .cancelled }
        }
    }

    /// The process ID of the server process, as in `pg_stat_activity.pid`; 0 once closed.
    package var serverProcessID: Int32 {
        get async { await session.serverProcessID }
    }

    /// Logs out.
    package func close() async {
        await session.close()
    }

    /// Sends these payloads as notifications, each shorter than 8,000 bytes, all or none.
    ///
    /// A transaction that notifies holds a lock while it commits, for which all others that notify wait, on whatever
    /// channel. So this one is a transaction of its own, which does not wait for the disk: after a crash no listener is
    /// left.
    package static func notify(_ payloads: [String], on name: String, through pool: Pool) async throws {
        let command = Command(
            """
            SELECT pg_notify($1, payload), set_config('synchronous_commit', 'off', true)
            FROM unnest($2::text[]) AS payload
            """, [.text(name), .texts(payloads)])
        _ = try await pool.withSession { session in try await session.execute(command) }
    }

    /// Returns when the socket can be read or is closed by the server, or when the task is cancelled.
    private func waitForReading() async {
        let wait = Wait(source: DispatchSource.makeReadSource(fileDescriptor: socket, queue: .global()))
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                wait.source.setEventHandler { wait.source.cancel() }
                // Called exactly once, and after that the descriptor may be closed (dispatch_source_cancel(3)).
                wait.source.setCancelHandler { continuation.resume() }
                wait.source.activate()
            }
        } onCancel: {
            wait.source.cancel()
        }
    }

    // dispatch_source_cancel(3) and its like may be called from any thread; the protocol is not marked `Sendable`.
    private struct Wait: @unchecked Sendable {
        let source: any DispatchSourceRead
    }
}
