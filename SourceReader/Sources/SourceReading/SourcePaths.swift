internal import Foundation
package import SourceFacts

/// The Swift files and Core Data models below paths, in an order that does not depend on the file system.
package struct SourcePaths {
    /// The files, with names relative to the given folder.
    package private(set) var files: [SourceFile] = []
    package private(set) var problems: [SourceFacts.Problem] = []
    private var seen: Set<String> = []
    private let folder: [String]

    /// Folders of build products or of other people's code.
    static let skipped: Set<String> = ["Pods", "Carthage", "DerivedData"]

    /// - Parameter folder: the folder to which names are relative; without it, the folder of the first path.
    /// - Throws: ``ReadFailure`` for a path that is neither a file nor a folder.
    package init(_ paths: [String], relativeTo folder: String?) throws(ReadFailure) {
        let kinds = try paths.map { path throws(ReadFailure) in try SourcePaths.kind(of: path) }
        if let folder {
            guard try SourcePaths.kind(of: folder) == .typeDirectory else { throw .noFolder(folder) }
            self.folder = SourcePaths.components(folder)
        } else if let first = paths.first {
            let parts = SourcePaths.components(first)
            // A bundle counts as one file, and keeps its name.
            self.folder = kinds.first == .typeDirectory && !DocumentKind.isBundle(first) ? parts : parts.dropLast()
        } else {
            self.folder = []
        }
        for (path, kind) in zip(paths, kinds) {
            let parts = SourcePaths.components(path)
            if kind == .typeDirectory { visit(parts) } else { add(parts) }
        }
    }

    /// Returns the kind of a file. Symbolic links are followed, because a user who names a link means its target.
    private static func kind(of path: String) throws(ReadFailure) -> FileAttributeType {
        let resolved = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        switch type(of: resolved) {
        case .typeDirectory: return .typeDirectory
        case .typeRegular: return .typeRegular
        case nil: throw .nothingThere(path)
        default: throw .neitherFileNorFolder(path)
        }
    }

    private static func type(of path: String) -> FileAttributeType? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType
    }

    private static func components(_ path: String) -> [String] {
        URL(fileURLWithPath: path).resolvingSymlinksInPath().standardizedFileURL.path
            .split(separator: "/").map(String.init)
    }

    private mutating func visit(_ folder: [String]) {
        let path = SourcePaths.path(folder)
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        } catch {
            note("The folder cannot be read: \(error.localizedDescription)", at: folder)
            return
        }
        if path.hasSuffix(".xcdatamodel"), names.contains("elements"), !names.contains("contents") {
            note("The model is in the form before Xcode 4: open it in Xcode, which saves it as it is now.", at: folder)
        }
        for name in names where !SourcePaths.skipped.contains(name) {
            let item = folder + [name]
            if DocumentKind(SourcePaths.path(item)) != nil {
                add(item)
                continue
            }
            if name.hasPrefix(".") { continue }
            switch SourcePaths.type(of: SourcePaths.path(item)) {
            case .typeDirectory: visit(item)
            case .typeRegular where name.hasSuffix(".swift"): add(item)
            case .typeSymbolicLink: noteLink(item, from: folder)
            default: continue
            }
        }
    }

    /// Notes a link that is not read. A target within the tree is read at its own path; a target outside may be meant,
    /// so it is noted.
    private mutating func noteLink(_ link: [String], from folder: [String]) {
        let target = SourcePaths.components(SourcePaths.path(link))
        let kind = SourcePaths.type(of: SourcePaths.path(target))
        let isSwift = kind == .typeRegular && target.last?.hasSuffix(".swift") == true
        guard isSwift || kind == .typeDirectory, !target.starts(with: self.folder), !target.starts(with: folder) else {
            return
        }
        note("The symbolic link is not followed: give what it links to as a path of its own.", at: link)
    }

    private mutating func add(_ file: [String]) {
        let path = SourcePaths.path(file)
        guard seen.insert(path).inserted else { return }
        files.append(SourceFile(path: path, name: name(file)))
    }

    private mutating func note(_ message: String, at item: [String]) {
        problems.append(
            SourceFacts.Problem(location: SourceLocation(file: name(item), line: 0), message: message))
    }

    private func name(_ item: [String]) -> String {
        let shared = zip(item, folder).prefix { $0 == $1 }.count
        let up = Array(repeating: "..", count: folder.count - shared)
        let parts = up + item.dropFirst(shared)
        return parts.isEmpty ? "." : parts.joined(separator: "/")
    }

    private static func path(_ components: [String]) -> String { "/" + components.joined(separator: "/") }
}
