/// The conversion behind `MapCases`: raw values renamed or folded, everything else passed through where both sides know it.
struct CaseMap: Sendable {
    let cases: [(String, String)]
    let unknown: (older: String, newer: String)
    let older: AttributeType?
    let newer: AttributeType?

    /// Always `.lossy`, so that each side keeps its own raw value: a fold has no way back.
    var mapping: ValueMapping {
        let up = Dictionary(cases, uniquingKeysWith: { first, _ in first })
        let down = Dictionary(cases.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        return ValueMapping(
            name: "MapCases", fidelity: .lossy, older: older ?? .string, newer: newer ?? .string,
            up: { CaseMap.mapped($0, by: up, into: newer, unknown: unknown.newer) },
            down: { CaseMap.mapped($0, by: down, into: older, unknown: unknown.older) })
    }

    private static func mapped(
        _ value: Value, by table: [String: String], into type: AttributeType?, unknown: String
    ) -> Value {
        guard case .string(let raw) = value else {
            return type?.isOptional == true ? .null : .string(unknown)
        }
        let mapped = Value.string(table[raw] ?? raw)
        return type?.kind.admits(mapped) == true ? mapped : .string(unknown)
    }
}
