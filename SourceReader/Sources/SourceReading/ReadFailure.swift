/// The reason why nothing can be read.
package enum ReadFailure: Error, Hashable, Sendable, CustomStringConvertible {
    case usage(String)
    case nothingThere(String)
    case neitherFileNorFolder(String)
    case noFolder(String)
    case noFiles([String])
    /// All files have problems; the text is one of them.
    case nothingRead(String)

    /// The reason as a sentence.
    package var description: String {
        switch self {
        case .usage(let message): message
        case .nothingThere(let path): "There is nothing at ‘\(path)’: give a Swift file, or a folder of them."
        case .neitherFileNorFolder(let path): "‘\(path)’ is neither a file nor a folder: give one of these."
        case .noFolder(let path): "‘\(path)’ is no folder: --relative-to takes one that the files are in."
        case .noFiles(let paths):
            "There is no Swift file in \(paths.map { "‘\($0)’" }.joined(separator: ", ")), nor a Core Data model: "
                + "give the folder of the models, or an ‘.xcdatamodeld’."
        case .nothingRead(let problem): "No file could be read. \(problem)"
        }
    }

    /// The exit status, the same as for other commands.
    package var status: Int32 {
        if case .usage = self { 2 } else { 1 }
    }
}
