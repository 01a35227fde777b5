/// Enumeration ↔ string, or ↔ an enumeration with more cases: a version reads `unknown` for a case that it does not have.
struct OneOf: Sendable {
    let cases: Set<String>
    let unknown: Value

    func narrowed(_ value: Value) -> Value {
        guard case .string(let raw) = value else { return value }
        return cases.contains(raw) ? value : unknown
    }
}
