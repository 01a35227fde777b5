import StrictJSON

/// Joins arrays of scalars as sets: each element once, in an order of their values. So the result does not depend on
/// which array came first.
package struct UnionOfElements: Hashable, Sendable {
    private let element: AttributeType.Kind

    /// Makes a union for arrays of this element type. `nil` if the elements are not scalars.
    package init?(of element: AttributeType.Kind) {
        switch element {
        case .bool, .int, .double, .decimal, .string, .date, .uuid, .data, .enumeration: self.element = element
        case .array, .codable, .reference: return nil
        }
    }

    /// Returns the elements of both arrays, in their order. Null has no elements, and two nulls are null. If the second
    /// array adds nothing, the first stays as it is: an array from before the policy may have another order, and
    /// sending it again changes nothing.
    package func joined(_ a: Value, _ b: Value) -> Value {
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
