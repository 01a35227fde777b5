import Glibc

/// The service manager that started this process and expects notifications about its state: sd_notify(3), for units of
/// `Type=notify`. systemd is one. Others use the same protocol, datagrams to the socket `NOTIFY_SOCKET`.
struct Supervisor: Sendable {
    /// The path of the socket for notifications, or `@` followed by the name of an abstract socket; `nil` if no
    /// notifications are expected.
    private let socketName: String?
    /// The longest interval between two keep-alive messages that the service manager allows; `nil` if it expects no
    /// such messages.
    let watchdogInterval: Duration?

    /// Reads the service manager's settings from the environment variables.
    init() {
        socketName = Environment.variable("NOTIFY_SOCKET")
        // A child process inherits the variables, but they are not meant for it.
        let process = Environment.variable("WATCHDOG_PID")
        let isMeant = process == nil || process == "\(getpid())"
        let microseconds = Environment.variable("WATCHDOG_USEC").flatMap { Int64($0) } ?? 0
        watchdogInterval = isMeant && microseconds > 0 ? .microseconds(microseconds) : nil
    }

    /// True if standard error goes to systemd's journal, which reads the priority of each line from its first
    /// characters. `JOURNAL_STREAM` has the device and inode of the journal's socket: systemd.exec(5).
    static var readsStandardError: Bool {
        var file = stat()
        guard let stream = Environment.variable("JOURNAL_STREAM"), fstat(STDERR_FILENO, &file) == 0 else {
            return false
        }
        return stream == "\(file.st_dev):\(file.st_ino)"
    }

    /// Notifies the service manager that requests are served.
    func ready(_ status: String) { send("READY=1\nSTATUS=\(status)") }

    /// Notifies the service manager that no more requests are accepted.
    func stopping() { send("STOPPING=1\nSTATUS=Finishing what is in flight.") }

    /// Notifies the service manager that the configuration files are being read again. `ready` reports the end of this.
    func reloading() { send("RELOADING=1\nSTATUS=Reading its files again.") }

    /// Sends two keep-alive messages in each `watchdogInterval`, until the task is cancelled. They are sent by a task
    /// in the same thread pool as requests, so they stop if requests hang.
    func keepAlive() async {
        guard let watchdogInterval else { return }
        repeat { send("WATCHDOG=1") } while (try? await Task.sleep(for: watchdogInterval / 2)) != nil
    }

    /// Sends a message to the service manager, if there is one.
    private func send(_ message: String) {
        guard let socketName, let first = socketName.utf8.first else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(socketName.utf8)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        // A path ends with NUL, and an abstract name begins with it.
        guard name.count < room, first == UInt8(ascii: "/") || first == UInt8(ascii: "@") else { return }
        withUnsafeMutableBytes(of: &address.sun_path) { path in
            path.copyBytes(from: name)
            if first == UInt8(ascii: "@") { path[0] = 0 }
        }
        let length = socklen_t(MemoryLayout.offset(of: \sockaddr_un.sun_path)! + name.count)
        let descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let bytes = Array(message.utf8)
        withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = sendto(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL), address, length)
            }
        }
    }
}
