/// Enumeration ↔ string, or ↔ an enumeration with more cases: a version reads `unknown` for a case that it does not
/// have.
struct OneOf: Sendable {
    let cases: [String]
    let unknown: Value

    /// Compares raw values byte by byte: texts that are only canonically equivalent are two raw values.
    func narrowed(_ value: Value) -> Value {
        guard case .string(let raw) = value else { return value }
        return cases.contains { $0.isIdentical(to: raw) } ? value : unknown
    }
}
