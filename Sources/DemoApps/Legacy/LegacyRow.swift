import StrictJSON
import WireFormats

/// A row of a file: a JSON object that Foundation's encoder wrote. In it, dates are seconds since 2001, or texts; a
/// number without a fraction may be written as a whole number; an optional without a value is absent.
struct LegacyRow {
    private let node: JSONNode
    /// The id for a row that contains none, derived from its content; `nil` if the row must contain its id.
    private let derivedID: ID?

    /// The time from which dates are counted, 2001-01-01T00:00:00Z, in microseconds since 1970.
    static let referenceDate: Int64 = 978_307_200_000_000

    init(_ node: JSONNode, derivedID: ID? = nil) {
        self.node = node
        self.derivedID = derivedID
    }

    func has(_ key: String) -> Bool { value(key) != nil }

    /// Returns true if the row has the key, even if its value is null.
    func names(_ key: String) -> Bool { node[key] != nil }

    /// Returns true if the value of the key is a number.
    func hasNumber(_ key: String) -> Bool { value(key)?.double != nil }

    /// Returns the id that the row contains, or else the one that was derived for it.
    ///
    /// - Throws: `LegacyFault` if there is neither.
    func id() throws(LegacyFault) -> ID {
        if let id = try id("id") ?? derivedID { return id }
        throw LegacyFault("‘id’ is missing.")
    }

    func id(_ key: String) throws(LegacyFault) -> ID? {
        guard let node = value(key) else { return nil }
        guard let id = node.string.flatMap({ ID($0) }) else { throw LegacyFault("‘\(key)’ is not a UUID.") }
        return id
    }

    /// Returns the JSON object that is the value of the key; `nil` if it has no value.
    func child(_ key: String) -> LegacyRow? {
        value(key).map { LegacyRow($0) }
    }

    /// Returns the JSON objects in the list that is the value of the key; `nil` if it has no value.
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

    /// Returns the exact number that is the value of the key; `nil` if it has no value.
    ///
    /// A number with more than 15 digits is exact only if `LongNumbers` has put it into quotes before the file was
    /// parsed.
    func decimal(_ key: String) throws(LegacyFault) -> DecimalText? {
        guard let node = value(key) else { return nil }
        let decimal = node.double.flatMap { DecimalText(shortest: $0) } ?? node.string.flatMap { DecimalText($0) }
        guard let decimal else {
            throw LegacyFault("‘\(key)’ is not a number of at most \(DecimalText.digitsMax) digits.")
        }
        return decimal
    }

    /// Returns the whole number that is the value of the key; `nil` if it has no value.
    ///
    /// - Throws: `LegacyFault` if the value is not a whole number in this range.
    func int(_ key: String, in range: ClosedRange<Int64>) throws(LegacyFault) -> Int64? {
        guard let node = value(key) else { return nil }
        guard let int = node.int64, range.contains(int) else {
            throw LegacyFault("‘\(key)’ is not a whole number from \(range.lowerBound) to \(range.upperBound).")
        }
        return int
    }

    /// Returns the value of the key as canonical JSON, whatever its type; `nil` if it has no value.
    func json(_ key: String) throws(LegacyFault) -> String? {
        guard let node = value(key) else { return nil }
        guard !node.containsNUL else { throw LegacyFault("‘\(key)’ holds the character U+0000.") }
        return node.canonicalText()
    }

    /// The row as canonical JSON text. It is equal for rows with the same content.
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

    /// Returns the value of a key that the row must have.
    ///
    /// - Parameter read: a method of the row that reads the value of a key, such as `LegacyRow.text`. It returns `nil`
    ///   if the key has no value.
    /// - Throws: `LegacyFault` if the key has no value.
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

    /// Converts a date that Foundation's `Date.description` wrote, such as `2025-03-21 06:40:00 +0000`, to its RFC 3339
    /// form. Any other text is returned unchanged.
    private static func rfc3339(_ text: String) -> String {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2].count == 5 else { return text }
        return "\(parts[0])T\(parts[1])\(parts[2].prefix(3)):\(parts[2].suffix(2))"
    }
}
