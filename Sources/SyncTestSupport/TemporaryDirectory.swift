import Glibc
import Postgres
import SyncTesting

/// A directory for one test. It is deleted, with its content, when this object is released.
package final class TemporaryDirectory: Sendable {
    package let path: String

    package init() throws {
        let template = TestCluster.temporaryDirectory + "/syncserver-files-XXXXXX"
        var bytes = Array(template.utf8CString)
        guard mkdtemp(&bytes) != nil else { throw FileError("create", path: template) }
        path = String(decoding: bytes.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // The embedded cluster's account must be able to traverse the directory.
        chmod(path, 0o755)
    }

    deinit {
        try? Files.removeTree(path)
    }

    /// Writes a file into the directory, and creates the folders in its name.
    package func write(_ bytes: some Sequence<UInt8>, to name: String) throws {
        let file = "\(path)/\(name)"
        try Files.makeDirectory(file.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }, mode: 0o755)
        let stream = fopen(file, "w")
        guard let stream else { throw FileError("write", path: file) }
        defer { fclose(stream) }
        let bytes = Array(bytes)
        guard fwrite(bytes, 1, bytes.count, stream) == bytes.count else { throw FileError("write", path: file) }
    }
}
