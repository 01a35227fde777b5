import StrictJSON
import WireFormats

/// A JSON object in a file that Foundation's encoder wrote: dates are seconds since 2001, or text; a whole number may
/// stand for any number; an optional without a value is absent.
struct LegacyRow {
    private let node: JSONNode
    /// The id of a row without an id of its own; `nil` if the row must have one.
    private let derivedID: ID?

    /// 2001-01-01T00:00:00Z in microseconds since 1970.
    static let referenceDate: Int64 = 978_307_200_000_000

    init(_ node: JSONNode, derivedID: ID? = nil) {
        self.node = node
        self.derivedID = derivedID
    }

    func has(_ key: String) -> Bool { value(key) != nil }

    /// True if the row has the key, even without a value.
    func names(_ key: String) -> Bool { node[key] != nil }

    /// True if the value under the key is a number.
    func hasNumber(_ key: String) -> Bool { value(key)?.double != nil }

    /// Returns the row's id, or one derived from its content if it has none.
    func id() throws(LegacyFault) -> ID {
        if let id = try id("id") ?? derivedID { return id }
        throw LegacyFault("‘id’ is missing.")
    }

    func id(_ key: String) throws(LegacyFault) -> ID? {
        guard let node = value(key) else { return nil }
        guard let id = node.string.flatMap({ ID($0) }) else { throw LegacyFault("‘\(key)’ is not a UUID.") }
        return id
    }

    /// Returns the object under a key.
    func child(_ key: String) -> LegacyRow? {
        value(key).map { LegacyRow($0) }
    }

    /// Returns the objects of the list under a key.
    func children(_ key: String) throws(LegacyFault) -> [LegacyRow]? {
        guard let node = value(key) else { return nil }
        guard let elements = node.elements else { throw LegacyFault("‘\(key)’ is not a list.") }
        return elements.map { LegacyRow($0) }
    }

    func text(_ key: String) throws(LegacyFault) -> String? {
        guard let node = value(key) else { return nil }
        guard let text = node.string, !node.containsNUL else { throw LegacyFault("‘\(key)’ is not a text.") }
        return text
    }

    func number(_ key: String) throws(LegacyFault) -> Double? {
        guard let node = value(key) else { return nil }
        guard let number = node.double else { throw LegacyFault("‘\(key)’ is not a number.") }
        return number
    }

    /// Returns an exact number, to the last digit if `LongNumbers` has read the file.
    func decimal(_ key: String) throws(LegacyFault) -> DecimalText? {
        guard let node = value(key) else { return nil }
        let decimal = node.double.flatMap { DecimalText(shortest: $0) } ?? node.string.flatMap { DecimalText($0) }
        guard let decimal else {
            throw LegacyFault("‘\(key)’ is not a number of at most \(DecimalText.digitsMax) digits.")
        }
        return decimal
    }

    /// Returns a whole number within a range.
    func int(_ key: String, in range: ClosedRange<Int64>) throws(LegacyFault) -> Int64? {
        guard let node = value(key) else { return nil }
        guard let int = node.int64, range.contains(int) else {
            throw LegacyFault("‘\(key)’ is not a whole number from \(range.lowerBound) to \(range.upperBound).")
        }
        return int
    }

    /// Returns any value under a key, as canonical text.
    func json(_ key: String) throws(LegacyFault) -> String? {
        guard let node = value(key) else { return nil }
        guard !node.containsNUL else { throw LegacyFault("‘\(key)’ holds the character U+0000.") }
        return node.canonicalText()
    }

    /// The row as canonical text, which is equal for rows with the same content.
    var canonicalText: String { node.canonicalText() }

    func bool(_ key: String) throws(LegacyFault) -> Bool? {
        guard let node = value(key) else { return nil }
        guard let bool = node.bool else { throw LegacyFault("‘\(key)’ is not true or false.") }
        return bool
    }

    func date(_ key: String) throws(LegacyFault) -> Timestamp? {
        guard let node = value(key) else { return nil }
        guard let date = LegacyRow.date(node) else { throw LegacyFault("‘\(key)’ is not a date.") }
        return date
    }

    func dates(_ key: String) throws(LegacyFault) -> [Timestamp]? {
        guard let node = value(key) else { return nil }
        guard let elements = node.elements else { throw LegacyFault("‘\(key)’ is not a list of dates.") }
        var dates: [Timestamp] = []
        for element in elements {
            guard let date = LegacyRow.date(element) else { throw LegacyFault("‘\(key)’ holds what is not a date.") }
            dates.append(date)
        }
        return dates
    }

    /// Returns the result of `read` for a key that must exist.
    func required<Found>(
        _ key: String, _ read: (LegacyRow) -> (String) throws(LegacyFault) -> Found?
    ) throws(LegacyFault) -> Found {
        guard let found = try read(self)(key) else { throw LegacyFault("‘\(key)’ is missing.") }
        return found
    }

    private func value(_ key: String) -> JSONNode? {
        node[key].flatMap { $0.isNull ? nil : $0 }
    }

    private static func date(_ node: JSONNode) -> Timestamp? {
        let date: Timestamp?
        if let seconds = node.double {
            let microseconds = (seconds * 1_000_000).rounded() + Double(referenceDate)
            date = Int64(exactly: microseconds).map { Timestamp(microseconds: $0) }
        } else {
            date = node.string.flatMap { try? Timestamp(rfc3339($0)) }
        }
        return date.flatMap { Timestamp.wireRange.contains($0) ? $0 : nil }
    }

    /// Converts the description of a date, such as `2025-03-21 06:40:00 +0000`, to RFC 3339 with T and colon; any other
    /// text stays as it is.
    private static func rfc3339(_ text: String) -> String {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2].count == 5 else { return text }
        return "\(parts[0])T\(parts[1])\(parts[2].prefix(3)):\(parts[2].suffix(2))"
    }
}
