/// Which of several edits of an attribute stands. The newest version that has the attribute decides for the writers of
/// all versions, as with delete rules.
public enum MergePolicy: String, Hashable, Sendable, Codable, CaseIterable {
    /// The one with the later stamp.
    case latest
    /// The greatest number or the latest date, whenever it was written. Null loses against anything.
    case max
    /// The least number or the earliest date.
    case min
    /// The elements of all of them. None is removed by editing.
    case union
    /// None: edits are increments, and all of them count.
    case counter
}

extension MergePolicy {
    /// Whether the values of `kind` can be merged so.
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

    /// What the types are that it fits, for whoever declared another.
    var types: String {
        switch self {
        case .latest: "any type"
        case .max, .min: ".int, .double, .decimal or .date"
        case .union: "an array of scalars, such as .array(of: .string)"
        case .counter: ".int, not optional: sums of binary fractions depend on the order of their terms"
        }
    }
}
