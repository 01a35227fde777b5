/// An error of starting, using or deleting an embedded cluster (a private PostgreSQL server). `description` also says
/// how to fix it.
package enum ClusterError: Error, Sendable {
    /// No PostgreSQL 15 or newer was found.
    case notInstalled
    /// The data directory was made by a major version of PostgreSQL that is not installed.
    case versionMissing(major: Int, directory: String)
    case file(FileError)
    /// Another user owns one of the cluster's directories, or may enter it.
    case directoryNotPrivate(path: String)
    /// A program could not do its work: it ended with the status `status`, and `output` is the end of its output.
    case programFailed(program: String, status: Int, output: String)
    /// The server ended, or took too long to accept connections; `log` is the end of its log.
    case didNotStart(logPath: String, log: String)
    /// Another process is starting or stopping the cluster, and has not finished before the deadline.
    case busy(directory: String)
    /// The cluster cannot be deleted, because a program uses it.
    case inUse(directory: String)
    /// The directory exists, but is no embedded cluster.
    case noCluster(directory: String)
    case database(PGError)
    case cancelled
}

extension ClusterError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notInstalled:
            "PostgreSQL 15 or newer is not installed. Install it (Debian: apt-get install postgresql), "
                + "or set DATABASE_URL to a server that runs already."
        case .versionMissing(let major, let directory):
            "\(directory) was made by PostgreSQL \(major), which is not installed. Install postgresql-\(major), "
                + "or move the directory away to begin with an empty database."
        case .file(let error): error.description
        case .directoryNotPrivate(let path):
            "\(path) belongs to, or is open to, another user. Remove it and start again."
        case .programFailed(let program, let status, let output): "\(program) ended with status \(status): \(output)"
        case .didNotStart(let logPath, let log): "PostgreSQL did not start; see \(logPath). It ends: \(log)"
        case .busy(let directory): "Another process is starting or stopping PostgreSQL in \(directory)."
        case .inUse(let directory): "A program uses PostgreSQL in \(directory). Stop it first."
        case .noCluster(let directory):
            "\(directory) is a link, lies behind one, or holds no cluster. Nothing was deleted."
        case .database(let error): error.debugDescription
        case .cancelled: "Cancelled."
        }
    }
}
