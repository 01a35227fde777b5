/// Joins arrays of scalars as sets: each element once, in an order of their values. So it does not matter which array
/// came first.
public struct UnionOfElements: Hashable, Sendable {
    private let element: AttributeType.Kind

    /// `nil` where the elements are no scalars.
    public init?(of element: AttributeType.Kind) {
        switch element {
        case .bool, .int, .double, .decimal, .string, .date, .uuid, .data, .enumeration: self.element = element
        case .array, .codable, .reference: return nil
        }
    }

    /// The elements of both, in their order. Null has none, and two nulls are null. Where the second adds nothing, the
    /// first stays as it is: an array of before the policy may have another order, and to say it again changes nothing.
    public func joined(_ a: Value, _ b: Value) -> Value {
        if a.isNull, b.isNull { return .null }
        let (own, others) = (elements(of: a), Set(elements(of: b)))
        if !a.isNull, others.isSubset(of: own) { return a }
        let elements = others.union(own).sorted { $0.precedes($1) }
        return .json(
            JSONWriter.text { writer in
                writer.beginArray()
                for element in elements { writer.value(element) }
                writer.endArray()
            })
    }

    private func elements(of array: Value) -> [Value] {
        guard case .json(let text) = array,
            let nodes = (try? JSONDocument(parsing: Array(text.utf8)))?.root.elements
        else { return [] }
        return nodes.compactMap { try? ValueReader.read($0, as: AttributeType(element)) }
    }
}
