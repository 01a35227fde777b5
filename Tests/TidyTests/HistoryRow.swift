import FoundationEssentials

/// A row of a table whose rows have tests: in `docs/versioning.md` an incident of a real app, in `docs/migrations.md` a
/// behaviour of migration runners.
struct HistoryRow: Sendable {
    /// The row's number: `S3_07`, or `M7`.
    let number: String
    /// The test functions that the last column names.
    let tests: [String]
    /// The reason that the last column gives instead of tests; empty if there is none.
    let reason: String

    /// The number of rows of each app's history. They are incidents of real apps, so none may be removed.
    static let counts = [16, 12, 15, 15, 18]

    static let histories = counts.enumerated().flatMap { group, count in
        (1...count).map { "S\(group + 1)_\($0 < 10 ? "0" : "")\($0)" }
    }

    static let features = (1...36).map { "M\($0)" }

    /// Returns the rows of a table whose first column is `S3.7` or `M7`; other lines are skipped.
    static func rows(of document: SourceFile) -> [HistoryRow] {
        document.lines.compactMap { HistoryRow($0) }
    }

    private init?(_ line: Substring) {
        let cells = line.split(separator: "|").map { $0.trimming(while: { $0 == " " }) }
        guard cells.count == 4 else { return nil }
        if let match = cells[0].wholeMatch(of: /S(\d)\.(\d+)/) {
            number = "S\(match.1)_\(match.2.count < 2 ? "0" : "")\(match.2)"
        } else if cells[0].wholeMatch(of: /M\d+/) != nil {
            number = String(cells[0])
        } else {
            return nil
        }
        tests = cells[3].matches(of: /`(\w+)`/).map { String($0.1) }
        reason = tests.isEmpty ? String(cells[3]) : ""
    }

    /// Returns the faults of the table, given the tests' numbers by function.
    static func faults(
        in rows: [HistoryRow], of expected: [String], numbers: [String: Set<String>]
    ) -> [String] {
        let found = rows.map(\.number)
        let missing = expected.filter { !found.contains($0) }.map { "\($0) is not in the table" }
        let surplus = Set(found).subtracting(expected).sorted().map { "\($0) is no row" }
        let twice = expected.filter { number in found.count { $0 == number } > 1 }.map { "\($0) is there twice" }
        return missing + surplus + twice + rows.flatMap { $0.faults(numbers) }
    }

    private func faults(_ numbers: [String: Set<String>]) -> [String] {
        if tests.isEmpty {
            // A sentence, not a dash.
            let isReason = reason.hasPrefix("No test: ") && reason.split(separator: " ").count > 5
            return isReason ? [] : ["\(number) has neither a test nor a reason"]
        }
        return tests.compactMap { test in
            guard let known = numbers[test] else { return "\(number): there is no test ‘\(test)’ with a number" }
            return known.contains(number) ? nil : "\(number): the test ‘\(test)’ does not say that it proves it"
        }
    }

    /// Returns the numbers in the display names of a file's tests, by function: `@Test("S3_05, S3_06: …") func name`.
    static func numbers(in file: SourceFile) -> [String: Set<String>] {
        let text = file.lines.joined(separator: "\n")
        let tests = text.matches(of: /@Test\(\s*"(?:P\d, )*((?:(?:S\d_\d\d|M\d+)(?:, )?)+): [\s\S]*?func (\w+)/)
        return Dictionary(
            tests.map { (String($0.2), Set($0.1.split(separator: ", ").map(String.init))) },
            uniquingKeysWith: { $0.union($1) })
    }
}

extension Substring {
    fileprivate func trimming(while isBlank: (Character) -> Bool) -> Substring {
        var rest = drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return rest
    }
}
