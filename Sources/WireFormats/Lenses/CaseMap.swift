/// The conversion behind `MapCases`, which renames cases of an enumeration or maps several cases to one. Every other
/// raw value is kept if both versions have it.
struct CaseMap: Sendable {
    let cases: [(String, String)]
    let unknown: (older: String, newer: String)
    let older: AttributeType?
    let newer: AttributeType?

    /// The mapping between the two versions' raw values. It is always `.lossy`, so that each version's raw value is
    /// stored in a column of its own, because several cases that were mapped to one cannot be told apart again.
    var mapping: ValueMapping {
        // Raw values are compared as values are, by their bytes.
        let up = Dictionary(cases.map { (Value.string($0), $1) }, uniquingKeysWith: { first, _ in first })
        let down = Dictionary(cases.map { (Value.string($1), $0) }, uniquingKeysWith: { first, _ in first })
        return ValueMapping(
            name: "MapCases", fidelity: .lossy, older: older ?? .string, newer: newer ?? .string,
            up: { CaseMap.mapped($0, by: up, into: newer, unknown: unknown.newer) },
            down: { CaseMap.mapped($0, by: down, into: older, unknown: unknown.older) })
    }

    /// A description of the first fault in the instruction; `nil` if there is none. A fault is a case that its version
    /// does not have: it would never be used, or would be a value that no client can read. So is an attribute that its
    /// version does not have.
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
