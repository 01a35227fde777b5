package import SyncEngine
package import WireFormats

/// The errors of operations on one space.
package enum SpaceError: Error, Hashable, CustomStringConvertible {
    case erased(ID, begun: Timestamp)
    /// A space that the app does not have.
    case unknown(ID, app: String)
    /// A space that has no row in the database, because nothing was pushed into it.
    case untouched(ID, app: String)

    /// The advice at the end of the message about an erased space.
    package static let erasedAdvice =
        "Nothing of it is left, and nothing can be put into it again: that is for good. To import files, name another "
        + "space; a UUID that no space has makes one."

    package var description: String {
        switch self {
        case .erased(let space, let begun): "The space \(space) was erased at \(begun). \(SpaceError.erasedAdvice)"
        case .unknown(let space, let app):
            "There is no space \(space) of \(app): nobody made it, and nothing was pushed into it."
        case .untouched(let space, let app):
            "There is no space \(space) of \(app): nothing was pushed into it yet."
        }
    }
}

extension SyncEngine {
    /// Throws an error if the space was erased.
    ///
    /// - Throws: `SpaceError.erased`, `PGError`.
    package func checkNotErased(_ space: ID) async throws {
        guard let begun = try await erasing.begun(space) else { return }
        throw SpaceError.erased(space, begun: begun)
    }

    /// Throws an error if the space was erased or does not exist.
    ///
    /// - Throws: `SpaceError.erased`; `SpaceError.unknown` if nobody has created the space and nothing was pushed into
    ///   it; `PGError`.
    package func check(_ space: ID) async throws {
        try await checkNotErased(space)
        if try await hasSpace(space) { return }
        throw SpaceError.unknown(space, app: plan.app)
    }
}
