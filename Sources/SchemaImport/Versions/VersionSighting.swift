import WireFormats

/// The content of one version in one commit, in one tag or in the current files, with the strength of that evidence.
struct VersionSighting {
    /// The strength of the evidence for the version's shape, the strongest last.
    enum Evidence: Int, Comparable {
        /// An older version that shares classes with a newer one, and so has the newer version's shape.
        case today
        /// Models without versions, under the number of their tag.
        case tag
        /// An older version with classes of its own.
        case copy
        /// The newest version of the state's plan, which is the shipped one.
        case newest

        static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
    }

    /// The origin of the version number, in the order in which apps adopt them.
    enum Origin: CaseIterable {
        case model, tag, classes
    }

    var draft: DraftSchema
    let evidence: Evidence
    /// The position of the state in the history, from the oldest.
    let position: Int
    /// Questions about the existence and the order of the versions that this state leaves open; a later state may
    /// answer them.
    var questions: [Question] = []

    var origin: Origin { draft.isDeclared ? evidence == .tag ? .tag : .classes : .model }

    /// True if devices had this version.
    var isShipped: Bool { evidence == .newest || evidence == .tag }
}
