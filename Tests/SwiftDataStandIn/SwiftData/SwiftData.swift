public import Foundation

// What SwiftDataStore uses of Apple's SwiftData (macOS 15, iOS 18), as Apple's documentation declares it, so that the
// compiler can check it on Linux. script/portable does. Nothing here does anything.

public protocol PersistentModel: AnyObject, Hashable {
    var persistentModelID: PersistentIdentifier { get }
}

extension PersistentModel {
    public static func == (one: Self, other: Self) -> Bool { one === other }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

public struct PersistentIdentifier: Hashable, Comparable, Codable, Sendable {
    let number: Int

    public static func < (one: Self, other: Self) -> Bool { one.number < other.number }
}

public struct ModelConfiguration: Hashable, Sendable {
    public var url: URL
}

public final class ModelContainer: Sendable {
    public let configurations: Set<ModelConfiguration> = []

    public init() {}
}

public struct FetchDescriptor<T: PersistentModel> {
    public var predicate: Predicate<T>?
    public var fetchLimit: Int?

    public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) { self.predicate = predicate }
}

public class ModelContext {
    public var author: String?
    public var autosaveEnabled = true

    public init(_ container: ModelContainer) {}

    public func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] { [] }
    public func fetchCount<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> Int { 0 }
    public func insert<T: PersistentModel>(_ model: T) {}
    public func delete<T: PersistentModel>(_ model: T) {}
    public func transaction(block: () throws -> Void) throws { try block() }
    public func fetchHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T] { [] }
}

public struct SwiftDataError: Error, Equatable {
    public static let historyTokenExpired = SwiftDataError()
}

// MARK: History

public protocol HistoryTransaction: Sendable {}

public struct DefaultHistoryToken: Comparable, Hashable, Codable, Sendable {
    let number: Int

    public static func < (one: Self, other: Self) -> Bool { one.number < other.number }
}

public struct DefaultHistoryTransaction: HistoryTransaction {
    public let token: DefaultHistoryToken
    public let author: String?
    public let changes: [HistoryChange]
}

public struct HistoryDescriptor<Transaction: HistoryTransaction> {
    public var predicate: Predicate<Transaction>?
    public var fetchLimit: UInt64 = 0

    public init(predicate: Predicate<Transaction>? = nil) { self.predicate = predicate }
}

public enum HistoryChange: Sendable {
    case insert(any HistoryInsert)
    case update(any HistoryUpdate)
    case delete(any HistoryDelete)

    public var changedPersistentIdentifier: PersistentIdentifier { PersistentIdentifier(number: 0) }
}

public protocol HistoryInsert: Sendable {}
public protocol HistoryUpdate: Sendable {}
public protocol HistoryDelete: Sendable {}

public struct DefaultHistoryInsert<Model: PersistentModel>: HistoryInsert {}
public struct DefaultHistoryUpdate<Model: PersistentModel>: HistoryUpdate {}

public struct DefaultHistoryDelete<Model: PersistentModel>: HistoryDelete {
    public let tombstone: HistoryTombstone<Model>
}

public struct HistoryTombstone<Model: PersistentModel>: Sendable {
    public subscript(_ path: PartialKeyPath<Model>) -> (any Sendable)? { nil }
}
