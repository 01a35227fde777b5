import Testing

/// The shell blocks of the pages: a test runs them, or a sentence says why not.
@Suite struct ShellPageTests {
    @Test func everyPageWithABlockIsListed() {
        for fault in ShellPage.faults(in: ShellPage.all, of: Page.all) { Issue.record("\(fault)") }
        #expect(Page.all.count { !$0.shellBlocks.isEmpty } > 10)
    }

    private static let block = Page(SourceFile(path: "docs/tour.md", text: "```sh\na\n```"))
    private static let none = Page(SourceFile(path: "docs/none.md", text: "```text\na\n```"))

    @Test(arguments: [
        ([], "docs/tour.md:1: say by what"), ([ShellPage("docs/tour.md")], "neither a runner nor a reason"),
        ([ShellPage("docs/tour.md", by: "NoTests")], "there is no ‘NoTests’"),
        ([ShellPage("docs/tour.md", by: "OwnAppTests")], "does not name it"),
        ([ShellPage("docs/tour.md", by: "script/none")], "there is no ‘script/none’"),
        ([ShellPage("docs/tour.md", by: "TourTests"), ShellPage("docs/tour.md", or: "a")], "is there twice"),
        ([ShellPage("docs/tour.md", or: "a"), ShellPage("docs/none.md", or: "a")], "docs/none.md has no block"),
        ([ShellPage("docs/tour.md", or: "a"), ShellPage("docs/gone.md", or: "a")], "docs/gone.md has no block"),
    ])
    func aFaultyTableIsFound(table: [ShellPage], fault: String) {
        let faults = ShellPage.faults(in: table, of: [Self.block, Self.none])
        #expect(faults.contains { $0.contains(fault) }, "\(faults)")
        #expect(ShellPage.faults(in: [ShellPage("docs/tour.md", by: "TourTests")], of: [Self.block, Self.none]) == [])
    }
}
