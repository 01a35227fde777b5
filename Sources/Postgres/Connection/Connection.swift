import CPostgres
import Glibc

/// The owner of one libpq connection. Every method blocks, and is called only on the queue of the connection's session.
struct Connection: ~Copyable {
    private let pointer: OpaquePointer
    /// The longest time to wait for an answer of a silent server, in milliseconds; -1 for no limit.
    private let silenceMax: Int32
    private let lifeline: Lifeline?

    /// Connects and logs in.
    ///
    /// - Throws: `unreachable` or `tooManyConnections`. The failed connection is freed, as the manual says of
    ///   `PQfinish`: "even if the server connection attempt fails (as indicated by PQstatus), the application
    ///   should call PQfinish to free the memory used by the PGconn object".
    init(opening string: ConnectionString, silenceMax: Duration, lifeline: Lifeline? = nil) throws(PGError) {
        let parameters = string.parameters
        let opened = withCStrings(parameters.map(\.keyword)) { keywords in
            withCStrings(parameters.map(\.value)) { values in PQconnectdbParams(keywords, values, 0) }
        }
        guard let opened else { throw .unreachable(reason: "Out of memory.") }
        guard PQstatus(opened) == CONNECTION_OK else {
            defer { PQfinish(opened) }
            throw Connection.failure(toConnect: opened)
        }
        // libpq would write notices to standard error.
        PQsetNoticeProcessor(opened, { _, _ in }, nil)
        PQsetnonblocking(opened, 1)
        pointer = opened
        self.lifeline = lifeline
        self.silenceMax = silenceMax == .zero ? -1 : Int32(clamping: silenceMax.wholeMilliseconds)
    }

    deinit { PQfinish(pointer) }

    /// True if the connection was lost. It never recovers.
    var isBroken: Bool { PQstatus(pointer) == CONNECTION_BAD }

    /// True if a transaction is open on the server, even one in which a statement has failed.
    var isInTransaction: Bool {
        let status = PQtransactionStatus(pointer)
        return status == PQTRANS_INTRANS || status == PQTRANS_INERROR
    }

    /// The process ID of the server process, as in `pg_stat_activity.pid`.
    var serverProcessID: Int32 { PQbackendPID(pointer) }

    /// The socket, for waiting until there is something to read. It stays the same, and is closed with the connection.
    var socket: Int32 { PQsocket(pointer) }

    /// Returns the payloads of the notifications that have arrived, without waiting (manual, chapter 34.9 "Asynchronous
    /// Notification").
    ///
    /// - Throws: `connectionLost`.
    func takeNotifications() throws(PGError) -> [String] {
        guard PQconsumeInput(pointer) == 1, !isBroken else { throw .connectionLost(reason: lastMessage) }
        var payloads: [String] = []
        while let notification = PQnotifies(pointer) {
            payloads.append(String(cString: notification.pointee.extra))
            PQfreemem(notification)
        }
        return payloads
    }

    /// Returns `name` quoted as an SQL identifier.
    func quotedIdentifier(_ name: String) throws(PGError) -> String {
        let quoted = PQescapeIdentifier(pointer, name, name.utf8.count)
        guard let quoted else { throw .statement(ServerReport(sqlState: "22021", message: lastMessage)) }
        defer { PQfreemem(quoted) }
        return String(cString: quoted)
    }

    /// Runs a text of any number of statements, without parameters, as one simple query. Outside BEGIN and COMMIT, the
    /// statements form one transaction.
    func runScript(_ sql: String) throws(PGError) {
        guard PQsendQuery(pointer, sql) == 1 else { throw .connectionLost(reason: lastMessage) }
        try flush()
        var firstError: PGError?
        while let result = try nextResult() {
            defer { PQclear(result) }
            switch PQresultStatus(result) {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: break
            // A COPY would wait for this client to send or receive data.
            case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
                throw .connectionLost(reason: "A script cannot COPY to or from the client.")
            default: firstError = firstError ?? error(of: result, sql: "")
            }
        }
        if let firstError { throw firstError }
    }

    /// Sends all requests, then reads all answers: one round trip (manual, chapter 34.5 "Pipeline Mode").
    ///
    /// - Throws: `connectionLost`. The connection can then not be used any more.
    func run(_ requests: [Request]) throws(PGError) -> Answers {
        guard PQenterPipelineMode(pointer) == 1 else { throw .connectionLost(reason: lastMessage) }
        var bindings = Bindings()
        for request in requests {
            guard send(request, &bindings) else { throw .connectionLost(reason: lastMessage) }
        }
        guard PQpipelineSync(pointer) == 1 else { throw .connectionLost(reason: lastMessage) }
        try flush()
        let answers = try receive(requests)
        guard PQexitPipelineMode(pointer) == 1 else { throw .connectionLost(reason: lastMessage) }
        return answers
    }
}

extension Connection {
    private var lastMessage: String {
        String(cString: PQerrorMessage(pointer)).trimmingNewlines
    }

    /// Returns the error of a failed login: `tooManyConnections`, which callers retry after a wait, or otherwise
    /// `unreachable`. The text of `PQerrorMessage` decides, because it has no SQLSTATE.
    private static func failure(toConnect pointer: OpaquePointer) -> PGError {
        let reason = String(cString: PQerrorMessage(pointer)).trimmingNewlines
        if reason.contains("too many clients") || reason.contains("remaining connection slots")
            || reason.contains("too many connections")
        {
            return .tooManyConnections(ServerReport(sqlState: "53300", message: reason))
        }
        return .unreachable(reason: reason)
    }

    /// Passes one request to libpq, which copies it. Returns false if libpq does not accept it.
    private func send(_ request: Request, _ bindings: inout Bindings) -> Bool {
        let parameters = request.command.parameters
        let count = Int32(parameters.count)
        let sql = request.command.statement.sql
        let binary: Int32 = 1
        switch request {
        case .prepare(let name, _):
            return PQsendPrepare(pointer, name, sql, count, parameters.map(\.oid)) == 1
        case .execute(let name, _):
            return bindings.bind(parameters) { values, lengths, formats in
                PQsendQueryPrepared(pointer, name, count, values, lengths, formats, binary) == 1
            }
        case .runOnce:
            return bindings.bind(parameters) { values, lengths, formats in
                let oids = parameters.map(\.oid)
                return PQsendQueryParams(pointer, sql, count, oids, values, lengths, formats, binary) == 1
            }
        }
    }

    /// Sends all queued requests, and reads the results that arrive meanwhile.
    ///
    /// The manual, chapter 34.4, on `PQflush` returning 1: "wait for the socket to become read- or write-ready. If it
    /// becomes write-ready, call PQflush again. If it becomes read-ready, call PQconsumeInput, then call PQflush
    /// again." Without the reading, two full socket buffers would wait for each other for ever.
    private func flush() throws(PGError) {
        while true {
            switch PQflush(pointer) {
            case 0: return
            case 1:
                if try wait(for: POLLIN | POLLOUT) & POLLIN != 0, PQconsumeInput(pointer) == 0 {
                    throw .connectionLost(reason: lastMessage)
                }
            default: throw .connectionLost(reason: lastMessage)
            }
        }
    }

    /// Waits until a result can be read without blocking, and returns it (`PQgetResult`).
    ///
    /// - Throws: `connectionLost` if the server is silent for longer than `silenceMax`.
    private func nextResult() throws(PGError) -> OpaquePointer? {
        while PQisBusy(pointer) == 1 {
            // If the connection broke, the next result holds the error.
            if try wait(for: POLLIN) != 0, PQconsumeInput(pointer) == 0 { return PQgetResult(pointer) }
        }
        return PQgetResult(pointer)
    }

    /// Waits until the socket is ready for one of `events`: to be read or to be written.
    ///
    /// - Returns: the events that occurred; 0 if a signal interrupted the wait.
    /// - Throws: `connectionLost` if the server is silent for longer than `silenceMax`, or the session's `Lifeline` was
    ///   cut.
    private func wait(for events: Int32) throws(PGError) -> Int32 {
        // poll(2) ignores a negative descriptor.
        var watched = (
            pollfd(fd: PQsocket(pointer), events: Int16(events), revents: 0),
            pollfd(fd: lifeline?.descriptor ?? -1, events: Int16(POLLIN), revents: 0)
        )
        let ready = withUnsafeMutablePointer(to: &watched) {
            $0.withMemoryRebound(to: pollfd.self, capacity: 2) { poll($0, 2, silenceMax) }
        }
        if ready == 0 { throw .connectionLost(reason: "The server has been silent for too long.") }
        if ready < 0, errno != EINTR { throw .connectionLost(reason: "poll failed: \(errno)") }
        if ready > 0, watched.1.revents != 0 { throw .connectionLost(reason: "We are stopping.") }
        return ready < 0 ? 0 : Int32(watched.0.revents)
    }

    /// Reads the server's answers to `requests`, one for each, until the end of the pipeline.
    private func receive(_ requests: [Request]) throws(PGError) -> Answers {
        var answers = Answers()
        answers.rows.reserveCapacity(requests.count)
        var answered = 0
        // Each request's results end with a null; two in a row mean that nothing more will come.
        var nullsInARow = 0
        while true {
            guard let result = try nextResult() else {
                nullsInARow += 1
                guard nullsInARow < 2, !isBroken else { throw .connectionLost(reason: lastMessage) }
                continue
            }
            nullsInARow = 0
            switch PQresultStatus(result) {
            case PGRES_PIPELINE_SYNC:
                PQclear(result)
                guard answered == requests.count else {
                    throw .connectionLost(reason: "The server gave \(answered) answers to \(requests.count) requests.")
                }
                return answers
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
                answers.rows.append(Rows(taking: result))
            case PGRES_PIPELINE_ABORTED:
                PQclear(result)
            default:
                let sql = answered < requests.count ? requests[answered].command.statement.sql : ""
                let error = error(of: result, sql: sql)
                PQclear(result)
                if case .connectionLost = error { throw error }
                answers.failure = answers.failure ?? error
            }
            answered += 1
        }
    }

    /// Returns the error that `result` reports for the statement `sql`. The caller still clears `result`.
    private func error(of result: OpaquePointer, sql: String) -> PGError {
        func field(_ code: Int) -> String? {
            PQresultErrorField(result, Int32(code)).map { String(cString: $0) }
        }
        guard let state = field(Connection.sqlStateField) else {
            let message = String(cString: PQresultErrorMessage(result)).trimmingNewlines
            if isBroken { return .connectionLost(reason: message) }
            return .statement(ServerReport(sqlState: "", message: message, sql: sql))
        }
        return PGError(
            ServerReport(
                sqlState: state, message: field(Connection.messageField) ?? "", detail: field(Connection.detailField),
                hint: field(Connection.hintField), constraint: field(Connection.constraintField),
                table: field(Connection.tableField).map { table in
                    field(Connection.schemaField).map { "\($0).\(table)" } ?? table
                },
                column: field(Connection.columnField), routine: field(Connection.routineField),
                position: field(Connection.positionField).flatMap { Int($0) }, sql: sql))
    }

    // The PG_DIAG_… macros are character constants, which Swift does not import (postgres_ext.h).
    private static let sqlStateField = Int(UInt8(ascii: "C"))
    private static let messageField = Int(UInt8(ascii: "M"))
    private static let detailField = Int(UInt8(ascii: "D"))
    private static let hintField = Int(UInt8(ascii: "H"))
    private static let positionField = Int(UInt8(ascii: "P"))
    private static let constraintField = Int(UInt8(ascii: "n"))
    private static let schemaField = Int(UInt8(ascii: "s"))
    private static let tableField = Int(UInt8(ascii: "t"))
    private static let columnField = Int(UInt8(ascii: "c"))
    private static let routineField = Int(UInt8(ascii: "R"))
}

/// Passes `strings` to `body` as a null-terminated array of C strings, which is valid until `body` returns.
private func withCStrings<Value>(
    _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Value
) -> Value {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    let pointers = copies.map { UnsafePointer($0) } + [nil]
    return pointers.withUnsafeBufferPointer { body($0.baseAddress!) }
}

extension String {
    fileprivate var trimmingNewlines: String {
        var text = self
        while text.last?.isNewline == true { text.removeLast() }
        return text
    }
}
