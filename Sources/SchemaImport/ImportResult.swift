package import WireFormats

/// The result of an import: texts only, which the caller writes or shows.
package struct ImportResult: Sendable {
    /// A new file to write, with its name and text.
    package struct File: Hashable, Sendable {
        package let name: String
        package let text: String

        package init(name: String, text: String) {
            (self.name, self.text) = (name, text)
        }
    }

    /// A version that the sources have.
    package struct Version: Sendable {
        package let schema: Schema
        /// True if the plan did not have the version before the import.
        package let isNew: Bool
        /// True if this is a second shape (set of entities and attributes) under the same version number. It exists if
        /// a shipped version was changed without a new number.
        package let isVariant: Bool
    }

    /// An addition to an existing migration plan: a new version, and the stage that leads to it. The caller appends
    /// them to the plan's lists.
    package struct Addition: Hashable, Sendable {
        /// The type of the new version, such as `Pantry.SchemaV4`. `previous` is the type of the version before it.
        package let type: String
        package let previous: String
        /// The Swift code of the stage that leads from the plan's last version to the new one, for the plan's list of
        /// stages.
        package let stage: String
    }

    package var files: [File] = []
    package var additions: [Addition] = []
    package var questions: [Question] = []
    /// Notes on everything that was left out, changed or not understood and needs no question.
    package var notes: [String] = []
    package var versions: [Version] = []
    /// The differences between the plan's versions and the sources.
    package var drifts: [Drift] = []
    /// The renamings and removals stated by the user that the import has applied.
    package var renamingsMet: Set<Renaming> = []
}

/// A reason why nothing could be imported.
package struct ImportFailure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
