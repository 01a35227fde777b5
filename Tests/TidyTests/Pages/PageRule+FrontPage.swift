extension PageRule {
    /// The number of words that a reader reads in three minutes.
    private static let frontPageMaxWords = 700

    static let frontPage = PageRule(
        "The front page is short, shows a picture and says whether there is a licence", path: "README.md",
        broken: [
            "![a](b.svg)", "**Licence:** none is chosen yet.",
            "![a](b.svg) none is chosen yet" + String(repeating: " a", count: frontPageMaxWords),
        ],
        sound: "![a](docs/b.svg)\n**Licence:** none is chosen yet."
    ) { page in
        page.path == "README.md" ? frontPageFaults(page, hasLicence: hasLicence) : []
    }

    private static let hasLicence = TreeNames.ofTree.files.contains { $0.hasPrefix("LICEN") || $0.hasPrefix("COPYING") }

    static func frontPageFaults(_ page: Page, hasLicence: Bool) -> [Fault] {
        func fault(_ subject: String, _ message: String) -> Fault { Fault(line: 1, subject: subject, message: message) }
        var faults: [Fault] = []
        // Words as ‘wc -w’ counts them.
        let count = page.lines.reduce(0) { $0 + $1.split { " \t".contains($0) }.count }
        if count > frontPageMaxWords {
            faults.append(fault("length", "\(count) words, of \(frontPageMaxWords) at most"))
        }
        if !page.links.contains(where: { $0.text.hasSuffix(".svg") }) { faults.append(fault("picture", "no picture")) }
        let saysNone = page.lines.contains { $0.contains("none is chosen yet") }
        if saysNone == hasLicence {
            let message =
                hasLicence
                ? "it says that no licence is chosen, beside one" : "it does not say that there is no licence"
            faults.append(fault("licence", message))
        }
        return faults
    }
}
