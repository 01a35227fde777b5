import Testing

/// The house rules that neither the compiler nor the formatter checks.
@Suite("House rules")
struct TidyTests {
    @Test(arguments: Rule.all)
    func everyFileKeeps(_ rule: Rule) {
        for file in SourceTree.files {
            for fault in rule.faults(file) {
                Issue.record("\(file.path):\(fault.line): \(fault.message)")
            }
        }
    }

    @Test(arguments: Rule.all)
    func aBrokenFileIsFound(_ rule: Rule) {
        #expect(!rule.faults(rule.counterexample).isEmpty)
    }

    /// The maximum number of files in a folder, more than a newcomer can survey.
    private static let filesPerFolderMax = 25

    @Test func noFolderHasMoreFilesThanOneTakesInAtAGlance() {
        let folders = TidyTests.folders(of: SourceTree.files.map(\.path))
        for (folder, count) in folders where count > TidyTests.filesPerFolderMax {
            Issue.record("\(folder) has \(count) Swift files; make rooms of at most \(TidyTests.filesPerFolderMax)")
        }
        let full = (0...TidyTests.filesPerFolderMax).map { "Sources/A/B\($0).swift" }
        #expect(TidyTests.folders(of: full)["Sources/A"] == TidyTests.filesPerFolderMax + 1)
        #expect(folders["Sources/SyncEngine/Push"] != nil)
    }

    /// Returns the number of Swift files of each folder.
    private static func folders(of paths: [String]) -> [String: Int] {
        paths.filter { $0.hasSuffix(".swift") }.reduce(into: [:]) { folders, path in
            folders[path.split(separator: "/").dropLast().joined(separator: "/"), default: 0] += 1
        }
    }

    @Test func theTreeIsSeen() {
        let paths = Set(SourceTree.files.map(\.path))
        #expect(paths.isSuperset(of: ["Package.swift", "Sources/Run/main.swift", "script/test", "README.md"]))
    }
}
