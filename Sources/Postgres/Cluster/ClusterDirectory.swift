import Glibc

/// The directories of an embedded cluster (a private PostgreSQL server's files), and the operating system's user that
/// runs the server.
///
/// PostgreSQL refuses to run as root. If this process is root's, the files belong to the user `postgres` (or else
/// `nobody`), who must be able to reach them. If that user cannot reach the requested directory, as under `/root`, the
/// cluster is under `/var/lib/syncserver` instead.
package struct ClusterDirectory: Sendable, Hashable {
    /// The directory with the data, the log, the locks and, if its path is short enough, the socket.
    package let path: String
    package let account: Account
    /// The directory of the socket, which only `account` (and root) may enter.
    package let socketDirectory: String
    /// True if the cluster is in another directory than the requested one, because the server's user cannot reach the
    /// requested one.
    let isMoved: Bool

    package var data: String { "\(path)/data" }
    /// The directory in which `initdb` creates the data. It is renamed to `data` when it is complete, so that `data` is
    /// either complete or absent.
    var unfinishedData: String { "\(path)/data.unfinished" }
    var log: String { "\(path)/postgres.log" }
    package var initializationLog: String { "\(path)/initdb.log" }
    /// The path of a lock file that a process locks while it starts or stops the server.
    var startLock: String { "\(path)/start.lock" }
    /// The path of a lock file. Every process that uses the server holds a shared lock on it.
    var usersLock: String { "\(path)/users.lock" }

    /// The path of the lock file that PostgreSQL itself creates beside its socket.
    var socketLock: String { "\(socketDirectory)/\(Self.socketName).lock" }

    /// The port number. It is only a part of the socket's name, since nothing listens on the network.
    package static let port = 5432

    private static let socketName = ".s.PGSQL.\(port)"

    /// The longest path of a socket, in bytes. `sun_path` of `sockaddr_un` has 108 bytes, one of them for the end
    /// (`unix(7)`).
    private static let socketPathMaxBytes = 107

    /// Chooses the directories for a requested path, without creating or changing a file.
    package init(requested: String) {
        let requested = Files.absolute(requested)
        let user = Account.current
        account = user.isRoot ? Account(named: "postgres") ?? Account(named: "nobody") ?? user : user
        let digest = String(Checksum.sha256(of: Array(requested.utf8)).prefix(16))
        isMoved = !Files.isReachable(requested, by: account)
        path = isMoved ? "/var/lib/syncserver/\(digest)" : requested
        let beside = "\(path)/socket"
        let fits = "\(beside)/\(Self.socketName)".utf8.count <= Self.socketPathMaxBytes
        socketDirectory = fits ? beside : "/tmp/syncserver-\(account.userID)-\(digest)"
    }

    /// Creates the cluster's directory and the socket's directory if they do not exist.
    ///
    /// - Throws: `directoryNotPrivate` if another user owns one of them, or may enter it.
    package func make() throws(ClusterError) {
        do {
            for directory in [path, socketDirectory] where !Files.isDirectory(directory) {
                try Files.makeDirectory(directory, mode: 0o700)
                try Files.changeOwner(of: directory, to: account)
            }
        } catch {
            throw .file(error)
        }
        for directory in [path, socketDirectory] where !Files.isPrivateDirectory(directory, of: account.userID) {
            throw .directoryNotPrivate(path: directory)
        }
    }

    package func program(_ path: String, _ arguments: [String]) -> Program {
        Program(path: path, arguments: arguments, account: account)
    }
}
