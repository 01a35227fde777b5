/// What Swift files declare, as they are written: syntax, with nothing looked up. Paths of types, types of properties
/// and what a name stands for are for the reader of these facts to find out.
///
/// `syncserver-sources`, a package of its own that links the toolchain's SwiftSyntax, writes them as one JSON object to
/// its standard output; `schema import` reads them. So what serves links no SwiftSyntax.
public struct SourceFacts: Codable, Hashable, Sendable {
    /// Counts up whenever the JSON changes: both sides are built from one commit, or refuse each other.
    public static let layout = 4

    public var layout: Int
    /// Every file read, in the order read, relative to the folder given.
    public var files: [String]
    /// Every declaration of a type, extensions included, in the order of the files; nested ones are members.
    public var types: [TypeFact]
    /// Every XML file of a model, in the order of the files.
    public var documents: [DocumentFact]
    /// What could not be read, such as a file that is no UTF-8, or a syntax error.
    public var problems: [Problem]

    public init(files: [String] = [], types: [TypeFact] = [], problems: [Problem] = []) {
        layout = SourceFacts.layout
        self.files = files
        self.types = types
        documents = []
        self.problems = problems
    }

    /// A place that could not be read.
    public struct Problem: Codable, Hashable, Sendable {
        public var location: SourceLocation
        /// A sentence.
        public var message: String

        public init(location: SourceLocation, message: String) {
            self.location = location
            self.message = message
        }
    }
}
