import Dispatch

/// A session of its own that receives the notifications on one channel (LISTEN and NOTIFY).
///
/// PostgreSQL stores no notifications for absent listeners: those sent before a channel is opened, or between closing
/// one and opening the next, are lost. An open channel uses no thread while it waits.
package final class NotificationChannel: Sendable {
    private let session: Session
    private let socket: Int32

    private init(session: Session, socket: Int32) {
        (self.session, self.socket) = (session, socket)
    }

    /// Opens a channel: logs in and listens. Notifications that are sent from now on are received.
    ///
    /// - Throws: the errors of `Session.open`.
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

    /// Returns the payloads that have arrived, in the order in which they were committed; waits until there is at least
    /// one. Only one task may call this at a time.
    ///
    /// - Throws: `connectionLost`, after which the channel must be replaced by another; `cancelled`.
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

    /// Closes the channel and its session.
    package func close() async {
        await session.close()
    }

    /// Sends each of `payloads` as a notification on the channel `name`. Either all are sent or none. Each payload must
    /// be shorter than 8,000 bytes.
    ///
    /// PostgreSQL commits transactions with notifications one after the other, so the notifications get a short
    /// transaction of their own. It does not wait for the disk. A crash may lose notifications, but it also ends all
    /// sessions that would have received them.
    package static func notify(_ payloads: [String], on name: String, through pool: Pool) async throws {
        let command = Command(
            """
            SELECT pg_notify($1, payload), set_config('synchronous_commit', 'off', true)
            FROM unnest($2::text[]) AS payload
            """, [.text(name), .texts(payloads)])
        _ = try await pool.withSession { session in try await session.execute(command) }
    }

    /// Returns when the socket can be read, when the server closes it, or when the task is cancelled.
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
