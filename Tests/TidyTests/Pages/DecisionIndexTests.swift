import Testing

/// The index of decisions: it lists each decision by its title, and states which are superseded.
@Suite struct DecisionIndexTests {
    private static let folder = "docs/decisions/"

    /// Returns the decisions whose row is missing or differs from their page.
    private static func faults(of index: [Substring], _ pages: [Page]) -> [String] {
        pages.compactMap { page in
            let name = page.path.dropFirst(folder.count)
            let title = page.lines.first.map { $0.drop { $0 == "#" || $0 == " " } } ?? ""
            let isAmended = page.lines.dropFirst().prefix(3).contains { $0.hasPrefix("*") && $0.contains("[decision ") }
            let row = index.first { $0.hasPrefix("| [\(title)](\(name)) | ") }
            let holds = row?.hasSuffix(" | holds |")
            return holds == !isAmended ? nil : page.path
        }
    }

    private static let decisions = Page.all.filter { $0.path.hasPrefix(folder) && !$0.path.hasSuffix("/README.md") }

    @Test func everyDecisionIsListedWithItsStatus() throws {
        let index = try #require(Page["docs/decisions/README.md"]).lines
        #expect(DecisionIndexTests.decisions.count > 30)
        #expect(DecisionIndexTests.faults(of: index, DecisionIndexTests.decisions) == [])
    }

    @Test func aMissingRowAndAWrongStatusAreFound() throws {
        let index = try #require(Page["docs/decisions/README.md"]).lines
        let wrong = index.map { line in
            line.hasPrefix("| [18.") ? line.replacing(/\| amended.*/, with: "| holds |") : line
        }
        let found = DecisionIndexTests.faults(
            of: wrong.filter { !$0.hasPrefix("| [3.") }, DecisionIndexTests.decisions)
        #expect(found.count == 2 && found[0].contains("0003-") && found[1].contains("0018-"), "\(found)")
    }
}
