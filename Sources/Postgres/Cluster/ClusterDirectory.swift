import Glibc

/// Where an embedded cluster lives, and whom its server runs as.
///
/// PostgreSQL refuses to run as root. From a root shell the files belong to `postgres` (or else `nobody`),
/// which must be able to reach them; under a directory such as `/root` it cannot, and the cluster moves to
/// `/var/lib/syncserver`.
package struct ClusterDirectory: Sendable, Hashable {
    /// Holds `data`, the log, the locks and, if its path is short enough, the socket.
    package let path: String
    package let account: Account
    /// Holds the socket: a directory that only `account` (and root) may enter.
    package let socketDirectory: String
    /// The cluster is not where it was asked to be.
    let isMoved: Bool

    package var data: String { "\(path)/data" }
    /// `initdb` works here, so that `data` is whole or absent.
    var unfinishedData: String { "\(path)/data.unfinished" }
    var log: String { "\(path)/postgres.log" }
    package var initializationLog: String { "\(path)/initdb.log" }
    /// Held while somebody starts or stops the server.
    var startLock: String { "\(path)/start.lock" }
    /// Shared by everybody who uses the server.
    var usersLock: String { "\(path)/users.lock" }

    /// PostgreSQL's own claim on the socket.
    var socketLock: String { "\(socketDirectory)/\(Self.socketName).lock" }

    /// Only a part of the socket's name, since nothing listens on the network.
    package static let port = 5432

    private static let socketName = ".s.PGSQL.\(port)"

    /// `sun_path` of `sockaddr_un` has 108 bytes, one of them for the end (`unix(7)`).
    private static let socketPathMaxBytes = 107

    /// Decides where things go; touches nothing.
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
    /// - Throws: `directoryNotPrivate` if somebody else put one there before us.
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
