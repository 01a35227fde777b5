extension AttributeType {
    /// Whether a client could have sent `value`: as `admits`, and JSON down to its elements.
    func canHold(_ value: Value) -> Bool {
        guard case .json(let text) = value else { return admits(value) }
        guard let document = try? JSONDocument(parsing: text) else { return false }
        return (try? ValueReader.read(document.root, as: self)) == value
    }
}
