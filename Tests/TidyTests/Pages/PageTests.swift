import Testing

/// The references in the pages: their links, commands, files, types and tests exist in the tree.
@Suite struct PageTests {
    private struct Finding: Sendable {
        let rule: PageRule
        let page: Page
        let fault: PageRule.Fault
    }

    /// All findings of the rules, including the accepted ones.
    private static let findings = PageRule.all.flatMap { rule in
        Page.all.flatMap { page in rule.faults(page).map { Finding(rule: rule, page: page, fault: $0) } }
    }

    @Test(arguments: PageRule.all) func everyPageKeeps(_ rule: PageRule) {
        for finding in PageTests.findings where finding.rule.name == rule.name {
            let (page, fault) = (finding.page, finding.fault)
            if PageException.all.contains(where: { $0.covers(fault, of: rule, on: page) }) { continue }
            Issue.record("\(page.path):\(fault.line): \(fault.message)")
        }
    }

    @Test(arguments: PageRule.all) func aBrokenPageIsFound(_ rule: PageRule) {
        for page in rule.broken {
            let faults = rule.faults(page)
            #expect(!faults.isEmpty, "\(page.lines)")
            for fault in faults {
                #expect(!PageException.all.contains { $0.covers(fault, of: rule, on: page) }, "\(fault.subject)")
            }
        }
        #expect(rule.faults(rule.sound).map(\.message) == [])
    }

    @Test(arguments: PageException.all) func everyExceptionIsNeeded(_ exception: PageException) {
        #expect(PageTests.findings.contains { exception.covers($0.fault, of: $0.rule, on: $0.page) })
    }

    @Test func theFrontPageSaysWhatTheLicenceIs() {
        let silent = Page(SourceFile(path: "README.md", text: "![a](b.svg)\nUse it as the licence allows."))
        #expect(PageRule.frontPageFaults(silent, hasLicence: true).isEmpty)
        #expect(PageRule.frontPageFaults(silent, hasLicence: false).map(\.subject) == ["licence"])
        let without = Page(SourceFile(path: "README.md", text: "![a](b.svg)\nNone: none is chosen yet."))
        #expect(PageRule.frontPageFaults(without, hasLicence: true).map(\.subject) == ["licence"])
    }

    /// A list as it once was on the front page.
    @Test func aSecondListOfOpenEndsIsFound() {
        let page = Page(SourceFile(path: "README.md", text: "# a\n\n## Not there yet\n\n- Everything."))
        #expect(PageRule.openEnds.faults(page).map(\.line) == [3])
    }

    @Test func thePagesAreSeen() throws {
        let paths = Set(Page.all.map(\.path))
        #expect(
            paths.isSuperset(of: [
                "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "llms.txt", "docs/tour.md",
                "docs/decisions/0001-serve-http-with-libmicrohttpd.md", "deploy/README.md",
                "Sources/SyncClient/SyncClient.docc/SyncClient.md",
            ]))
        #expect(paths.allSatisfy { !$0.contains("/.") })
        let page = try #require(Page["README.md"])
        #expect(page.links.count > 10 && page.spans.count > 10 && page.shellBlocks.count > 2)
    }

    @Test func whatCountsAsCode() {
        let page = Page(
            SourceFile(
                path: "a.md",
                text: "`a` and `b\nc`\n\n``d`e``\n```sh exits=1\nf\n```\n```text\ng\n```\n| h | `i` |\n|---|:-:|\n| j |"
            ))
        #expect(page.spans.map(\.text) == ["a", "b c", "d`e", "i"])
        #expect(page.spans.map(\.line) == [1, 1, 4, 11])
        #expect(page.shellLines.map(\.text) == ["f"] && page.shellBlocks == [5])
        #expect(page.columns.map(\.text) == ["h", "`i`"])
    }
}
