/// The tests or scripts that run a page's shell blocks, so that the blocks are known to work; or the reason why nothing
/// runs them.
struct ShellPage: Sendable {
    let path: String
    /// Suites, and scripts by their path. Each mentions the page.
    let runners: [String]
    /// The reason for blocks that none of `runners` runs.
    let reason: String?

    init(_ path: String, by runners: String..., or reason: String? = nil) {
        (self.path, self.runners, self.reason) = (path, runners, reason)
    }

    static let all = [
        ShellPage("README.md", by: "script/full.d/readme"),
        ShellPage("docs/tour.md", by: "TourTests"),
        ShellPage("docs/your-own-app.md", by: "OwnAppTests"),
        ShellPage("docs/adding-a-version.md", by: "WalkthroughTests"),
        ShellPage("docs/running.md", by: "NewcomerTests", "PageBlockTests"),
        ShellPage("docs/migrations.md", by: "PageBlockTests"),
        ShellPage("docs/simulator.md", by: "PageBlockTests", or: "a million steps take a night"),
        ShellPage("docs/hacking.md", by: "PageBlockTests"),
        ShellPage(
            "docs/identity.md", or: "a provider is asked; TourTests runs the same two commands with one of its own"),
        ShellPage("docs/import-schemas.md", or: "an app of yours is read; OwnAppTests imports one and checks it"),
        ShellPage(
            "docs/testing-your-builds.md", or: "builds of yours are started; CompatClientTests starts one of ours"),
        ShellPage("docs/client.md", or: "20,000 steps; script/full.d/clients and CompatClientTests run the driver"),
        ShellPage("docs/performance.md", or: "a quiet machine is measured, for hours"),
        ShellPage("CONTRIBUTING.md", or: "all builds and all tests, this one too"),
        ShellPage("deploy/README.md", by: "deploy/drills/package.py", or: "root of a machine of its own"),
        ShellPage("docs/operations.md", by: "deploy/drills/backup.py"),
    ]

    /// Returns the faults of a table of pages.
    static func faults(in table: [ShellPage], of pages: [Page]) -> [String] {
        let listed = Dictionary(grouping: table, by: \.path)
        let unlisted = pages.filter { !$0.shellBlocks.isEmpty && listed[$0.path] == nil }
            .map { "\($0.path):\($0.shellBlocks[0]): say by what this block is run, or why it is not" }
        return unlisted
            + listed.flatMap { path, entries -> [String] in
                guard let page = pages.first(where: { $0.path == path }), !page.shellBlocks.isEmpty else {
                    return ["\(path) has no block for a shell"]
                }
                if entries.count > 1 { return ["\(path) is there twice"] }
                return entries.flatMap { $0.faults }
            }
    }

    private var faults: [String] {
        if runners.isEmpty, reason == nil { return ["\(path): neither a runner nor a reason"] }
        return runners.compactMap { runner in
            let file = SourceTree.paths.first {
                $0 == runner || $0.hasPrefix("Tests/") && $0.hasSuffix("/\(runner).swift")
            }
            guard let file, let text = SourceTree.text(of: file) else { return "\(path): there is no ‘\(runner)’" }
            return text.contains(path) ? nil : "\(path): \(file) does not name it"
        }
    }
}
