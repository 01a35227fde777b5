// What SyncClient uses of Apple's Dispatch, see Foundation.swift.

public final class DispatchQueue: Sendable {
    public init(label: String) {}
    public func async(execute work: @escaping @Sendable () -> Void) {}
}

public enum DispatchPredicate {
    case onQueue(DispatchQueue)
}

public func dispatchPrecondition(condition: @autoclosure () -> DispatchPredicate) {}
