/// The conversion behind a `MapCases` instruction, which renames cases of an enumeration or maps several cases to one.
/// A case that is not listed keeps its raw value if both versions have it.
struct CaseMap: Sendable {
    let cases: [(String, String)]
    let unknown: (older: String, newer: String)
    let older: AttributeType?
    let newer: AttributeType?

    /// The mapping between the raw values of the two versions. It is always `.lossy`, so the raw value of each version
    /// has its own column. One column would not be enough: two cases that are mapped to one could not be told apart.
    var mapping: ValueMapping {
        // Raw values are compared as values are, by their bytes.
        let up = Dictionary(cases.map { (Value.string($0), $1) }, uniquingKeysWith: { first, _ in first })
        let down = Dictionary(cases.map { (Value.string($1), $0) }, uniquingKeysWith: { first, _ in first })
        return ValueMapping(
            name: "MapCases", fidelity: .lossy, older: older ?? .string, newer: newer ?? .string,
            up: { CaseMap.mapped($0, by: up, into: newer, unknown: unknown.newer) },
            down: { CaseMap.mapped($0, by: down, into: older, unknown: unknown.older) })
    }

    /// A description of the first mistake in the instruction; `nil` if there is none. It is a mistake to name a case or
    /// an attribute that the version does not have.
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
