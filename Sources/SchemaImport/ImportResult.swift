package import WireFormats

/// What an import makes of an app's sources: texts only, which the caller writes or shows.
package struct ImportResult: Sendable {
    /// A file that was not there.
    package struct File: Hashable, Sendable {
        package let name: String
        package let text: String

        package init(name: String, text: String) {
            (self.name, self.text) = (name, text)
        }
    }

    /// A version of the sources.
    package struct Version: Sendable {
        package let schema: Schema
        /// Whether the plan did not have it.
        package let isNew: Bool
        /// Whether it is another shape under the number of a version.
        package let isVariant: Bool
    }

    /// What is to be appended to a plan that exists.
    package struct Addition: Hashable, Sendable {
        /// `Pantry.SchemaV4`, and what comes before it.
        package let type: String
        package let previous: String
        /// The stage as an element of the plan's list.
        package let stage: String
    }

    package var files: [File] = []
    package var additions: [Addition] = []
    package var decisions: [Decision] = []
    /// What was left out, changed or not understood without a question.
    package var notes: [String] = []
    package var versions: [Version] = []
    /// In which ways a version that the plan has is not what the sources say.
    package var drifts: [Drift] = []
    /// The stated renamings that there is something for.
    package var renamingsMet: Set<Renaming> = []
}

/// Why nothing could be imported.
package struct ImportFailure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
