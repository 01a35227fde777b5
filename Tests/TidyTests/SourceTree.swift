import FoundationEssentials

/// A text file of the repository, as lines.
struct SourceFile: Sendable {
    /// The path relative to the repository: `Sources/Run/main.swift`.
    let path: String
    let lines: [Substring]

    init(path: String, text: String) {
        self.path = path
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        self.lines = lines
    }

    var isSwift: Bool { path.hasSuffix(".swift") }

    /// True for Swift, C, C++ and shell. Not for SQL: a published migration's text is frozen by its checksum.
    var isCode: Bool { isSwift || path.hasSuffix(".h") || path.hasSuffix(".cpp") || isScript }

    private var isScript: Bool { path.hasPrefix("script/") || path.hasPrefix(".ci/") }
}

/// The files that people write.
enum SourceTree {
    /// The files that the rules check.
    static let files: [SourceFile] = paths.filter(isJudged).compactMap { path in
        text(of: path).map { SourceFile(path: path, text: $0) }
    }

    /// The paths of all files, sorted. Built and downloaded files are left out; they are in folders whose names begin
    /// with a dot.
    static let paths: [String] = (paths(below: "") + paths(below: ".ci")).sorted()

    /// Returns the text of a file of the tree; `nil` if there is none.
    static func text(of path: String) -> String? { bytes(of: path).map { String(decoding: $0, as: UTF8.self) } }

    static func bytes(of path: String) -> [UInt8]? {
        FileManager.default.contents(atPath: "\(root)/\(path)").map { [UInt8]($0) }
    }

    private static let folders: Set<Substring> = [
        "Sources", "Tests", "Benchmarks", "SourceReader", "Migrations", "docs", "script", ".ci", "deploy", "Examples",
    ]
    private static let endings = [".swift", ".h", ".cpp", ".sql", ".md", ".modulemap", ".svg"]

    private static func isJudged(_ path: String) -> Bool {
        let parts = path.split(separator: "/")
        if parts.count == 1 { return ["Package.swift", "llms.txt"].contains(path) || path.hasSuffix(".md") }
        // Scripts have no file extension.
        return folders.contains(parts[0])
            && (endings.contains { path.hasSuffix($0) } || !parts[parts.count - 1].contains("."))
    }

    private static func paths(below folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(root)/\(folder)")) ?? []
        return names.filter { !$0.hasPrefix(".") && $0 != "__pycache__" }.flatMap { name -> [String] in
            let path = folder.isEmpty ? name : "\(folder)/\(name)"
            // A symbolic link is a file: its target is listed anyway.
            let attributes = try? FileManager.default.attributesOfItem(atPath: "\(root)/\(path)")
            return attributes?[.type] as? FileAttributeType == .typeDirectory ? paths(below: path) : [path]
        }
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
