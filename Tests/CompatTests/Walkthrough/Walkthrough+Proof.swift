import Testing

extension Walkthrough.Step {
    /// Takes it, and expects that it ends and prints as the document says.
    ///
    /// - Parameters:
    ///   - folder: where in `place`.
    ///   - action: what to do, where that is not the document's to the letter.
    func prove(in place: Workplace, _ folder: String = ".", doing action: Walkthrough.Action? = nil) async throws {
        let (status, output) = try await place.take(action ?? self.action, in: folder)
        var expected: Int32 = 0
        if case .run(_, let stated) = self.action { expected = stated }
        try #require(status == expected, "line \(line) of the document: \(output)")
        let printed = output.split(separator: "\n")
        for beginning in self.output {
            #expect(printed.contains { $0.hasPrefix(beginning) }, "line \(line): ‘\(beginning)’ is not in\n\(output)")
        }
    }
}
