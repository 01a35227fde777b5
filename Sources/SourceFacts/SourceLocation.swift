/// A file and a line in it.
public struct SourceLocation: Codable, Hashable, Sendable, CustomStringConvertible {
    /// The file's path, relative to the folder given by `--relative-to`, by default that of the first path of the
    /// command.
    public var file: String
    /// The number of the line, from 1; 0 means the file as a whole.
    public var line: Int

    /// Makes a location.
    public init(file: String, line: Int) {
        self.file = file
        self.line = line
    }

    public var description: String { line == 0 ? file : "\(file):\(line)" }
}
