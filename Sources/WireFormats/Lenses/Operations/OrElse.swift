/// The change between a required and an optional attribute. The version that requires it reads `fallback` if another
/// version wrote null.
struct OrElse: Sendable {
    let fallback: Value

    func narrowed(_ value: Value) -> Value {
        value.isNull ? fallback : value
    }
}
