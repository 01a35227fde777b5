public import WireFormats

/// An app's own store, which its screens read and write, such as one of SwiftData or Core Data. `SyncMirror` keeps the
/// same records in it and in a `SyncStore`.
///
/// The functions handle only what the schema syncs: records of other entities, and attributes that stay on the device,
/// are left out.
public protocol MirroredStore: Sendable {
    /// A text that identifies the store. It must differ for another store at the same path, such as one that the app
    /// has created after its reinstallation.
    var identity: String { get async throws }

    /// Returns a part of the changes of the store since `token`, including those that `apply` has made. If `token` is
    /// `nil`, returns a part of all records.
    ///
    /// The part may contain records that have not changed. No record may be left out, even if other records are added
    /// or deleted between two calls.
    ///
    /// - Throws: `MirrorTokenExpired` if the store no longer knows which records were written since the token.
    func changes(since token: String?) async throws -> MirrorChanges

    /// Returns the keys of the given records that exist. The mirror asks for records that were missing when it read all
    /// records, before it treats them as deleted.
    func existing(_ keys: [RecordKey]) async throws -> Set<RecordKey>

    /// Writes all of `edits` in one transaction.
    ///
    /// New records may refer to each other, so insert all of them before you set references. Delete records last.
    func apply(_ edits: [MirrorEdit]) async throws
}

/// A part of the changes in an app's own store, as `MirroredStore.changes(since:)` returns it.
public struct MirrorChanges: Sendable {
    /// The records that were written and still exist: by key, the present value of each attribute.
    public var records: [RecordKey: [String: Value]]
    /// The records that no longer exist. The set may be empty while `changes(since: nil)` lists all records, because
    /// the mirror then finds missing records by itself.
    public var deleted: Set<RecordKey>
    /// The token for the next call of `changes(since:)`, which then returns the changes that follow the ones in this
    /// value.
    public var token: String
    /// True if the store has further changes that `changes(since:)` can return now.
    public var hasMore: Bool

    /// Makes a part of the changes in an app's own store.
    public init(
        records: [RecordKey: [String: Value]], deleted: Set<RecordKey> = [], token: String, hasMore: Bool = false
    ) {
        self.records = records
        self.deleted = deleted
        self.token = token
        self.hasMore = hasMore
    }
}

/// An error that a store throws if it no longer knows which records were written since a token. The mirror then reads
/// all records.
public struct MirrorTokenExpired: Error {
    /// Makes the error.
    public init() {}
}

/// An edit to write into an app's own store.
///
/// The user may have written since the mirror's last reading. So each edit contains the values that it expects, and the
/// store must leave all other values alone. The mirror finds the user's values with its next reading, and sends them.
public struct MirrorEdit: Sendable, Hashable {
    /// The kind of an edit.
    public enum Operation: Sendable, Hashable {
        /// The insertion of a record. If the record exists already, because an earlier attempt was interrupted, the
        /// store must leave it as it is.
        case insert([String: Value])
        /// An update by attribute: each attribute that has the expected value gets the new one.
        case update([String: Replacement])
        /// The deletion of a record. It takes effect only if the record still has the given values.
        case delete([String: Value])
    }

    /// The new value of an attribute, and the value that it may replace.
    public struct Replacement: Sendable, Hashable {
        /// The value that is replaced. If the attribute has another value, the user has changed the attribute
        /// meanwhile, and the user's value stays.
        public let expected: Value
        /// The value to write.
        public let new: Value
    }

    /// The record to edit.
    public let key: RecordKey
    /// The edit: an insertion, an update or a deletion.
    public let operation: Operation
}

extension MirrorEdit {
    /// Returns `fields` after an update: every value that is the expected one is replaced by the new one.
    public static func replacing(_ replacements: [String: Replacement], in fields: [String: Value]) -> [String: Value] {
        fields.merging(replacements.filter { fields[$0.key] ?? .null == $0.value.expected }.mapValues(\.new)) { $1 }
    }
}
