package import WireFormats

/// One change as a device sent it: a patch of one record, parsed against the version that it was written in.
///
/// A class, because each step of a push goes through all changes, and would copy a struct.
package final class Change: Sendable {
    /// The projection (translation between a version and the tables) of the record's entity, in the version in which
    /// the change was written: the version that the change names, or else that of the request.
    package let projection: Projection
    package let id: ID
    /// The records to which the change refers by an id that is a text, or by a key that the server made from such a
    /// text. Most changes refer to none.
    package let names: [RecordName]
    package let operation: Operation
    /// The stamp of the change; `nil` if the device has no clock. The server then uses a stamp of its own clock.
    package let stamp: Stamp?
    /// The values that the change sets, without those of counters. A field that is not among them is not set to null:
    /// it stays as it is.
    package let edits: FieldEdits
    /// The attributes that no change has ever set, with their defaults, as an export lists them. `nil` if the change is
    /// not from such an export.
    package let unsaid: FieldEdits?
    /// The changes of counters, which are never among the edits.
    package let counts: [Count]
    /// True if the change was written in the version of the request, so that the device has the values of the change as
    /// it sent them.
    package let isInRequestVersion: Bool
    /// True if a value was more precise than the tables store it, so that the device must be sent the stored value.
    package let isRounded: Bool

    /// The entity and the id of the record, as the key of its entry in a `WorkingSet`.
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

    /// A change of one counter.
    package struct Count: Sendable, Hashable {
        /// The counter, as an index in `Projection.fields`.
        package let field: Int
        package let amount: Amount

        /// The kind of a counter's change, with the value or the difference that the change sends.
        package enum Amount: Sendable, Hashable {
            /// The value of the counter in the creation of its record.
            case beginning(Int64)
            case increment(Int64)
            /// A new total, written by a version in which the attribute is not a counter.
            case total(Int64)
        }

        var isBeginning: Bool { if case .beginning = amount { true } else { false } }
        var isIncrement: Bool { if case .increment = amount { true } else { false } }
    }

    /// Returns the large columns that must be read before the edits can be merged, one bit for each, as in
    /// `RecordState.withheld`. They are the large columns of each merge unit (attributes that win or lose together)
    /// that has an edit.
    func needs(of entity: HubEntity) -> UInt64 {
        if entity.largeColumns.isEmpty { return 0 }
        return edits.reduce(0) { bits, edit in
            entity.units[projection.fields[edit.field].unit].columns.reduce(bits) { $0 | entity.largeBits[$1] }
        }
    }

    /// Checks that a creation sets each attribute that its version requires and gives no default. An attribute may be
    /// missing if it was already written in an existing record, or if an export lists it as never written.
    ///
    /// - Parameter state: the record as it is; `nil` if there is none.
    /// - Throws: `Rejection` with the code `missingAttribute`.
    func checkComplete(on state: RecordState?) throws(Rejection) {
        guard operation == .create, edits.count < projection.fields.count else { return }
        for (index, field) in projection.fields.enumerated()
        where !field.isOmissible && !edits.contains(where: { $0.field == index }) {
            if let state, state.stamps[field.unit] != .never { continue }
            if let unsaid, unsaid.contains(where: { $0.field == index }) { continue }
            throw Rejection(
                code: .missingAttribute,
                detail: "\(projection.name).\(field.name) is required and has no default; send it with the create.")
        }
    }

    /// The values with which the change creates a record. They are its edits and, in an export, the values of
    /// attributes that nobody has written yet.
    var beginnings: FieldEdits {
        guard let unsaid, !unsaid.isEmpty else { return edits }
        return FieldEdits(Array(edits) + Array(unsaid))
    }

    /// Returns true if a record that the change creates is stored with exactly the change's values, in every field.
    func saysAllAsKept(in entity: HubEntity) -> Bool {
        edits.count == projection.fields.count && projection.isPlainCopy && entity.keepsLatestOnly
    }

    /// Returns the change without the edits that repeat the record's current values.
    ///
    /// It is used for devices that send whole records, so that a repeated value does not count as an edit. In a
    /// creation, edits of attributes that no change has set before are kept.
    func withoutEchoes(of state: RecordState, in entity: HubEntity) -> Change {
        let rest = edits.filter { edit in
            let field = projection.fields[edit.field]
            let isUnwritten =
                operation == .create && state.stamps.stamp(of: field.column, unit: field.unit, in: entity) == .never
            return isUnwritten || state.visible(field, in: entity) != edit.value
        }
        return with(FieldEdits(rest))
    }

    /// Returns the fields in some merge units (attributes that win or lose together) that this change edits and `news`
    /// does not.
    ///
    /// - Parameters:
    ///   - units: the indices of the merge units.
    ///   - news: this change without some of its edits.
    func fields(in units: Set<Int>, besides news: Change) -> [Projection.Field] {
        let said = Set(news.edits.map(\.field))
        return edits.map(\.field).filter { !said.contains($0) && units.contains(projection.fields[$0].unit) }
            .map { projection.fields[$0] }
    }

    /// Returns the same change with other edits, and with another operation if one is given.
    func with(_ edits: FieldEdits, as operation: Operation? = nil) -> Change {
        Change(
            projection: projection, id: id, names: names, operation: operation ?? self.operation, stamp: stamp,
            edits: edits, unsaid: unsaid, counts: counts, isInRequestVersion: isInRequestVersion, isRounded: isRounded)
    }

    /// The operation of the user on the record.
    package typealias Operation = ChangeOperation
}

/// The reason why a change was refused for good: a stable code, and a text that says what to fix. The rest of its batch
/// is processed.
package struct Rejection: Error, Hashable, Sendable {
    package let code: Code
    package let detail: String
    /// The existing record that the device should use instead of its own, because it has the unique value; `nil` if
    /// there is none.
    package let holder: ID?
    /// The records that prevent the change; only some of them, if there are many.
    package let children: [ID]
    /// The text ids that the device knows instead of the keys of `holder` and `children`, by key. The device knows a
    /// record without a text here by its key.
    package private(set) var texts: [ID: String] = [:]

    init(code: Code, detail: String, holder: ID? = nil, children: [ID] = []) {
        self.code = code
        self.detail = detail
        self.holder = holder
        self.children = children
    }

    /// Returns the id by which the device that receives the answer knows a record.
    ///
    /// - Parameter record: the record's key.
    package func text(of record: ID) -> String { texts[record] ?? record.description }

    /// The keys among `holder` and `children` that the server made from ids that are texts. Such a key means nothing to
    /// a device that knows the record by its text.
    var madeKeys: [ID] { (children + [holder].compactMap { $0 }).filter(TextKey.isMade) }

    /// Returns the same rejection for a device that knows records by text ids. In the message `detail`, the texts
    /// replace the keys.
    ///
    /// - Parameter texts: the text id of each record, by the record's key.
    func naming(_ texts: [ID: String]) -> Rejection {
        var detail = detail
        for (key, text) in texts { detail = detail.replacing(key.description, with: text) }
        var named = Rejection(code: code, detail: detail, holder: holder, children: children)
        named.texts = texts
        return named
    }

    /// The code of a `rejected` verdict.
    package typealias Code = RejectionCode
}
