import Testing

/// One promise that all pages keep; with pages that break it and one that keeps it, so that a rule that finds nothing
/// is known to look, and one that finds something is known to be right.
struct PageRule: Sendable, CustomTestStringConvertible {
    /// The sentence that holds where the rule is kept.
    let name: String
    /// Each has a fault.
    let broken: [Page]
    /// Has none.
    let sound: Page
    let faults: @Sendable (Page) -> [Fault]

    struct Fault: Sendable {
        /// From 1.
        let line: Int
        /// What is wrong, to the letter: what an exception names.
        let subject: String
        let message: String
    }

    var testDescription: String { name }

    init(
        _ name: String, path: String = "docs/a.md", broken: [String], sound: String,
        faults: @escaping @Sendable (Page) -> [Fault]
    ) {
        self.name = name
        self.broken = broken.map { Page(SourceFile(path: path, text: $0)) }
        self.sound = Page(SourceFile(path: path, text: sound))
        self.faults = faults
    }

    /// A rule that looks at each of some passages by itself, and says what is missing.
    init(
        _ name: String, broken: [String], sound: String, in passages: @escaping @Sendable (Page) -> [Page.Passage],
        missing: @escaping @Sendable (Page.Passage, Page) -> [(subject: String, message: String)]
    ) {
        self.init(name, broken: broken, sound: sound) { page in
            passages(page).flatMap { passage in
                missing(passage, page).map { Fault(line: passage.line, subject: $0.subject, message: $0.message) }
            }
        }
    }

    static let all = [
        closedSpans, links, tests, scripts, options, paths, types, members, identifiers, frontPage, openEnds,
    ]
}
