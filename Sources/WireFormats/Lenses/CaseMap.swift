/// The conversion behind `MapCases`: it renames or folds raw values and passes on every other value that both sides
/// have.
struct CaseMap: Sendable {
    let cases: [(String, String)]
    let unknown: (older: String, newer: String)
    let older: AttributeType?
    let newer: AttributeType?

    /// The mapping between the two sides. It is always `.lossy`, so that each side keeps its own raw value, because a
    /// fold cannot be reversed.
    var mapping: ValueMapping {
        // Raw values are compared as values are, by their bytes.
        let up = Dictionary(cases.map { (Value.string($0), $1) }, uniquingKeysWith: { first, _ in first })
        let down = Dictionary(cases.map { (Value.string($1), $0) }, uniquingKeysWith: { first, _ in first })
        return ValueMapping(
            name: "MapCases", fidelity: .lossy, older: older ?? .string, newer: newer ?? .string,
            up: { CaseMap.mapped($0, by: up, into: newer, unknown: unknown.newer) },
            down: { CaseMap.mapped($0, by: down, into: older, unknown: unknown.older) })
    }

    /// The first named case that its side does not have. A mapping with such a case would never be used, or would make
    /// values that nobody can read.
    var mistake: String? {
        let named = cases.map(\.0) + [unknown.older]
        return CaseMap.firstMissing(named, in: older)
            ?? CaseMap.firstMissing(cases.map(\.1) + [unknown.newer], in: newer)
    }

    private static func firstMissing(_ cases: [String], in type: AttributeType?) -> String? {
        guard let type else { return "it maps the cases of an attribute that does not travel" }
        return cases.first { !type.kind.admits(.string($0)) }.map { "‘\($0)’ is not a case of \(type)" }
    }

    private static func mapped(
        _ value: Value, by table: [Value: String], into type: AttributeType?, unknown: String
    ) -> Value {
        guard case .string(let raw) = value else {
            return type?.isOptional == true ? .null : .string(unknown)
        }
        let mapped = Value.string(table[value] ?? raw)
        return type?.kind.admits(mapped) == true ? mapped : .string(unknown)
    }
}
