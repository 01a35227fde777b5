import WireFormats

/// One version as one snapshot of the sources (a commit, a tag or the current files) shows it, with the strength of
/// that evidence.
struct VersionSighting {
    /// The strength of the evidence for the version's shape, weakest first.
    enum Evidence: Int, Comparable {
        /// An older version that shares classes with a newer one, so that its classes have the newer version's shape.
        case today
        /// Models without version types, under the version number of the tag.
        case tag
        /// An older version with classes of its own.
        case copy
        /// The newest version of the plan in the snapshot, which is the version that was shipped from it.
        case newest

        static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
    }

    /// The origin of the version number, in the order in which apps adopt them.
    enum Origin: CaseIterable {
        case model, tag, classes
    }

    var draft: DraftSchema
    let evidence: Evidence
    /// The index of the snapshot in the history, oldest first.
    let position: Int
    /// Questions that this snapshot leaves open about the existence and the order of versions. A later snapshot may
    /// answer them.
    var questions: [Question] = []

    var origin: Origin { draft.isDeclared ? evidence == .tag ? .tag : .classes : .model }

    /// True if the version was shipped to devices in this shape.
    var isShipped: Bool { evidence == .newest || evidence == .tag }
}
