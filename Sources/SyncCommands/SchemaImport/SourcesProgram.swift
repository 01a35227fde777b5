import Foundation
import SourceFacts

/// The program `syncserver-sources`, which parses Swift. It is a separate package, because it links SwiftSyntax of the
/// toolchain, which a server does not need.
struct SourcesProgram {
    /// The path of the executable `syncserver-sources`.
    let path: String

    private static let name = "syncserver-sources"

    /// Finds the program at the path `stated`; without it, beside this program or in a build of the library's checkout.
    /// If it is not found, it is built, which takes half a minute.
    ///
    /// - Throws: `CommandError` with advice if the program is not at `stated`, or cannot be built.
    static func findOrBuild(stated: String? = nil) throws(CommandError) -> SourcesProgram {
        if let stated {
            guard FileManager.default.isExecutableFile(atPath: stated) else {
                throw CommandError("\(stated), which ‘--sources-program’ names, is not there or is no program.")
            }
            return SourcesProgram(path: stated)
        }
        if let found = SourcesProgram.candidates.first(where: FileManager.default.isExecutableFile(atPath:)) {
            return SourcesProgram(path: found)
        }
        guard let checkout = SourcesProgram.checkouts.first(where: SourcesProgram.hasReader) else {
            throw CommandError(
                "‘\(SourcesProgram.name)’, which reads Swift files, is not there, nor is the library's checkout with "
                    + "‘SourceReader’. Build it there: swift build -c release --package-path SourceReader. "
                    + "Then name the program: --sources-program FILE")
        }
        return SourcesProgram(path: try SourcesProgram.build(in: checkout))
    }

    /// Builds the program from a checkout, which takes half a minute, and returns its path.
    private static func build(in checkout: String) throws(CommandError) -> String {
        let package = "\(checkout)/SourceReader"
        // Nothing is written to a checkout that belongs to SwiftPM.
        let folder =
            checkout.contains("/.build/checkouts/")
            ? "\(FileManager.default.currentDirectoryPath)/.build/source-reader" : "\(package)/.build"
        let words = ["build", "-c", "release", "--package-path", package, "--scratch-path", folder]
        Terminal.note("Building ‘\(name)’, which reads Swift files; this takes half a minute, once.")
        let program = "\(folder)/release/\(name)"
        guard try ProcessOutput.show("swift", words) == 0, FileManager.default.isExecutableFile(atPath: program) else {
            throw CommandError(
                "‘\(name)’, which reads Swift files, could not be built: "
                    + "swift \(words.joined(separator: " ")). It needs a toolchain with SwiftSyntax, as those of "
                    + "swift.org have it; ‘SYNCSERVER_TOOLCHAIN’ names one.")
        }
        return program
    }

    private static func hasReader(_ folder: String) -> Bool {
        FileManager.default.fileExists(atPath: "\(folder)/SourceReader/Package.swift")
    }

    /// The paths at which the program is searched: beside this program, and in the builds of every nearby checkout of
    /// the library.
    private static var candidates: [String] {
        let beside = Environment.programPath.map { folder(of: $0) + "/\(name)" }
        let builds = checkouts.map { "\($0)/SourceReader/.build" } + folders.map { "\($0)/.build/source-reader" }
        return [beside].compactMap(\.self)
            + builds.flatMap { build in ["release", "debug"].map { "\(build)/\($0)/\(name)" } }
    }

    /// The folders in which checkouts are searched: the working directory, and the folders above this program.
    private static var folders: [String] {
        var folders = [FileManager.default.currentDirectoryPath]
        var path = Environment.programPath ?? ""
        while path.contains("/") {
            path = folder(of: path)
            if !path.isEmpty { folders.append(path) }
        }
        return folders
    }

    /// The folders that can be a checkout of the library. These are the working directory, the folders above this
    /// program, and the checkouts that SwiftPM made in them for packages that depend on the library. The last is the
    /// checkout in which this file was compiled, for a package that depends on the library by a path.
    private static var checkouts: [String] {
        let compiled = (0..<4).reduce("\(#filePath)") { path, _ in folder(of: path) }
        return folders + folders.map { "\($0)/.build/checkouts/syncserver" } + [compiled]
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }

    /// Parses the Swift files at `paths` and returns their declarations.
    ///
    /// - Parameter folder: the folder to which the names of files are relative; `nil` for the first path.
    /// - Throws: `CommandError` if the files cannot be read, or if the output of the program has the format of another
    ///   release.
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
