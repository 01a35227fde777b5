import Postgres
import ServerMigrations

/// A numbered sequence of migrations: the server's own (`sync`), or one app's. Numbers run from 1 without a gap.
package struct MigrationLine: Sendable, Hashable {
    package let name: String
    package let files: [MigrationFile]
    /// True if the files come with the library. An app then need not publish or lint them.
    package private(set) var isOfLibrary = false

    /// The name of the server's own line of migrations. The tables of the apps' lines depend on its tables.
    package static let serverLineName = "sync"

    /// Sorts the files by number, and checks the numbers.
    ///
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

    /// Reads the migration files in `directory`. The directory's name is the name of the line (the ordered sequence of
    /// files). Markdown and hidden files are skipped. Every other file must be a migration.
    ///
    /// - Throws: `unreadable`, or the error of a faulty file or of a wrong numbering.
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

    /// Reads the migration files in each subdirectory of `directory`, which is usually `Migrations`. Returns the
    /// server's own line of migrations first, then the apps' lines in the order of their names.
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

    /// Returns the server's own line of migrations, then the lines of `apps` that are in `directory`, by name.
    ///
    /// The server's line is part of the library. A folder for it in `directory` is used only if its files differ from
    /// the library's, or if it has more files, as during the development of the library. A folder with an older copy of
    /// the library's files is ignored.
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

    /// Returns the server's own line, which the library contains.
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
    /// Returns the lines, with the line of `app` reduced to its first `count` files.
    package func cut(_ app: String, after count: Int) throws(MigrationError) -> [MigrationLine] {
        try map { line throws(MigrationError) in
            line.name == app
                ? try MigrationLine(name: app, files: Array<MigrationFile>(line.files.prefix(count))) : line
        }
    }
}
