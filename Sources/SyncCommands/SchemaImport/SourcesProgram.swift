import Foundation
import SourceFacts

/// `syncserver-sources`, the program that reads Swift: a package of its own, because it links the toolchain's
/// SwiftSyntax, which a server has no use for.
struct SourcesProgram {
    /// Its file.
    let path: String

    private static let name = "syncserver-sources"

    /// The program that `stated` names, or else the one beside this program or in a build of the library's checkout.
    ///
    /// - Throws: `CommandError` with the command that builds it.
    init(stated: String? = nil) throws(CommandError) {
        if let stated {
            guard FileManager.default.isExecutableFile(atPath: stated) else {
                throw CommandError("\(stated), which ‘--sources-program’ names, is not there or is no program.")
            }
            path = stated
            return
        }
        let found = SourcesProgram.candidates.first { FileManager.default.isExecutableFile(atPath: $0) }
        guard let found else { throw CommandError(SourcesProgram.howToBuild) }
        path = found
    }

    /// Where it may be: beside this program, and in the builds of every checkout of the library that is near.
    private static var candidates: [String] {
        let beside = Environment.programPath.map { folder(of: $0) + "/\(name)" }
        let builds = checkouts.map { "\($0)/SourceReader/.build" } + folders.map { "\($0)/.build/source-reader" }
        return [beside].compactMap(\.self)
            + builds.flatMap { build in ["release", "debug"].map { "\(build)/\($0)/\(name)" } }
    }

    /// The folders above this program, and the working directory.
    private static var folders: [String] {
        var folders = [FileManager.default.currentDirectoryPath]
        var path = Environment.programPath ?? ""
        while path.contains("/") {
            path = folder(of: path)
            if !path.isEmpty { folders.append(path) }
        }
        return folders
    }

    /// The library's: this package, one that depends on it and has checked it out, or where this file was when it was
    /// compiled, as for a package that depends on it by a path.
    private static var checkouts: [String] {
        let compiled = (0..<4).reduce("\(#filePath)") { path, _ in folder(of: path) }
        return folders + folders.map { "\($0)/.build/checkouts/syncserver" } + [compiled]
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }

    private static var howToBuild: String {
        let root = checkouts.first { FileManager.default.fileExists(atPath: "\($0)/SourceReader/Package.swift") }
        guard let root else {
            return "‘\(name)’, which reads Swift files, is not there, nor is the library's checkout with "
                + "‘SourceReader’. Build it there: swift build -c release --package-path SourceReader. "
                + "Then name the program: --sources-program FILE"
        }
        // A checkout of SwiftPM's own is not written to.
        let scratch = root.contains("/.build/checkouts/") ? " --scratch-path .build/source-reader" : ""
        return "‘\(name)’, which reads Swift files, is not built yet. Build it: "
            + "swift build -c release --package-path \(root)/SourceReader\(scratch)"
    }

    /// What the Swift files at `paths` declare.
    ///
    /// - Parameter folder: files are named relative to it; to the first path without.
    /// - Throws: `CommandError` where they cannot be read, or the program is not this one's.
    func facts(of paths: [String], relativeTo folder: String? = nil) throws(CommandError) -> SourceFacts {
        let words = (folder.map { ["--relative-to", $0] } ?? []) + ["--"] + paths
        let (status, output, errors) = try ProcessOutput.of(path, words)
        guard status == 0 else {
            throw CommandError(errors.isEmpty ? "\(path) ended with \(status)." : errors)
        }
        do {
            let layout = try JSONDecoder().decode(Layout.self, from: output).layout
            guard layout == SourceFacts.layout else {
                throw CommandError(
                    "\(path) is of another version of this library. Build it again, from the same commit.")
            }
            return try JSONDecoder().decode(SourceFacts.self, from: output)
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError("What \(path) printed cannot be read (\(error)). Build it again, from the same commit.")
        }
    }

    private struct Layout: Decodable {
        let layout: Int
    }
}
