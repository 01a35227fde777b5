import Foundation

/// The location from which a new package gets this library: a folder, or a Git repository with a version.
struct LibraryLocation {
    /// The dependency on this library, as the new package's `Package.swift` declares it.
    let dependency: String
    /// The library's package identity, for `.product(…, package:)`: the last component of its location.
    let identity: String

    /// - Parameters:
    ///   - stated: a folder, a URL, or a URL and a version: `https://git.example/syncserver@0.1.0`. If `nil`, the
    ///     folder in which the program was built.
    ///   - package: the absolute path of the new package's folder.
    init(_ stated: String?, from package: String) throws(CommandError) {
        if let stated, stated.contains("://") || stated.hasPrefix("git@") {
            let at = stated.lastIndex(of: "@").flatMap {
                $0 > (stated.lastIndex(of: "/") ?? stated.startIndex) ? $0 : nil
            }
            let url = at.map { String(stated[..<$0]) } ?? stated
            let version = at.map { String(stated[stated.index(after: $0)...]) } ?? ProgramRelease.version
            dependency = ".package(url: \"\(url)\", from: \"\(version)\")"
            let last = url.split(separator: "/").last.map(String.init) ?? url
            identity = (last.hasSuffix(".git") ? String(last.dropLast(4)) : last).lowercased()
            return
        }
        guard let folder = stated.map({ URL(filePath: $0).standardizedFileURL.path }) ?? Self.ownCheckout else {
            throw CommandError(
                "The library's sources are not beside this program. Name their folder, or their Git repository, with "
                    + "‘--library PATH’ or ‘--library URL@VERSION’.")
        }
        guard Self.isLibrary(folder) else {
            throw CommandError("\(folder) is not the library's folder: it has no Package.swift of ‘syncserver’.")
        }
        dependency = ".package(path: \"\(Self.relative(folder, to: package))\")"
        identity = (folder.split(separator: "/").last.map(String.init) ?? folder).lowercased()
    }

    /// The checkout of this library whose `.build` contains the running program; `nil` if there is none.
    private static var ownCheckout: String? {
        guard var folder = Environment.programPath?[...] else { return nil }
        while let slash = folder.lastIndex(of: "/") {
            folder = folder[..<slash]
            if isLibrary(String(folder)) { return String(folder) }
        }
        return nil
    }

    private static func isLibrary(_ folder: String) -> Bool {
        let text = try? String(contentsOf: URL(filePath: "\(folder)/Package.swift"), encoding: .utf8)
        return text?.contains("name: \"syncserver\"") == true
    }

    /// Returns the path of `folder` relative to `package`, such as `../syncserver`. If they have only the root in
    /// common, `folder` is returned unchanged.
    private static func relative(_ folder: String, to package: String) -> String {
        let (target, base) = (folder.split(separator: "/"), package.split(separator: "/"))
        let shared = zip(target, base).prefix { $0 == $1 }.count
        if shared == 0 { return folder }
        return (Array(repeating: "..", count: base.count - shared) + target[shared...].map(String.init))
            .joined(separator: "/")
    }
}
