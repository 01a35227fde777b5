import Postgres

/// The source text of a plan. Elements can be appended to the lists in it.
///
/// A list has one of two forms. The first begins with a line that has `static let NAME` and ends in `= [`, and ends at
/// the next line that is `]` with the same indentation. The second is an empty list on one line, `= []`. For any other
/// form, an error is thrown.
struct PlanSource {
    private var lines: [String]

    /// The line width that the formatter enforces, in columns.
    private static let columnsMax = 120

    struct Refusal: Error {
        let reason: String
    }

    init(_ text: String) {
        lines = LineEnds.plain(text).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    var text: String { lines.joined(separator: "\n") }

    /// Appends `element` to the list `name` in the plan's source. It is written on the line of the list's last element
    /// if it fits there, otherwise on a new line.
    ///
    /// - Parameter last: the element that must be the list's last one.
    mutating func append(_ element: String, after last: String, toListNamed name: String) throws(Refusal) {
        let list = try range(of: name)
        guard let index = lastLine(of: list), completed(lines[index]).hasSuffix(" \(last),") else {
            throw Refusal(reason: "‘\(name)’ does not end with ‘\(last),’. Build first, if the plan was changed since")
        }
        lines[index] = completed(lines[index])
        if lines[index].count + element.count + 2 <= Self.columnsMax {
            lines[index] += " \(element),"
        } else {
            lines.insert(indentation(of: list) + element + ",", at: index + 1)
        }
    }

    /// Appends `element` to the list `name` in the plan's source, on a new line. A call that does not fit on one line
    /// is written on two lines.
    mutating func append(_ element: String, toListNamed name: String) throws(Refusal) {
        let list = try range(of: name)
        if let index = lastLine(of: list) {
            lines[index] = completed(lines[index])
        }
        let indentation = indentation(of: list)
        var added = [indentation + element + ","]
        if added[0].count > Self.columnsMax, let open = element.firstIndex(of: "(") {
            let inside = element.index(after: open)
            added = [indentation + element[..<inside], "\(indentation)    \(element[inside...]),"]
        }
        lines.insert(contentsOf: added, at: list.upperBound)
    }

    /// Appends an element of several lines to a list, with the indentation of the list's elements.
    mutating func append(block: String, toListNamed name: String) throws(Refusal) {
        let list = try range(of: name)
        if let index = lastLine(of: list) { lines[index] = completed(lines[index]) }
        let added = (block + ",").split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        lines.insert(contentsOf: added, at: list.upperBound)
    }

    /// Finds a list in the plan's source by its name. Returns the indices of the lines with its elements; an empty
    /// range for an empty list.
    private mutating func range(of name: String) throws(Refusal) -> Range<Int> {
        let heads = lines.indices.filter { lines[$0].split(separator: " ").contains(["static", "let", "\(name):"]) }
        guard let head = heads.first, heads.count == 1 else {
            throw Refusal(reason: "there is no one line ‘static let \(name): […] = [’")
        }
        let indentation = String(lines[head].prefix { $0 == " " })
        if lines[head].hasSuffix(" = []") {
            lines[head].removeLast()
            lines.insert(indentation + "]", at: head + 1)
        }
        let end = lines[(head + 1)...].firstIndex { $0 == indentation + "]" }
        guard lines[head].hasSuffix(" = ["), let end else {
            throw Refusal(reason: "‘\(name)’ is not a list over several lines, from ‘= [’ to a line ‘]’")
        }
        return head + 1..<end
    }

    /// Returns the index of the list's last line that is neither blank nor a comment; `nil` if there is none.
    private func lastLine(of list: Range<Int>) -> Int? {
        list.last { index in
            let code = lines[index].drop { $0 == " " }
            return !code.isEmpty && !code.hasPrefix("//")
        }
    }

    /// Returns the line with a comma at its end, so that another element can be appended.
    private func completed(_ line: String) -> String {
        line.hasSuffix(",") ? line : line + ","
    }

    private func indentation(of list: Range<Int>) -> String {
        lines[list.lowerBound - 1].prefix { $0 == " " } + "    "
    }
}
