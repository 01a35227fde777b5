/// One step from what a column holds to what a version reads in it, and back. Total in both directions.
enum ViewStep: Sendable {
    case orElse(OrElse)
    case oneOf(OneOf)
    case converted(ConvertedView)

    func narrowed(_ value: Value) -> Value {
        switch self {
        case .orElse(let step): step.narrowed(value)
        case .oneOf(let step): step.narrowed(value)
        case .converted(let step): step.narrowed(value)
        }
    }

    func widened(_ value: Value) -> Value {
        switch self {
        case .orElse, .oneOf: value
        case .converted(let step): step.widened(value)
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
    func narrowed(_ value: Value) -> Value {
        reduce(value) { $1.narrowed($0) }
    }

    /// What the column holds when a version writes `value`.
    func widened(_ value: Value) -> Value {
        reversed().reduce(value) { $1.widened($0) }
    }
}
