/// A file and a line in it.
public struct SourceLocation: Codable, Hashable, Sendable, CustomStringConvertible {
    public var file: String
    /// The line, from 1; 0 for the file as a whole.
    public var line: Int

    public init(file: String, line: Int) {
        self.file = file
        self.line = line
    }

    public var description: String { line == 0 ? file : "\(file):\(line)" }
}
