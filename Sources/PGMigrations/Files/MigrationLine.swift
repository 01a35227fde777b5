import PGStore

/// An ordered line of migrations: the server's own (`sync`), or one app's. Numbers run from 1 without a gap.
package struct MigrationLine: Sendable, Hashable {
    package let name: String
    package let files: [MigrationFile]

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
}
