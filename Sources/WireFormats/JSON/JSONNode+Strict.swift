/// For files that people write: what they do not mean to say is an error.
extension JSONNode {
    /// What is wrong where this is no object, or has a member that nobody knows; `nil` where all is well.
    ///
    /// - Parameter name: what the file calls it.
    package func fault(asObject name: String, known: [String]) -> String? {
        guard let members else { return "‘\(name)’ must be an object." }
        guard let stranger = members.first(where: { !known.contains($0.key) }) else { return nil }
        return "‘\(name)’ has the member ‘\(stranger.key)’; there may be \(known.joined(separator: ", "))."
    }

    /// The elements of an array of strings; `nil` for anything else.
    package var strings: [String]? {
        guard let elements else { return nil }
        let strings = elements.compactMap(\.string)
        return strings.count == elements.count ? strings : nil
    }
}
