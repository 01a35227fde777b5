/// One step from what a column holds to what a version reads in it, and back. Total in both directions, but for a
/// conversion that fails.
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
    /// What a version reads, for people.
    var reading: String {
        switch self {
        case .orElse(let step): "\(step.fallback.brief) where it is null"
        case .oneOf(let step): "\(step.unknown.brief) for a case that they do not have"
        case .converted(let step): "it through \(step.mapping.name)"
        }
    }
}

extension [ViewStep] {
    /// What a version reads where the column holds `value`.
    func narrowed(_ value: Value) throws(LensFailure) -> Value {
        var value = value
        for step in self { value = try step.narrowed(value) }
        return value
    }

    /// What the column holds when a version writes `value`.
    func widened(_ value: Value) throws(LensFailure) -> Value {
        var value = value
        for step in reversed() { value = try step.widened(value) }
        return value
    }
}
