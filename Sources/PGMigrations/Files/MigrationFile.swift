import Postgres
import SQLText

/// One migration file on disk: `Migrations/<line>/NNNN-verb-noun.sql`.
package struct MigrationFile: Sendable, Hashable {
    package let id: MigrationID
    /// The file's name without its number and extension: `create-space`.
    package let name: String
    /// The SHA-256 of the file's text as 64 hexadecimal digits. Blanks at line ends and blank lines at the end of the
    /// file do not count.
    package let checksum: String
    /// The checksums of earlier versions of the file's text. A database that applied one of these versions has applied
    /// the whole file.
    package let accepted: [String]
    package private(set) var steps: [MigrationStep]
    /// The whole text, with LF as line end.
    package let sql: String

    /// The path below the migrations directory: `sync/0001-create-space.sql`.
    package var path: String { Self.path(id, name) }

    static func path(_ id: MigrationID, _ name: String) -> String {
        let digits = String(id.number)
        return "\(id.line)/\(String(repeating: "0", count: max(0, numberDigits - digits.count)))\(digits)-\(name).sql"
    }

    private static let numberDigits = 4

    /// Returns a copy of the file that has only the steps with these numbers.
    func keeping(_ numbers: Set<Int>) -> MigrationFile {
        var file = self
        file.steps = steps.filter { numbers.contains($0.number) }
        return file
    }

    /// Parses a file's name and text.
    ///
    /// - Throws: `badName`, `notUTF8`, `badSQL`, `badDirective`.
    package init(line: String, fileName: String, bytes: [UInt8]) throws(MigrationError) {
        let path = "\(line)/\(fileName)"
        guard let (number, name) = Self.parse(fileName: fileName) else { throw .badName(path: path) }
        // The only place where line ends are normalized, for running the file and for all comparisons. A byte order
        // mark is removed.
        let text = LineEnds.plain(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes)
        guard let sql = String(validating: text, as: UTF8.self) else { throw .notUTF8(path: path) }
        id = MigrationID(line: line, number: number)
        self.name = name
        self.sql = sql
        checksum = Checksum.sha256(of: Self.canonical(text))
        let script: SQLScript
        do {
            script = try SQLScript(parsing: sql)
        } catch {
            throw .badSQL(path: path, line: error.line, error.message)
        }
        let reader = try StepReader(path: path, script)
        (accepted, steps) = (reader.accepted, reader.steps)
    }

    /// Splits a file name into number and name: four digits, then at least two lower-case words, all joined by hyphens.
    private static func parse(fileName: String) -> (number: Int, name: String)? {
        guard let match = fileName.wholeMatch(of: /([0-9]{4})-([a-z0-9]+(?:-[a-z0-9]+)+)\.sql/),
            let number = Int(match.1), number > 0
        else { return nil }
        return (number, String(match.2))
    }

    /// Removes differences that an editor or a checkout may make by accident: spaces and tabs before line ends, and
    /// blank lines at the end.
    static func canonical(_ bytes: [UInt8]) -> [UInt8] {
        var lines: [UInt8] = []
        lines.reserveCapacity(bytes.count)
        func stripTrailing(_ drop: Set<UInt8>) {
            while let last = lines.last, drop.contains(last) { lines.removeLast() }
        }
        for byte in bytes {
            if byte == UInt8(ascii: "\n") { stripTrailing(blanks) }
            lines.append(byte)
        }
        stripTrailing(blanks.union([UInt8(ascii: "\n")]))
        return lines
    }

    private static let blanks: Set<UInt8> = [UInt8(ascii: " "), UInt8(ascii: "\t")]
}
