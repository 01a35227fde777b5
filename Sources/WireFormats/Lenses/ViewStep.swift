/// One step from the value of a column to the value that a version reads, and back. Never fails in either direction,
/// except for a conversion that fails.
enum ViewStep: Sendable {
    case orElse(OrElse)
    case oneOf(OneOf)
    case converted(ConvertedView)

    func narrowed(_ value: Value) throws(LensFailure) -> Value {
        switch self {
        case .orElse(let step): step.narrowed(value)
        case .oneOf(let step): step.narrowed(value)
        case .converted(let step): try step.narrowed(value)
        }
    }

    func widened(_ value: Value) throws(LensFailure) -> Value {
        switch self {
        case .orElse, .oneOf: value
        case .converted(let step): try step.widened(value)
        }
    }
}

extension ViewStep {
    /// A description of the value that a version reads, for people.
    var reading: String {
        switch self {
        case .orElse(let step): "\(step.fallback.brief) where it is null"
        case .oneOf(let step): "\(step.unknown.brief) for a case that they do not have"
        case .converted(let step): "it through \(step.mapping.name)"
        }
    }
}

extension [ViewStep] {
    /// The value that a version reads if the column holds `value`.
    func narrowed(_ value: Value) throws(LensFailure) -> Value {
        var value = value
        for step in self { value = try step.narrowed(value) }
        return value
    }

    /// The value that the column holds if a version writes `value`.
    func widened(_ value: Value) throws(LensFailure) -> Value {
        var value = value
        for step in reversed() { value = try step.widened(value) }
        return value
    }
}
