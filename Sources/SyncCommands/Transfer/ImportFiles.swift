import Foundation

/// The files that an import reads: one, or those of a folder.
enum ImportFiles {
    /// In the order of their names' bytes, so that it is the same on every machine. What is hidden is left out, and so
    /// are folders in the folder.
    ///
    /// - Throws: `TransferError`, where there is nothing at the path or the folder cannot be read.
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
