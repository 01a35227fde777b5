import Foundation
import Operations

/// The files that an import reads: the file at a path, or the files of the folder at this path.
enum ImportFiles {
    /// Returns the files to import, sorted by the bytes of their names, which is the same order on every machine.
    /// Hidden files and subfolders are left out.
    ///
    /// - Throws: `TransferError`, if nothing exists at the path or the folder cannot be read.
    static func at(_ path: String) throws(TransferError) -> [URL] {
        let url = URL(filePath: path)
        let files: [URL]
        do {
            guard try isFolder(url) else { return [url] }
            files = try FileManager.default.contentsOfDirectory(
                at: url, includingPropertiesForKeys: [.isDirectoryKey], options: .skipsHiddenFiles
            ).filter { try !isFolder($0) }
        } catch {
            throw TransferError("\(path) cannot be read: \(error.localizedDescription)")
        }
        return files.sorted { $0.lastPathComponent.utf8.lexicographicallyPrecedes($1.lastPathComponent.utf8) }
    }

    private static func isFolder(_ url: URL) throws -> Bool {
        try url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true
    }
}
