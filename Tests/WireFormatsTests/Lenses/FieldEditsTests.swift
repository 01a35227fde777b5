import Testing

@testable import WireFormats

struct FieldEditsTests {
    private func edits(_ fields: [Int]) -> [FieldEdit] {
        fields.map { FieldEdit(field: $0, value: .int(Int64($0))) }
    }

    @Test(arguments: [[], [0], [1], [0, 1, 2], [0, 2], [2, 1, 0], [1, 0, 2], [0, 1, 3, 2]])
    func theyAreWhatWasAdded(_ fields: [Int]) {
        let edits = FieldEdits(edits(fields))
        #expect(Array(edits) == self.edits(fields))
        #expect((edits.inOrder != nil) == (fields == Array(0..<fields.count)))
    }

    @Test(arguments: [[0], [0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 2, 1], [3, 0, 2, 1]])
    func thoseOfAllFieldsAreArranged(_ fields: [Int]) {
        var edits = FieldEdits(edits(fields))
        edits.arrange()
        #expect(edits.inOrder == (0..<fields.count).map { .int(Int64($0)) })
        #expect(Array(edits) == self.edits(fields.sorted()))
    }
}
