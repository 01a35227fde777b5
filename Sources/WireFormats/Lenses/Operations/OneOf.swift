/// The change between an enumeration and a string, or between two enumerations of which one has all cases of the other.
/// The version with fewer values reads `unknown` in place of a value that it does not have.
struct OneOf: Sendable {
    let cases: [String]
    let unknown: Value

    /// The value that the version with fewer values reads. Raw values are compared by their bytes, because Swift's `==`
    /// also accepts canonically equivalent texts.
    func narrowed(_ value: Value) -> Value {
        guard case .string(let raw) = value else { return value }
        return cases.contains { $0.isIdentical(to: raw) } ? value : unknown
    }
}
