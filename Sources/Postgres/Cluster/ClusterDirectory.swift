import Glibc

/// The directories of an embedded cluster, and the account of its server.
///
/// PostgreSQL refuses to run as root. From a root shell the files belong to `postgres` (or else `nobody`), which must
/// be able to reach them; under a directory such as `/root` it cannot, and the cluster moves to `/var/lib/syncserver`.
package struct ClusterDirectory: Sendable, Hashable {
    /// The directory of `data`, the log, the locks and, if its path is short enough, the socket.
    package let path: String
    package let account: Account
    /// The directory of the socket, which only `account` (and root) may enter.
    package let socketDirectory: String
    /// True if the cluster is not in the requested directory.
    let isMoved: Bool

    package var data: String { "\(path)/data" }
    /// The working directory of `initdb`, so that `data` is either complete or absent.
    var unfinishedData: String { "\(path)/data.unfinished" }
    var log: String { "\(path)/postgres.log" }
    package var initializationLog: String { "\(path)/initdb.log" }
    /// A lock file that is held while the server is started or stopped.
    var startLock: String { "\(path)/start.lock" }
    /// A lock file that every user of the server holds as shared.
    var usersLock: String { "\(path)/users.lock" }

    /// The lock file by which PostgreSQL itself claims the socket.
    var socketLock: String { "\(socketDirectory)/\(Self.socketName).lock" }

    /// The port number. It is only a part of the socket's name, since nothing listens on the network.
    package static let port = 5432

    private static let socketName = ".s.PGSQL.\(port)"

    /// The longest path of a socket, in bytes. `sun_path` of `sockaddr_un` has 108 bytes, one of them for the end
    /// (`unix(7)`).
    private static let socketPathMaxBytes = 107

    /// Chooses the directories; touches no file.
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

    /// Makes the directories.
    ///
    /// - Throws: `directoryNotPrivate` if another user has made one before.
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
