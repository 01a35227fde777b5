import WireFormats

/// A version as one state of the sources has it.
struct VersionAccount {
    /// Why it may be believed, the strongest last.
    enum Evidence: Int, Comparable {
        /// An older version whose classes are also a newer one's: their shape is the newer one's.
        case today
        /// Models without versions, under the number of their tag.
        case tag
        /// An older version with classes of its own.
        case copy
        /// The newest version that the state's plan has: this is what was shipped.
        case newest

        static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
    }

    /// Who numbers it, in the order in which apps come to it.
    enum Origin: CaseIterable {
        case model, tag, classes
    }

    var draft: DraftSchema
    let evidence: Evidence
    /// The state's, from the oldest.
    let place: Int
    /// Which versions there are, and in which order, as far as this state does not tell; the latest one may.
    var questions: [Decision] = []

    var origin: Origin { draft.isDeclared ? evidence == .tag ? .tag : .classes : .model }

    /// True where devices had it.
    var isShipped: Bool { evidence == .newest || evidence == .tag }
}
