import StrictJSON

extension AttributeType {
    /// Returns true if a client could have sent `value` for an attribute of this type. JSON text qualifies if it is
    /// read back as the same value of this type. Every other value qualifies if the type's `admits` is true for it.
    func canHold(_ value: Value) -> Bool {
        guard case .json(let text) = value else { return admits(value) }
        guard let document = try? JSONDocument(parsing: text) else { return false }
        return (try? ValueReader.read(document.root, as: self)) == value
    }
}
