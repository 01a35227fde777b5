extension PageRule {
    static let links = PageRule(
        "A link leads to a file of the tree, and to a heading there",
        broken: [
            "[a](../nowhere.md)", "[a](../README.md#nowhere)", "# A b\n[a](#b)", "# A\n```sh\n# B\n```\n[b](#b)",
            "[a\nb](../../outside.md)", "![a](none.svg)", "[a](../Package.swift#L1)",
        ],
        sound: """
            # A ‘b’, `c` & d
            [a](#a-b-c--d), [`b`](#b-1) and [c
            d](../README.md), [e](../docs), [f](https://example.org/x), `[g](h)`
            ## b
            ## b
            """,
        in: \.links
    ) { link, page in
        if link.text.contains(":") { return [] }
        let parts = link.text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts[0].isEmpty ? page.path : TreeNames.path(String(parts[0]), from: page.path)
        guard let path, path == page.path || TreeNames.ofTree.contains(path) else {
            return [(link.text, "‘\(link.text)’ leads nowhere")]
        }
        guard parts.count == 2 else { return [] }
        let headings = (path == page.path ? page : Page[path])?.headings ?? []
        return headings.contains { $0.anchor == parts[1] }
            ? [] : [(link.text, "\(path) has no heading ‘#\(parts[1])’")]
    }

    /// The text after an unclosed span would count as prose, and would not be checked.
    static let closedSpans = PageRule(
        "A code span ends in its paragraph", broken: ["`a\n\nb`", "| `a |\n| b` |", "a ``b` c"],
        sound: "`a\nb` and ``c`d``\n```text\n`\n```"
    ) { page in
        page.openSpans.map { Fault(line: $0, subject: "`", message: "a backtick has no other") }
    }

    /// The only page with a list of open points, so that none is forgotten when one is done.
    static let pageOfOpenEnds = "docs/architecture.md"

    private static let openTitles: Set<String> = [
        "not there yet", "not yet", "not yet there", "not done yet", "what is not there yet", "also open", "open",
        "still open", "left open", "open ends", "open points", "open questions", "what is open", "what is left", "left",
        "what we lack", "what is lacking", "what is missing", "missing", "todo", "to do", "known gaps", "known issues",
        "limitations", "known limitations", "future work", "roadmap", "later",
    ]

    static let openEnds = PageRule(
        "Open points are in one list, in \(pageOfOpenEnds)",
        broken: [
            "## Not there yet", "### TODO", "## Also open:", "| a | **Open** |\n|---|---|\n| b | c |",
            "*What is left.* Much.", "- **Not yet**: this",
        ],
        sound: "## An open door\n| open |\n\n| `open` |\n|---|\n```text\n# TODO\n```\n*Open* it. **Left**"
    ) { page in
        if page.path == pageOfOpenEnds { return [] }
        let titles =
            page.headings.map { Page.Passage(line: $0.line, text: $0.title) } + page.columns + leadIns(of: page)
        return titles.filter { openTitles.contains($0.text.lowercased().filter { !":.!?*".contains($0) }) }.map {
            Fault(line: $0.line, subject: $0.text, message: "‘\($0.text)’: say it in \(pageOfOpenEnds)")
        }
    }

    /// The emphasised words, with a stop or a colon, that paragraphs and items of lists begin with. None in
    /// decisions, where what is left is part of the price.
    private static func leadIns(of page: Page) -> [Page.Passage] {
        if page.path.hasPrefix("docs/decisions/") { return [] }
        return page.lines.enumerated().compactMap { index, line in
            guard line.first == "*" || line.hasPrefix("- *"),
                let words = line.prefixMatch(of: /(?:- )?\*+([^*]+[.:]\*+|[^*]+\*+:)/)
            else { return nil }
            return Page.Passage(line: index + 1, text: String(words.1))
        }
    }
}
