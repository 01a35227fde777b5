package import WireFormats

/// The result of an import: texts only, which the caller writes or shows.
package struct ImportResult: Sendable {
    /// A new file.
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
        /// True if the plan did not have the version.
        package let isNew: Bool
        /// True if the version has another shape than the sources' main one under the same number, as when a shipped
        /// version was changed without a new number.
        package let isVariant: Bool
    }

    /// The elements to append to an existing plan.
    package struct Addition: Hashable, Sendable {
        /// The new version's type, such as `Pantry.SchemaV4`; `previous` is the type of the previous version.
        package let type: String
        package let previous: String
        /// The stage, written as an element of the plan's list.
        package let stage: String
    }

    package var files: [File] = []
    package var additions: [Addition] = []
    package var questions: [Question] = []
    /// Notes on everything that was left out, changed or not understood, and about which no question is asked.
    package var notes: [String] = []
    package var versions: [Version] = []
    /// The differences between the plan's versions and the sources.
    package var drifts: [Drift] = []
    /// The stated renamings and removals that were applied.
    package var renamingsMet: Set<Renaming> = []
}

/// A reason why nothing could be imported.
package struct ImportFailure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
