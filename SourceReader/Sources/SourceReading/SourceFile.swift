/// A file to be read.
package struct SourceFile: Codable, Hashable, Sendable {
    /// The path of the file.
    package var path: String
    /// The file's name in facts: relative to the given folder.
    package var name: String

    package init(path: String, name: String) {
        self.path = path
        self.name = name
    }
}
