/// The change between an enumeration and a string, or an enumeration with more cases. The version with fewer values
/// reads `unknown` for a value that is not one of its cases.
struct OneOf: Sendable {
    let cases: [String]
    let unknown: Value

    /// The value that the version reads. Raw values are compared byte by byte: two texts that are only canonically
    /// equivalent are different raw values.
    func narrowed(_ value: Value) -> Value {
        guard case .string(let raw) = value else { return value }
        return cases.contains { $0.isIdentical(to: raw) } ? value : unknown
    }
}
