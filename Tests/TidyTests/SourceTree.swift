import FoundationEssentials

/// One text file of the repository, by lines.
struct SourceFile: Sendable {
    /// Relative to the repository: `Sources/Run/main.swift`.
    let path: String
    let lines: [Substring]

    init(path: String, text: String) {
        self.path = path
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        self.lines = lines
    }

    var isSwift: Bool { path.hasSuffix(".swift") }

    /// Swift, C, C++ and shell. Not SQL: a published migration's text is frozen by its checksum.
    var isCode: Bool { isSwift || path.hasSuffix(".h") || path.hasSuffix(".cpp") || isScript }

    private var isScript: Bool { path.hasPrefix("script/") || path.hasPrefix(".ci/") }
}

/// The files that people write.
enum SourceTree {
    static let files: [SourceFile] = {
        let single = ["Package.swift", "README.md", "CHANGELOG.md"]
        return (single + folders.flatMap(paths(below:))).sorted().compactMap { path in
            (try? String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)).map { SourceFile(path: path, text: $0) }
        }
    }()

    private static let folders = [
        "Sources", "Tests", "Benchmarks", "SourceReader", "Migrations", "docs", "script", ".ci",
    ]
    private static let endings = [".swift", ".h", ".cpp", ".sql", ".md", ".modulemap"]

    private static func paths(below folder: String) -> [String] {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: "\(root)/\(folder)")) ?? []
        return names.filter { name in
            // Scripts have no ending; build products lie in a folder with a dot.
            !name.hasPrefix(".") && (endings.contains { name.hasSuffix($0) } || !name.contains("."))
        }.map { "\(folder)/\($0)" }
    }

    /// The folder of Package.swift, above this file.
    private static let root: String = {
        var folder = #filePath[...]
        while let slash = folder.lastIndex(of: "/") {
            folder = folder[..<slash]
            if FileManager.default.fileExists(atPath: "\(folder)/Package.swift") { break }
        }
        return String(folder)
    }()
}
