extension Rule {
    /// Composed here, because the literal would break the rule.
    private static let goneDocument = "Design" + " §"

    static let livingReferences = Rule(
        "A comment refers to a page that is there", broken: "Sources/A.swift", by: "/// See docs/nowhere.md.\nlet a = 1"
    ) { file in
        guard file.isCode else { return [] }
        return file.faults(includingComments: true) { line in
            if line.contains(goneDocument) { return "there is no such document: name the page of docs" }
            guard line.drop(while: { $0 == " " }).hasPrefix("//") || line.hasPrefix("#"), line.contains("docs/") else {
                return nil
            }
            let pages = line.split { !$0.isLetter && !$0.isNumber && !"/.-_".contains($0) }
                .map { $0.last == "." ? $0.dropLast() : $0 }
                .filter { $0.hasPrefix("docs/") && $0.hasSuffix(".md") }
            return pages.first { !TreeNames.ofTree.contains(String($0)) }.map { "there is no \($0)" }
        }
    }

    static let ownPictures = Rule(
        "A picture says what it shows, and needs nothing else", broken: "docs/a.svg",
        by: "<svg><title>a</title><desc>b</desc><image href=\"https://example.org/a.png\"/></svg>"
    ) { file in
        guard file.path.hasSuffix(".svg") else { return [] }
        let missing = ["<title", "<desc"].filter { word in !file.lines.contains { $0.contains(word) } }
            .map { Fault(line: 1, message: "it has no \($0)>") }
        return missing
            + file.faults { line in
                // The name of the format is not a reference.
                let rest = line.replacing("xmlns=\"http://www.w3.org/2000/svg\"", with: "")
                return ["://", "<image", "<script", "@import", "@font-face", "href=\"//", "url(\"", "url(data"]
                    .first { rest.contains($0) }.map { "‘\($0)’ leads out of the picture" }
            }
    }
}
