import WireFormats

/// One version as it is in one snapshot of the sources (a commit, a tag or the current files), and how reliably this
/// snapshot shows the version's original shape.
struct VersionSighting {
    /// The reliability with which a snapshot shows the shape (the entities and attributes) that a version had, weakest
    /// first.
    enum Evidence: Int, Comparable {
        /// An older version that shares classes with a newer one. The snapshot shows these classes only as they are
        /// today.
        case today
        /// Models without version types. Their version number is that of the tag or commit.
        case tag
        /// An older version that has its own copies of its model classes.
        case copy
        /// The newest version of the snapshot. It was shipped with the models that the snapshot shows.
        case newest

        static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
    }

    /// The place that a version number comes from: a Core Data model, a tag or version types. The cases are in the
    /// order in which apps adopt them.
    enum Origin: CaseIterable {
        case model, tag, classes
    }

    var draft: DraftSchema
    let evidence: Evidence
    /// The position of the snapshot in the history, from 0 for the oldest.
    let position: Int
    /// The questions about the existence and the order of versions that this snapshot leaves open. A later snapshot may
    /// answer them.
    var questions: [Question] = []

    var origin: Origin { draft.isDeclared ? evidence == .tag ? .tag : .classes : .model }

    /// True if the version was shipped to devices in the shape that this snapshot shows.
    var isShipped: Bool { evidence == .newest || evidence == .tag }
}
