import Foundation
import PGStore
import Postgres

/// `syncserver reset`: stops the private database of the working directory and deletes its files.
struct ResetCommand {
    static let spec = CommandSpec(
        "reset", "Forget the private database of this folder: end it and delete its files",
        details: [
            "It is the one in .syncserver/postgres that commands use where no database is named, with the demo's "
                + "token. From a root shell it may lie below /var/lib/syncserver. No other database is touched."
        ],
        options: [.flag("yes", "do not ask first")], run: run)

    static func run(_ options: Options) async throws -> Int32 {
        let path = ClusterDirectory(requested: Environment.clusterDirectory).path
        if FileManager.default.fileExists(atPath: path), !options.has("yes") {
            try Confirmation.ask(
                for: "reset", "All that the private database in \(path) holds is deleted.",
                otherwise: "Nothing was deleted.")
        }
        let removed = try await EmbeddedCluster.remove(directory: Environment.clusterDirectory)
        try? FileManager.default.removeItem(atPath: Demo.file)
        Terminal.print(removed.map { "Deleted \($0)." } ?? "There is no private database here.")
        return 0
    }
}
