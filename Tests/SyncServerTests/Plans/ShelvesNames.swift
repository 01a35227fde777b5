import WireFormats

/// The ids that commands name in a space.
struct ShelvesNames: Sendable {
    var space = ID.random()
    var books: [ID]
    var shelves: [ID]
    var isbns: [String]
    /// The number up to which deleted records are old; see `ShelvesScene.fill`.
    static let oldSeq: Int64 = 20
    /// The number of records of a space, which may be read where something is read whole.
    var size = 0
    /// The number of spaces.
    var spaces = 0

    /// Names of nothing.
    static func unknown(_ count: Int) -> ShelvesNames {
        ShelvesNames(
            books: (0..<count).map { _ in .random() }, shelves: (0..<count).map { _ in .random() },
            isbns: (0..<count).map { "\($0)" })
    }
}
