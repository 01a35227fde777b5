/// Strict checks for files that people write: a member that is not expected is an error.
extension JSONNode {
    /// The error message for a node that is not an object, or that has a member outside `known`; `nil` if it is as
    /// expected.
    ///
    /// - Parameter name: the name of the object in the file.
    package func fault(asObject name: String, known: [String]) -> String? {
        guard let members else { return "‘\(name)’ must be an object." }
        guard let unknown = members.first(where: { !known.contains($0.key) }) else { return nil }
        return "‘\(name)’ has the member ‘\(unknown.key)’; there may be \(known.joined(separator: ", "))."
    }

    /// The elements of an array of strings; `nil` for anything else.
    package var strings: [String]? {
        guard let elements else { return nil }
        let strings = elements.compactMap(\.string)
        return strings.count == elements.count ? strings : nil
    }
}
