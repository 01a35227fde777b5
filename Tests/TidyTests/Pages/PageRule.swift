import Testing

/// A rule for all pages, with pages that break it and one that keeps it, which prove that the rule finds faults, and
/// only faults.
struct PageRule: Sendable, CustomTestStringConvertible {
    /// The sentence that is true if the rule is kept.
    let name: String
    /// Pages with a fault each.
    let broken: [Page]
    /// A page without a fault.
    let sound: Page
    let faults: @Sendable (Page) -> [Fault]

    struct Fault: Sendable {
        /// The line number, from 1.
        let line: Int
        /// The faulty text, literally, as an exception names it.
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

    /// Creates a rule that checks each passage by itself, and returns the fault.
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
