/// A page of documentation: its code, its links and its headings.
struct Page: Sendable {
    let path: String
    let lines: [Substring]
    private(set) var headings: [Heading] = []
    /// The cells of the first rows of its tables.
    private(set) var columns: [Passage] = []
    /// The targets of its links, as written.
    private(set) var links: [Passage] = []
    /// The texts between backticks.
    private(set) var spans: [Passage] = []
    /// The lines of its shell blocks.
    private(set) var shellLines: [Passage] = []
    /// The first lines of these blocks.
    private(set) var shellBlocks: [Int] = []
    /// The lines of backticks that no other backticks close.
    private(set) var openSpans: [Int] = []

    /// A part of a page.
    struct Passage: Sendable {
        /// The line number, from 1.
        let line: Int
        let text: String
    }

    /// A title, and its anchor.
    struct Heading: Sendable {
        let line: Int
        let title: String
        let anchor: String
    }

    /// All code that a reader may type: spans, and lines of shell blocks.
    var code: [Passage] { spans + shellLines }

    /// The pages of the tree.
    static let all = SourceTree.files.filter { isPage($0.path) }.map(Page.init)

    static subscript(path: String) -> Page? { byPath[path] }

    private static let byPath = Dictionary(uniqueKeysWithValues: all.map { ($0.path, $0) })

    private static func isPage(_ path: String) -> Bool {
        path == "llms.txt" || path.hasSuffix(".md") && (!path.hasPrefix("Tests/") && !path.hasPrefix("Sources/"))
            || path.contains(".docc/")
    }

    /// The span that has not ended yet.
    private var open: (line: Int, ticks: Int, text: [UInt8])?

    init(_ file: SourceFile) {
        (path, lines) = (file.path, file.lines)
        var fence: Substring?
        for (index, line) in lines.enumerated() {
            if line.hasPrefix("```") {
                endSpan()
                fence = fence == nil ? line.dropFirst(3) : nil
                if let fence, isShell(fence) { shellBlocks.append(index + 1) }
            } else if let fence {
                if isShell(fence) { shellLines.append(Passage(line: index + 1, text: String(line))) }
            } else {
                readProse(line, at: index + 1)
            }
        }
        endSpan()
    }

    private func isShell(_ fence: Substring) -> Bool { fence.split(separator: " ").first == "sh" }

    private mutating func readProse(_ line: Substring, at number: Int) {
        let first = line.first { $0 != " " }
        // A span may continue on the next line of its paragraph, and no further.
        if first == nil || first == "|" || first == "#" { endSpan() }
        if line.hasPrefix("#") { addHeading(line, at: number) }
        if first == "|", number < lines.count, lines[number].hasPrefix("|"),
            lines[number].allSatisfy({ "|-: ".contains($0) })
        {
            columns += line.split(separator: "|").map { Passage(line: number, text: trimmed($0)) }
        }
        readLinks(outsideSpans(Array(line.utf8), at: number), at: number)
        if first == "|" || first == "#" { endSpan() }
    }

    private mutating func endSpan() {
        if let open { openSpans.append(open.line) }
        open = nil
    }

    /// Returns a line without its spans, and collects these.
    private mutating func outsideSpans(_ line: [UInt8], at number: Int) -> [UInt8] {
        let tick = UInt8(ascii: "`")
        var prose: [UInt8] = []
        var index = 0
        if open != nil { open?.text.append(UInt8(ascii: " ")) }
        while index < line.count {
            guard line[index] == tick else {
                if open == nil { prose.append(line[index]) } else { open?.text.append(line[index]) }
                index += 1
                continue
            }
            let start = index
            while index < line.count, line[index] == tick { index += 1 }
            let ticks = index - start
            if let begun = open {
                if begun.ticks == ticks {
                    let text = trimmed(Substring(String(decoding: begun.text, as: UTF8.self)))
                    spans.append(Passage(line: begun.line, text: text))
                    open = nil
                } else {
                    open?.text += line[start..<index]
                }
            } else {
                open = (number, ticks, [])
            }
        }
        return prose
    }

    private mutating func readLinks(_ prose: [UInt8], at number: Int) {
        var index = 0
        while index + 1 < prose.count {
            guard prose[index] == UInt8(ascii: "]"), prose[index + 1] == UInt8(ascii: "(") else {
                index += 1
                continue
            }
            let target = prose[(index + 2)...].prefix { $0 != UInt8(ascii: ")") && $0 != UInt8(ascii: " ") }
            links.append(Passage(line: number, text: String(decoding: target, as: UTF8.self)))
            index = target.endIndex
        }
    }

    /// Adds a heading with GitHub's anchor: letters, digits, `-` and `_`, with `-` for a space; the second with the
    /// same anchor gets `-1`.
    private mutating func addHeading(_ line: Substring, at number: Int) {
        let title = trimmed(line.drop { $0 == "#" })
        let kept = title.lowercased().filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }
        let slug = String(kept.map { $0 == " " ? "-" : $0 })
        let count = headings.count { $0.anchor == slug || $0.anchor.hasPrefix(slug + "-") && $0.title == title }
        headings.append(Heading(line: number, title: title, anchor: count == 0 ? slug : "\(slug)-\(count)"))
    }
}

/// Returns the text without spaces around it.
private func trimmed(_ text: Substring) -> String {
    let rest = text.drop { $0 == " " }
    return String(rest[..<(rest.lastIndex { $0 != " " }.map { rest.index(after: $0) } ?? rest.startIndex)])
}
