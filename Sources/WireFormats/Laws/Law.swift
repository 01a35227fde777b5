/// A property of the lenses that random test cases try to refute. The raw values are the laws' numbers in the
/// documentation.
///
/// The usual lens law PutPut is deliberately not among them. It says that a second edit makes the first as if it had
/// never been made. But an edit here leaves unedited values as they are (law 1), so the result depends on earlier
/// edits.
package enum Law: Int, Hashable, Sendable, CaseIterable, Comparable {
    case noEcho = 1
    case noSurprise
    case frame
    case editsCommute
    case flatIsChain
    case total
    case stableBytes

    /// The law in one sentence.
    package var statement: String {
        switch self {
        case .noEcho: "writing back what a version reads changes nothing"
        case .noSurprise: "a version reads back what it wrote"
        case .frame: "an edit changes only what its attributes are linked with"
        case .editsCommute: "editing the row and looking is looking and editing what was seen"
        case .flatIsChain: "the compiled projections say what the stages say, one after the other"
        case .total: "every view of every row fits the types that its version declares"
        case .stableBytes: "the same row reads the same, however often and by whichever process"
        }
    }

    package static func < (a: Law, b: Law) -> Bool { a.rawValue < b.rawValue }
}

/// A set of laws. A test run keeps in it the laws for which it has not found a violation yet. The set takes one byte,
/// because every step of every test case reads it.
struct LawSet: OptionSet, Sendable {
    let rawValue: UInt8

    static let all = LawSet(Law.allCases)

    init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    init(_ laws: [Law]) {
        rawValue = laws.reduce(0) { $0 | 1 << UInt8($1.rawValue) }
    }

    func contains(_ law: Law) -> Bool {
        rawValue & 1 << UInt8(law.rawValue) != 0
    }
}
