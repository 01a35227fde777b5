public import WireFormats

/// An app's own store, which its screens read and write, such as one of SwiftData or Core Data. `SyncMirror` keeps it
/// and a `SyncStore` beside it at the same records.
///
/// Only what the schema syncs is spoken of: records of other entities, and attributes that stay on the device, are left
/// out.
public protocol MirroredStore: Sendable {
    /// What tells the store from another that lies in its place later, such as after a reinstallation.
    var identity: String { get async throws }

    /// What has been written since `token`, by whomever, also by `apply`; or all records that there are where it is
    /// `nil`. A record may be told of that was not written, and none may be left out because others come and go while
    /// parts are read.
    ///
    /// - Throws: `MirrorTokenExpired` where the store does not know any more what was written since.
    func changes(since token: String?) async throws -> MirrorChanges

    /// Which of these records are there. Asked of those that a reading of all records did not tell of, before they
    /// count as deleted.
    func existing(_ keys: [RecordKey]) async throws -> Set<RecordKey>

    /// Writes all of `edits` in one transaction. All new records are there before any refers to another, and
    /// deletions come last.
    func apply(_ edits: [MirrorEdit]) async throws
}

/// A part of what was written in an app's own store.
public struct MirrorChanges: Sendable {
    /// The records that were written and are there, as they are now.
    public var records: [RecordKey: [String: Value]]
    /// Those that are not there any more. Of all records, `changes(since: nil)`, none needs to be named.
    public var deleted: Set<RecordKey>
    /// What to ask for the next part with, now or later.
    public var token: String
    /// Whether there is another part already.
    public var hasMore: Bool

    public init(
        records: [RecordKey: [String: Value]], deleted: Set<RecordKey> = [], token: String, hasMore: Bool = false
    ) {
        self.records = records
        self.deleted = deleted
        self.token = token
        self.hasMore = hasMore
    }
}

/// The store cannot say what was written since a token: it must be read as a whole.
public struct MirrorTokenExpired: Error {
    public init() {}
}

/// What is to be written in an app's own store.
///
/// The user may have written since the mirror has looked. So each edit says what it expects, and leaves alone what is
/// otherwise: the mirror finds that with its next look, and sends it.
public struct MirrorEdit: Sendable, Hashable {
    /// What is to become of the record.
    public enum Operation: Sendable, Hashable {
        /// A new record. Where there is one already, because an earlier attempt was interrupted: leave it as it is.
        case insert([String: Value])
        /// Each attribute that has the one value is to have the other.
        case update([String: Replacement])
        /// Delete the record if these are its values.
        case delete([String: Value])
    }

    /// What an attribute is expected to be, and what it is to be then.
    public struct Replacement: Sendable, Hashable {
        public let expected: Value
        public let new: Value
    }

    public let key: RecordKey
    public let operation: Operation
}

extension MirrorEdit {
    /// What a record is after an update: of `fields` those replaced that are as expected.
    public static func replacing(_ replacements: [String: Replacement], in fields: [String: Value]) -> [String: Value] {
        fields.merging(replacements.filter { fields[$0.key] ?? .null == $0.value.expected }.mapValues(\.new)) { $1 }
    }
}
