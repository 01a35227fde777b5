/// Required ↔ optional: a version that requires the attribute reads `fallback` where another version wrote null.
struct OrElse: Sendable {
    let fallback: Value

    func narrowed(_ value: Value) -> Value {
        value.isNull ? fallback : value
    }
}
