import Glibc
import PGMigrations
import Postgres
import SyncTestSupport
import SyncTesting
import Testing

/// Tests of units of `Type=notify`: the messages of a server to the systemd that started it.
@Suite struct SupervisorTests {
    @Test(arguments: [false, true])
    func systemdReceivesTheStartTheWatchdogAndTheEnd(isAbstract: Bool) async throws {
        let folder = try TemporaryDirectory()
        let name = isAbstract ? "@syncserver-test-\(getpid())" : "\(folder.path)/notify"
        let manager = try NotifySocket(name)
        try await withTestDatabase { database in
            try await Migrator(database.connectionString, lines: Repository.migrations()).up(contracts: .run)
            let process = ServerProcess()
            let port = try await process.start(
                database.connectionString, variables: ["NOTIFY_SOCKET": name, "WATCHDOG_USEC": "400000"])
            #expect(try await manager.next() == "READY=1\nSTATUS=Listening on http://127.0.0.1:\(port)")
            for _ in 1...3 { #expect(try await manager.next() == "WATCHDOG=1") }
            await process.terminate()
            var last = try await manager.next()
            while last == "WATCHDOG=1" { last = try await manager.next() }
            #expect(last.hasPrefix("STOPPING=1\n"))
            try await eventually("the server is gone") { await !process.isRunning }
        }
    }

    /// A watchdog that is another process's, or a name that is none, is no reason to say or to fail anything.
    @Test(arguments: [
        ["NOTIFY_SOCKET": "/nonexistent/socket"], ["NOTIFY_SOCKET": "vsock:1:2"],
        ["NOTIFY_SOCKET": String(repeating: "/long", count: 40)],
    ])
    func nobodyWhoListensIsNoFault(variables: [String: String]) async throws {
        try await withTestDatabase { database in
            try await Migrator(database.connectionString, lines: Repository.migrations()).up(contracts: .run)
            let process = ServerProcess()
            let port = try await process.start(
                database.connectionString,
                variables: variables.merging(["WATCHDOG_USEC": "nonsense"]) { $1 })
            #expect(try await TestClient(port: port).request("GET", "/healthz").status == 200)
            await process.terminate()
            try await eventually("the server is gone") { await !process.isRunning }
        }
    }

    @Test func aWatchdogOfAnotherProcessIsNotFed() async throws {
        let folder = try TemporaryDirectory()
        let name = "\(folder.path)/notify"
        let manager = try NotifySocket(name)
        try await withTestDatabase { database in
            try await Migrator(database.connectionString, lines: Repository.migrations()).up(contracts: .run)
            let process = ServerProcess()
            _ = try await process.start(
                database.connectionString,
                variables: ["NOTIFY_SOCKET": name, "WATCHDOG_USEC": "1000", "WATCHDOG_PID": "1"])
            #expect(try await manager.next().hasPrefix("READY=1"))
            await process.terminate()
            #expect(try await manager.next().hasPrefix("STOPPING=1"))
            try await eventually("the server is gone") { await !process.isRunning }
        }
    }
}

/// A socket on which a service manager listens.
private actor NotifySocket {
    private let queue = BlockingQueue(label: "notify-socket")
    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
    private let descriptor: CInt

    struct Failure: Error {
        let call: String
        let code: CInt
    }

    /// - Parameter name: a path, or `@` and an abstract name.
    init(_ name: String) throws {
        descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(name.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { path in
            path.copyBytes(from: bytes)
            if bytes[0] == UInt8(ascii: "@") { path[0] = 0 }
        }
        let length = socklen_t(MemoryLayout.offset(of: \sockaddr_un.sun_path)! + bytes.count)
        let descriptor = descriptor
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        if bound != 0 { throw Failure(call: "bind", code: errno) }
        // A server that never says anything is to fail the test.
        var patience = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    func next() throws -> String {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        if count < 0 { throw Failure(call: "recv", code: errno) }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
