import StrictJSON

extension AttributeType {
    /// True if a client could have sent `value`. JSON must read back as the same value in this type; for every other
    /// value `admits` decides.
    func canHold(_ value: Value) -> Bool {
        guard case .json(let text) = value else { return admits(value) }
        guard let document = try? JSONDocument(parsing: text) else { return false }
        return (try? ValueReader.read(document.root, as: self)) == value
    }
}
