import Postgres
import ServerMigrations

/// An ordered line of migrations: the server's own (`sync`), or one app's. Numbers run from 1 without a gap.
package struct MigrationLine: Sendable, Hashable {
    package let name: String
    package let files: [MigrationFile]
    /// Whether the files came with the library, and none of them is the app's to publish or to lint.
    package private(set) var isOfLibrary = false

    /// The line whose tables the others build on.
    package static let serverLineName = "sync"

    /// - Throws: `duplicateNumber`, `gap`.
    package init(name: String, files: [MigrationFile]) throws(MigrationError) {
        let files = files.sorted { ($0.id.number, $0.name) < ($1.id.number, $1.name) }
        for (index, file) in files.enumerated() {
            if index > 0, files[index - 1].id == file.id {
                throw .duplicateNumber(first: files[index - 1].path, second: file.path)
            }
            if file.id.number != index + 1 { throw .gap(path: file.path, expected: index + 1) }
        }
        self.name = name
        self.files = files
    }

    /// The line in `directory`, which is named for it. Markdown and hidden files are passed over; nothing else is.
    ///
    /// - Throws: `unreadable`, and whatever is wrong with a file or their order.
    package static func read(directory: String) throws(MigrationError) -> MigrationLine {
        let name = directory.split(separator: "/").last.map(String.init) ?? directory
        let fileNames: [String]
        let contents: [[UInt8]]
        do {
            fileNames = try Files.names(in: directory).filter { !$0.hasSuffix(".md") }
            contents = try fileNames.map { name throws(FileError) in try Files.contents(of: "\(directory)/\(name)") }
        } catch {
            throw .unreadable(error)
        }
        let files = try zip(fileNames, contents).map { fileName, bytes throws(MigrationError) in
            try MigrationFile(line: name, fileName: fileName, bytes: bytes)
        }
        return try MigrationLine(name: name, files: files)
    }

    /// Every line under `directory` (`Migrations`), one subdirectory each: the server's first, then by name.
    package static func readAll(directory: String) throws(MigrationError) -> [MigrationLine] {
        let names: [String]
        do {
            names = try Files.names(in: directory).filter { Files.isDirectory("\(directory)/\($0)") }
        } catch {
            throw .unreadable(error)
        }
        let lines = try names.map { name throws(MigrationError) in try read(directory: "\(directory)/\(name)") }
        return lines.filter { $0.name == serverLineName } + lines.filter { $0.name != serverLineName }
    }

    /// The server's line, and those of `apps` that are under `directory`, in this order.
    ///
    /// The server's comes with the library. A folder of it counts only where it goes on otherwise than the library
    /// does, as while the library itself is worked on: an older copy of the folder is passed over.
    package static func readAll(directory: String, apps: [String]) throws(MigrationError) -> [MigrationLine] {
        var lines = try readAll(directory: directory).filter { $0.name == serverLineName || apps.contains($0.name) }
        let library = try ofLibrary()
        guard let folder = lines.first, folder.name == serverLineName else { return [library] + lines }
        let checksums = folder.files.map(\.checksum)
        if checksums.count < library.files.count, library.files.prefix(checksums.count).map(\.checksum) == checksums {
            lines[0] = library
        }
        return lines
    }

    /// The server's line as it is in the library.
    static func ofLibrary() throws(MigrationError) -> MigrationLine {
        let files = try ServerMigrations.files.map { file throws(MigrationError) in
            try MigrationFile(line: serverLineName, fileName: file.name, bytes: file.bytes)
        }
        var line = try MigrationLine(name: serverLineName, files: files)
        line.isOfLibrary = true
        return line
    }
}

extension [MigrationLine] {
    /// The lines as they were when `app`'s had its first `count` files.
    package func cut(_ app: String, after count: Int) throws(MigrationError) -> [MigrationLine] {
        try map { line throws(MigrationError) in
            line.name == app
                ? try MigrationLine(name: app, files: Array<MigrationFile>(line.files.prefix(count))) : line
        }
    }
}
