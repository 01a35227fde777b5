package import WireFormats

/// One change as a device sent it, parsed against the version that it was written in: a patch of one record.
///
/// A class, because every step of a push walks through all changes.
package final class Change: Sendable {
    /// What the sending version, or the version that the change names, sees of the entity.
    package let projection: Projection
    package let id: ID
    /// What it calls records by, where that is not their key itself. Most changes have none.
    package let names: [RecordName]
    package let operation: Operation
    /// `nil`: the device has no clock reading; the server's is taken.
    package let stamp: Stamp?
    /// What the user changed; absent is not null.
    package let edits: FieldEdits
    /// What nobody has said of the record, as an export tells it; `nil` of what is not from an export that tells that.
    package let unsaid: FieldEdits?
    /// What it says of counters, which are never among the edits.
    package let counts: [Count]
    /// Whether the change was written in the version that the request speaks, so that the device holds what it says.
    package let isInRequestVersion: Bool
    /// Whether a value was finer than what is kept of it, so that the device must be told what it is now.
    package let isRounded: Bool

    /// Where the record is in a working set.
    var key: WorkingSet.Key { WorkingSet.Key(entity: projection.entity, id: id) }

    init(
        projection: Projection, id: ID, names: [RecordName] = [], operation: Operation, stamp: Stamp?,
        edits: FieldEdits,
        unsaid: FieldEdits? = nil, counts: [Count], isInRequestVersion: Bool, isRounded: Bool
    ) {
        self.projection = projection
        self.id = id
        self.names = names
        self.operation = operation
        self.stamp = stamp
        self.edits = edits
        self.unsaid = unsaid
        self.counts = counts
        self.isInRequestVersion = isInRequestVersion
        self.isRounded = isRounded
    }

    /// What a change says of one counter.
    package struct Count: Sendable, Hashable {
        /// A place in `Projection.fields`.
        package let field: Int
        package let amount: Amount

        /// What to add to a counter.
        package enum Amount: Sendable, Hashable {
            /// What the record was created with.
            case beginning(Int64)
            case increment(Int64)
            /// What makes it this much: a version wrote it for which it is no counter.
            case total(Int64)
        }

        var isBeginning: Bool { if case .beginning = amount { true } else { false } }
        var isIncrement: Bool { if case .increment = amount { true } else { false } }
    }

    /// The large columns of the record that its edits concern, with those that are linked to them: bits as in
    /// `RecordState.withheld`.
    func needs(of entity: HubEntity) -> UInt64 {
        if entity.largeColumns.isEmpty { return 0 }
        return edits.reduce(0) { bits, edit in
            entity.units[projection.fields[edit.field].unit].columns.reduce(bits) { $0 | entity.largeBits[$1] }
        }
    }

    /// A creation says everything that its version requires and gives no default, or meets a record of which somebody
    /// has said it.
    ///
    /// - Parameter state: the record as it is; `nil` where there is none.
    func checkComplete(on state: RecordState?) throws(Rejection) {
        guard operation == .create, edits.count < projection.fields.count else { return }
        for (place, field) in projection.fields.enumerated()
        where !field.isOmissible && !edits.contains(where: { $0.field == place }) {
            if let state, state.stamps[field.unit] != .never { continue }
            if let unsaid, unsaid.contains(where: { $0.field == place }) { continue }
            throw Rejection(
                code: .missingAttribute,
                detail: "\(projection.name).\(field.name) is required and has no default; send it with the create.")
        }
    }

    /// What the record is created with: what the change says, and what an export says that nobody did.
    var beginnings: FieldEdits {
        guard let unsaid, !unsaid.isEmpty else { return edits }
        return FieldEdits(Array(edits) + Array(unsaid))
    }

    /// Whether a record that it makes holds in every field what it says, to the letter.
    func saysAllAsKept(in entity: HubEntity) -> Bool {
        edits.count == projection.fields.count && projection.isPlainCopy && entity.keepsLatestOnly
    }

    /// Without the edits that say what the record already holds as the version reads it, where the device sends whole
    /// records: they neither change a value nor advance a stamp. A creation also states what nobody has written yet.
    func withoutEchoes(of state: RecordState, in entity: HubEntity) -> Change {
        let rest = edits.filter { edit in
            let field = projection.fields[edit.field]
            let isUnwritten =
                operation == .create && state.stamps.stamp(of: field.column, unit: field.unit, in: entity) == .never
            return isUnwritten || state.visible(field, in: entity) != edit.value
        }
        return with(FieldEdits(rest))
    }

    /// Returns the fields of some units that it edits and `news`, which is a part of it, does not.
    func fields(in units: Set<Int>, besides news: Change) -> [Projection.Field] {
        let said = Set(news.edits.map(\.field))
        return edits.map(\.field).filter { !said.contains($0) && units.contains(projection.fields[$0].unit) }
            .map { projection.fields[$0] }
    }

    /// The same with other edits.
    func with(_ edits: FieldEdits, as operation: Operation? = nil) -> Change {
        Change(
            projection: projection, id: id, names: names, operation: operation ?? self.operation, stamp: stamp,
            edits: edits, unsaid: unsaid, counts: counts, isInRequestVersion: isInRequestVersion, isRounded: isRounded)
    }

    /// What the user did to the record.
    package enum Operation: String, Sendable, CaseIterable {
        case create
        case update
        case delete
    }
}

/// Why a change was refused for good: a stable code, and what to fix. The rest of its batch goes on.
package struct Rejection: Error, Hashable, Sendable {
    package let code: Code
    package let detail: String
    /// The record that the device should use instead, where there is one.
    package let holder: ID?
    /// The records that keep the change from being made; some of them, where there are many.
    package let children: [ID]
    /// What the device that is answered calls `holder` and `children`, where that is not their key.
    package private(set) var texts: [ID: String] = [:]

    init(code: Code, detail: String, holder: ID? = nil, children: [ID] = []) {
        self.code = code
        self.detail = detail
        self.holder = holder
        self.children = children
    }

    /// What the device that is answered calls a record.
    package func text(of record: ID) -> String { texts[record] ?? record.description }

    /// The keys among the records that it names which mean nothing by themselves.
    var madeKeys: [ID] { (children + [holder].compactMap { $0 }).filter(TextKey.isMade) }

    /// The same with `texts` for the keys of records, also where its detail says them.
    func naming(_ texts: [ID: String]) -> Rejection {
        var detail = detail
        for (key, text) in texts { detail = detail.replacing(key.description, with: text) }
        var named = Rejection(code: code, detail: detail, holder: holder, children: children)
        named.texts = texts
        return named
    }

    /// Every code of a `rejected` verdict.
    package enum Code: String, Sendable, CaseIterable {
        /// Who sends it may only read the space.
        case readOnly = "read-only"
        /// Not an object of the known members.
        case malformedChange = "malformed-change"
        case malformedID = "malformed-id"
        /// A UUID that the server makes for a text, and has made for none.
        case unknownID = "unknown-id"
        case badOperation = "bad-op"
        case badStamp = "bad-stamp"
        /// The change's `version` is not one of the app's.
        case unknownVersion = "unknown-version"
        case unknownEntity = "unknown-entity"
        case unknownAttribute = "unknown-attribute"
        /// An entity, attribute or to-many relationship that never crosses the wire.
        case localOnly = "local-only"
        case wrongType = "wrong-type"
        /// U+0000, which PostgreSQL text cannot hold.
        case nulCharacter = "nul-character"
        /// Another record of an entity of which each space has one.
        case notTheSingleton = "not-the-singleton"
        /// An increment that does not say when it was made, or by which device.
        case missingStamp = "missing-stamp"
        case missingDevice = "missing-device"
        /// An increment of what is no counter.
        case notACounter = "not-a-counter"
        /// An update sets a counter, in a version that declares it one.
        case counterSet = "counter-set"
        /// With the increment, the counter would not fit in 64 bits.
        case counterOverflow = "counter-overflow"
        /// With the change, the record would have more bytes than one may.
        case recordTooLarge = "record-too-large"
        /// A create lacks a required attribute that has no default.
        case missingAttribute = "missing-attribute"
        /// Another live record of the space already has this unique value.
        case unique
        /// A deletion that a relationship's delete rule denies while there are records at its other end.
        case denied
        /// A deletion among so many in one push that a store may have been wiped.
        case massDeletion = "mass-deletion"
    }
}
