/// The rule by which several edits of an attribute are merged. The newest version that has the attribute declares it
/// for the edits of clients of all versions.
public enum MergePolicy: String, Hashable, Sendable, Codable, CaseIterable {
    /// The edit with the latest stamp wins.
    case latest
    /// The greatest number or the latest date wins, whenever it was written. Any value wins over null.
    case max
    /// The least number or the earliest date wins.
    case min
    /// The value contains the elements of all edits. An edit never removes an element.
    case union
    /// The edits are increments, and the value is their sum. No edit wins over another.
    case counter
}

extension MergePolicy {
    /// Returns true if this policy can merge values of `kind`.
    func fits(_ kind: AttributeType.Kind) -> Bool {
        switch (self, kind) {
        case (.latest, _): true
        case (.max, .int), (.max, .double), (.max, .decimal), (.max, .date): true
        case (.min, .int), (.min, .double), (.min, .decimal), (.min, .date): true
        case (.union, .array(let element)): UnionOfElements(of: element) != nil
        case (.counter, .int): true
        case (.max, _), (.min, _), (.union, _), (.counter, _): false
        }
    }

    /// The attribute types that this policy fits, in words. They are part of the error message to an author who
    /// declared the policy for an attribute of a type that it does not fit.
    var types: String {
        switch self {
        case .latest: "any type"
        case .max, .min: ".int, .double, .decimal or .date"
        case .union: "an array of scalars, such as .array(of: .string)"
        case .counter: ".int, not optional: sums of binary fractions depend on the order of their terms"
        }
    }
}
