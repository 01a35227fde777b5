import Testing

/// The rows of the real apps' histories and of the behaviours of migration runners: each has a test, or a sentence that
/// says why there is none.
@Suite struct HistoryRowTests {
    private static let numbers = SourceTree.files.filter { $0.path.hasPrefix("Tests/") && $0.isSwift }
        .map { HistoryRow.numbers(in: $0) }
        .reduce(into: [:]) { $0.merge($1) { $0.union($1) } }

    @Test(arguments: [
        ("docs/versioning.md", HistoryRow.histories), ("docs/migrations.md", HistoryRow.features),
    ])
    func everyRowHasATestOrAReason(path: String, expected: [String]) throws {
        let document = try #require(SourceTree.files.first { $0.path == path })
        let rows = HistoryRow.rows(of: document)
        for fault in HistoryRow.faults(in: rows, of: expected, numbers: HistoryRowTests.numbers) {
            Issue.record("\(path): \(fault)")
        }
    }

    @Test func everyNumberOfATestIsARow() {
        let known = Set(HistoryRow.histories + HistoryRow.features)
        #expect(known.count == 76 + 36)
        for (test, numbers) in HistoryRowTests.numbers {
            #expect(numbers.isSubset(of: known), "\(test)")
        }
    }

    @Test func numbersAreReadFromDisplayNames() {
        let text =
            "@Test(\n  \"S1_02, S4_07: a name\", arguments: [1])\nfunc one() {}\n@Test func two() {}\n"
            + "@Test(\"S5_01: else\") @MainActor func three() {}"
            + "@Test(\"P3, M7: else\") func four() {}"
        #expect(
            HistoryRow.numbers(in: SourceFile(path: "Tests/A.swift", text: text)) == [
                "one": ["S1_02", "S4_07"], "three": ["S5_01"], "four": ["M7"],
            ])
    }

    @Test(arguments: [
        ("| S1.1 | a | b | `one` |", nil), ("| S1.1 | a | b | No test: it is out of scope here |", nil),
        ("", "S1_01 is not in the table"), ("| S1.1 | a | b | — |", "S1_01 has neither a test nor a reason"),
        ("| S1.1 | a | b | `two` |", "S1_01: the test ‘two’ does not say that it proves it"),
        ("| S1.1 | a | b | `none` |", "S1_01: there is no test ‘none’ with a number"),
        ("| S1.1 | a | b | `one` |\n| S1.1 | a | b | `one` |", "S1_01 is there twice"),
        ("| S1.1 | a | b | `one` |\n| S9.1 | a | b | `one` |", "S9_01 is no row"),
    ])
    func aFaultyTableIsFound(table: String, fault: String?) {
        let rows = HistoryRow.rows(of: SourceFile(path: "docs/versioning.md", text: table))
        let faults = HistoryRow.faults(
            in: rows, of: HistoryRow.histories, numbers: ["one": ["S1_01"], "two": ["S1_02"]])
        #expect(faults.contains { fault.map($0.hasPrefix) ?? $0.hasPrefix("S1_01") } == (fault != nil), "\(faults)")
    }
}
