/// A file to be read.
package struct SourceFile: Codable, Hashable, Sendable {
    /// Where it is.
    package var path: String
    /// How facts name it: relative to the folder given.
    package var name: String

    package init(path: String, name: String) {
        self.path = path
        self.name = name
    }
}
