/// The declarations in Swift files, as they are written: syntax only, without resolved names. The reader of these facts
/// resolves the paths of types, the types of properties and the meaning of names.
///
/// `syncserver-sources`, a separate package that links the toolchain's SwiftSyntax, writes these facts as one JSON
/// object to its standard output; `schema import` reads them. So the server links no SwiftSyntax.
public struct SourceFacts: Codable, Hashable, Sendable {
    /// The number of the JSON layout, which is increased with each change of the JSON. A reader refuses facts in any
    /// other layout, so writer and reader must be built from the same commit.
    public static let layout = 4

    /// The number of the JSON layout in which these facts were written, see the static property `layout`.
    public var layout: Int
    /// The paths of all files that were read, in the order of reading.
    ///
    /// The paths are relative to the folder that the option `--relative-to` gives. By default, that is the first path
    /// of the command line, or the folder of that path if it is a file.
    public var files: [String]
    /// The declarations of types, and the extensions, in the order of the files. A nested type is in `types` of its
    /// outer type.
    public var types: [TypeFact]
    /// The facts about the XML files of models, in the order of the files.
    public var documents: [DocumentFact]
    /// The parts that could not be read, such as a file that is not UTF-8, or a syntax error.
    public var problems: [Problem]

    /// Creates the facts about some Swift files, in the layout `SourceFacts.layout`.
    public init(files: [String] = [], types: [TypeFact] = [], problems: [Problem] = []) {
        layout = SourceFacts.layout
        self.files = files
        self.types = types
        documents = []
        self.problems = problems
    }

    /// A part of the sources that could not be read.
    public struct Problem: Codable, Hashable, Sendable {
        /// The position of the part that could not be read.
        public var location: SourceLocation
        /// The reason why this part of the sources could not be read, as a sentence.
        public var message: String

        /// Creates a problem at a position in the sources.
        public init(location: SourceLocation, message: String) {
            self.location = location
            self.message = message
        }
    }
}
