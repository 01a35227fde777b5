/// The names of files and folders.
struct TreeNames: Sendable {
    private(set) var files: Set<String>
    private(set) var folders: Set<String> = []
    /// The ends of paths, from any folder on: `SyncEngine/Push`, `Push/PushBatch.swift`, `Push/PushBatch`.
    private(set) var tails: Set<String> = []
    /// The names of files without their ending: `A+B` and `A` of `A+B.swift`.
    private(set) var stems: Set<String> = []
    /// The names of files and folders: `Push`, `PushBatch.swift`.
    private(set) var names: Set<String> = []

    static let ofTree = TreeNames(SourceTree.paths)

    init(_ paths: [String]) {
        files = Set(paths)
        for path in paths {
            let parts = path.split(separator: "/")
            for count in 1..<parts.count { folders.insert(parts[..<count].joined(separator: "/")) }
            let name = parts[parts.count - 1]
            names.insert(String(name))
            let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name
            stems.insert(String(stem))
            stems.insert(String(name.prefix { $0 != "+" && $0 != "." }))
            for start in parts.indices {
                let tail = parts[start...].joined(separator: "/")
                tails.insert(tail)
                for ending in [".swift", ".sql", ".md"] where tail.hasSuffix(ending) {
                    tails.insert(String(tail.dropLast(ending.count)))
                }
            }
        }
        for folder in folders {
            let parts = folder.split(separator: "/")
            names.insert(String(parts[parts.count - 1]))
            for start in parts.indices { tails.insert(parts[start...].joined(separator: "/")) }
        }
    }

    func contains(_ path: String) -> Bool { path.isEmpty || files.contains(path) || folders.contains(path) }

    /// Follows a path from a page's folder; `nil` if it leads out of the tree.
    static func path(_ relative: String, from page: String) -> String? {
        var parts = page.split(separator: "/").dropLast()
        for part in relative.split(separator: "/") where part != "." {
            if part != ".." { parts.append(part) } else if parts.popLast() == nil { return nil }
        }
        return parts.joined(separator: "/")
    }
}
