/// A file and a line in it.
public struct SourceLocation: Codable, Hashable, Sendable, CustomStringConvertible {
    /// The file's path, relative to the folder that the option `--relative-to` gives. By default, that is the first
    /// path of the command line, or the folder of that path if it is a file.
    public var file: String
    /// The number of the line, from 1; 0 means the file as a whole.
    public var line: Int

    /// Creates a position in a file.
    public init(file: String, line: Int) {
        self.file = file
        self.line = line
    }

    public var description: String { line == 0 ? file : "\(file):\(line)" }
}
