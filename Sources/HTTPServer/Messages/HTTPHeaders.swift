/// Header fields in the order in which they were sent. Names are compared without regard to ASCII case, and may repeat
/// (RFC 9110 section 5).
///
/// A look-up goes through all fields: a request has around ten, and their size is bounded by
/// `Limits.headersSizeMaxBytes`.
package struct HTTPHeaders: Sendable, Equatable, ExpressibleByDictionaryLiteral, Sequence {
    /// One field line. `value` is text: bytes outside UTF-8 were replaced by U+FFFD.
    package struct Field: Sendable, Equatable {
        package var name: String
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    private var fields: [Field]

    package init(_ fields: [Field] = []) {
        self.fields = fields
    }

    package init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }

    package var count: Int { fields.count }

    /// The first value of the field `name`; `nil` if there is no such field. Setting a value replaces every field of
    /// that name, and setting `nil` removes them.
    package subscript(name: String) -> String? {
        get {
            for field in fields where field.name.equalsIgnoringASCIICase(name) { return field.value }
            return nil
        }
        set {
            fields.removeAll { $0.name.equalsIgnoringASCIICase(name) }
            if let newValue { add(name, newValue) }
        }
    }

    /// Returns the values of all fields named `name`, in order, one for each field line. No value is split at its
    /// commas.
    package func values(named name: String) -> [String] {
        var values: [String] = []
        for field in fields where field.name.equalsIgnoringASCIICase(name) { values.append(field.value) }
        return values
    }

    /// Returns every value of the list-based field `name`, split at commas and trimmed of blanks (RFC 9110 section
    /// 5.6.1). Commas in quoted strings also split, so use this only for fields whose values are tokens.
    package func tokens(named name: String) -> [String] {
        var tokens: [String] = []
        for value in values(named: name) {
            tokens += value.split(separator: ",").map { $0.trimmingBlanks() }.filter { !$0.isEmpty }
        }
        return tokens
    }

    /// Reserves capacity for `count` fields.
    mutating func reserve(_ count: Int) {
        fields.reserveCapacity(count)
    }

    package mutating func add(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    package func makeIterator() -> IndexingIterator<[Field]> {
        fields.makeIterator()
    }
}
