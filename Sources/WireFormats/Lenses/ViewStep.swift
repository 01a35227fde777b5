/// One step between the value in a column and the value that a version reads, in both directions. Only a step that runs
/// an author's conversion can fail.
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
    /// A description, for people, of the value that the version reads, such as ‘0 where it is null’.
    var reading: String {
        switch self {
        case .orElse(let step): "\(step.fallback.brief) where it is null"
        case .oneOf(let step): "\(step.unknown.brief) for a case that they do not have"
        case .converted(let step): "it through \(step.mapping.name)"
        }
    }
}

extension [ViewStep] {
    /// The value that the version reads if the column contains `value`.
    func narrowed(_ value: Value) throws(LensFailure) -> Value {
        var value = value
        for step in self { value = try step.narrowed(value) }
        return value
    }

    /// The value that is stored in the column if the version writes `value`.
    func widened(_ value: Value) throws(LensFailure) -> Value {
        var value = value
        for step in reversed() { value = try step.widened(value) }
        return value
    }
}
