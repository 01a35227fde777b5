// What WireFormats and SyncClient use of Apple's Foundation, as Apple's documentation declares it, each with the system
// that it came with, so that the compiler can check on Linux what a device needs. script/portable does. Nothing here
// does anything. What came with iOS 13 or earlier has no mark.

// swift-format-ignore-file: AlwaysUseLowerCamelCase
// The macro `#Predicate` says how some are called.

public typealias TimeInterval = Double

open class NSObject {
    public init() {}
}

public final class NSNumber: NSObject {
    public var int64Value: Int64 { 0 }
    public var uint64Value: UInt64 { 0 }
}

extension Error {
    public var localizedDescription: String { "" }
}

public struct CharacterSet: Hashable, Sendable {
    public static let whitespaces = CharacterSet()
}

extension StringProtocol {
    public func trimmingCharacters(in set: CharacterSet) -> String { "" }
}

// MARK: Values

public struct Date: Hashable, Comparable, Codable, Sendable {
    public var timeIntervalSinceReferenceDate: TimeInterval
    public var timeIntervalSince1970: TimeInterval { 0 }

    public init() { self.init(timeIntervalSinceReferenceDate: 0) }
    public init(timeIntervalSinceReferenceDate seconds: TimeInterval) { timeIntervalSinceReferenceDate = seconds }
    public static func < (one: Date, other: Date) -> Bool { false }
}

public typealias uuid_t = (
    UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8
)

public struct UUID: Hashable, Codable, Sendable {
    public var uuidString: String
    public var uuid: uuid_t { (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) }

    public init() { uuidString = "" }
    public init(uuid: uuid_t) { self.init() }
    public init?(uuidString: String) { self.init() }
}

public struct Data: RandomAccessCollection, Hashable, Codable, Sendable {
    public var startIndex: Int { 0 }
    public var endIndex: Int { 0 }
    public subscript(index: Int) -> UInt8 { 0 }

    public init() {}
    public init(_ elements: some Sequence<UInt8>) {}
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(UnsafeRawBufferPointer(start: nil, count: 0))
    }
}

public struct URL: Hashable, Codable, Sendable {
    public var scheme: String? { nil }
    public var path: String { "" }
    public var lastPathComponent: String { "" }

    public init?(string: String) {}
    public func deletingLastPathComponent() -> URL { self }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    public func appending<S: StringProtocol>(path: S) -> URL { self }
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    public func appending(queryItems: [URLQueryItem]) -> URL { self }
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    public mutating func append(queryItems: [URLQueryItem]) {}
}

public struct URLQueryItem: Hashable, Sendable {
    public var name: String
    public var value: String?

    public init(name: String, value: String?) { (self.name, self.value) = (name, value) }
}

// MARK: Files and JSON

public struct FileAttributeKey: Hashable, Sendable {
    public static let systemFileNumber = FileAttributeKey()
    public static let creationDate = FileAttributeKey()
}

open class FileManager: NSObject {
    public static var `default`: FileManager { FileManager() }
    public func attributesOfItem(atPath path: String) throws -> [FileAttributeKey: Any] { [:] }
    public func fileExists(atPath path: String) -> Bool { false }
    public func moveItem(atPath source: String, toPath destination: String) throws {}
}

open class JSONDecoder {
    public init() {}
    public func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T { fatalError() }
}

open class JSONEncoder {
    public init() {}
    public func encode<T: Encodable>(_ value: T) throws -> Data { Data() }
}

// MARK: Queries, as far as `#Predicate` writes them

@available(macOS 12, iOS 15, tvOS 15, watchOS 8, visionOS 1, *)
public struct SortDescriptor<Compared> {}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
public protocol PredicateExpression<Output> {
    associatedtype Output
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
public struct Predicate<each Input>: Sendable {
    public init(
        _ build: (repeat PredicateExpressions.Some<each Input>) -> any PredicateExpression<Bool>
    ) {}
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
@freestanding(expression)
public macro Predicate<each Input>(_ body: (repeat each Input) -> Bool) -> Predicate<repeat each Input> =
    #externalMacro(module: "FoundationMacros", type: "PredicateMacro")

/// The namespace in which the macro of a Linux toolchain looks for `Predicate`.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
public enum FoundationEssentials {
    public typealias Predicate<each Input> = Foundation.Predicate<repeat each Input>
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
public enum PredicateExpressions {
    public struct Some<Output>: PredicateExpression {}
    public enum Comparison { case greaterThan }

    public static func build_Arg<T>(_ value: T) -> Some<T> { Some() }
    public static func build_Arg<T: PredicateExpression>(_ expression: T) -> T { expression }
    public static func build_KeyPath<Root: PredicateExpression, Value>(
        root: Root, keyPath: KeyPath<Root.Output, Value> & Sendable
    ) -> Some<Value> { Some() }
    public static func build_Equal<T: PredicateExpression, U: PredicateExpression>(lhs: T, rhs: U) -> Some<Bool>
    where T.Output == U.Output, T.Output: Equatable { Some() }
    public static func build_Comparison<T: PredicateExpression, U: PredicateExpression>(
        lhs: T, rhs: U, op: Comparison
    ) -> Some<Bool> where T.Output == U.Output, T.Output: Comparable { Some() }
}

// MARK: HTTP

public struct URLRequest: Hashable, Sendable {
    public enum CachePolicy: Sendable { case reloadIgnoringLocalCacheData }

    public var httpMethod: String?
    public var httpBody: Data?

    public init(url: URL, cachePolicy: CachePolicy, timeoutInterval: TimeInterval) {}
    public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {}
}

open class URLResponse: NSObject {}

open class HTTPURLResponse: URLResponse {
    public var statusCode: Int { 0 }
    public func value(forHTTPHeaderField field: String) -> String? { nil }
}

public struct URLError: Error {
    public struct Code: Hashable, Sendable {
        public static let badServerResponse = Code()
    }

    public init(_ code: Code) {}
}

open class HTTPCookieStorage: NSObject {}
open class URLCache: NSObject {}
open class URLCredentialStorage: NSObject {}

open class URLSessionConfiguration: NSObject {
    public static var ephemeral: URLSessionConfiguration { URLSessionConfiguration() }
    public var httpCookieStorage: HTTPCookieStorage?
    public var httpShouldSetCookies = true
    public var urlCache: URLCache?
    public var urlCredentialStorage: URLCredentialStorage?
}

open class URLSession: NSObject, @unchecked Sendable {
    public init(
        configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?, delegateQueue: OperationQueue?
    ) {}
    public func dataTask(with request: URLRequest) -> URLSessionDataTask { URLSessionDataTask() }
    public func invalidateAndCancel() {}
    public func finishTasksAndInvalidate() {}
}

open class URLSessionTask: NSObject, @unchecked Sendable {
    public var taskIdentifier: Int { 0 }
    public var response: URLResponse? { nil }
    public var countOfBytesReceived: Int64 { 0 }
    public func resume() {}
    public func cancel() {}
}

open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}

public protocol URLSessionDelegate: AnyObject, Sendable {}
public protocol URLSessionDataDelegate: URLSessionDelegate {}

open class OperationQueue: NSObject, @unchecked Sendable {
    public var maxConcurrentOperationCount = 0
}
