import Testing

extension Walkthrough.Step {
    /// Performs the step, and expects the status and output that the document states.
    ///
    /// - Parameters:
    ///   - folder: the folder in `workplace`.
    ///   - action: the action, if it differs from the document's.
    func prove(in workplace: Workplace, _ folder: String = ".", doing action: Walkthrough.Action? = nil) async throws {
        let (status, output) = try await workplace.take(action ?? self.action, in: folder)
        var expected: Int32 = 0
        if case .run(_, let stated) = self.action { expected = stated }
        try #require(status == expected, "line \(line) of the document: \(output)")
        let printed = output.split(separator: "\n")
        for beginning in self.output {
            #expect(printed.contains { $0.hasPrefix(beginning) }, "line \(line): ‘\(beginning)’ is not in\n\(output)")
        }
    }
}
