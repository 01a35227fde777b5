import StrictJSON

extension AttributeType {
    /// Returns true if a client could have sent `value` for an attribute of this type. A JSON text passes if parsing it
    /// for this type gives the same value again. Every other value passes if the type admits it.
    func canHold(_ value: Value) -> Bool {
        guard case .json(let text) = value else { return admits(value) }
        guard let document = try? JSONDocument(parsing: text) else { return false }
        return (try? ValueReader.read(document.root, as: self)) == value
    }
}
