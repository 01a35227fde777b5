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

    @Test func theTreeIsSeen() {
        let paths = Set(SourceTree.files.map(\.path))
        #expect(paths.isSuperset(of: ["Package.swift", "Sources/Run/main.swift", "script/test", "README.md"]))
    }
}
