import StrictJSON

/// Merges two arrays of scalars as sets: the result has each element once, ordered by value. So the result does not
/// depend on the order in which the arrays arrive.
package struct UnionOfElements: Hashable, Sendable {
    private let element: AttributeType.Kind

    /// Makes a union for arrays with elements of this kind. `nil` if the elements are not scalars.
    package init?(of element: AttributeType.Kind) {
        switch element {
        case .bool, .int, .double, .decimal, .string, .date, .uuid, .data, .enumeration: self.element = element
        case .array, .codable, .reference: return nil
        }
    }

    /// Returns the elements of both arrays, each once, ordered by value. Null counts as an array without elements, but
    /// two nulls give null.
    ///
    /// If `b` adds no element, `a` is returned unchanged, even if its elements are in another order. An array may be in
    /// another order if it was written before the merge policy was declared. Sending it again must change nothing.
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
