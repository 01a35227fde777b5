/// A table of text: a wide first column, and columns of figures that are aligned on the right.
struct TextTable {
    private static let nameWidth = 29
    private let cellWidth: Int
    private(set) var lines: [String] = []

    init(_ title: String, columns: [String]) {
        // Seven columns of ten fit into a line of a hundred.
        cellWidth = columns.count > 5 ? 10 : 13
        add(title, columns)
    }

    mutating func add(_ name: String, _ cells: [String]) {
        let padded = name + String(repeating: " ", count: max(0, TextTable.nameWidth - name.count))
        let aligned = cells.map { String(repeating: " ", count: max(1, cellWidth - $0.count)) + $0 }
        lines.append(padded + aligned.joined())
    }
}
