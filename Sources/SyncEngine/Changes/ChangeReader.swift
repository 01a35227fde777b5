package import StrictJSON
package import WireFormats

/// Parses the changes of a push against a plan. A faulty change becomes a `Rejection`, and no part of it is processed
/// further.
package struct ChangeReader {
    let plan: Plan
    /// The version of the request, as an index in `plan.shapes`.
    let version: Int
    var mode = ChangeMode.patch
    /// True if the request states its device.
    var hasDevice = true
    /// True if the request states a fingerprint, which distinguishes its shape from other shapes with the same version
    /// number.
    var statesFingerprint = true

    /// Returns the verdicts on an import's changes, as far as they follow from the changes alone. With them, an import
    /// can be tried without a database.
    package static func verdicts(ofImported changes: JSONNode, in version: Int, of plan: Plan) -> [Verdict] {
        let reader = ChangeReader(plan: plan, version: version, mode: .imported)
        return (changes.elements.map(Array.init) ?? []).map { change in
            switch reader.read(change) {
            case .success: .applied
            case .failure(let rejection): .rejected(rejection)
            }
        }
    }

    func read(_ node: JSONNode) -> Result<Change, Rejection> {
        do throws(Rejection) {
            return .success(try parse(node))
        } catch {
            return .failure(error)
        }
    }

    /// The name of the member in which a change of an import lists the attributes that no change has ever set.
    package static let unsaid = "unsaid"
    private static let operations = Change.Operation.allCases
    private static let operationNames = JSONKeyTable(operations.map(\.rawValue))

    private func parse(_ node: JSONNode) throws(Rejection) -> Change {
        guard let members = node.members else {
            throw Rejection(code: .malformedChange, detail: "A change is an object with entity, id, op and fields.")
        }
        let parts = ChangeMembers(members)
        let unknown = parts.unknownMember
        let unsaid = mode == .imported && unknown?.name == ChangeReader.unsaid ? unknown?.value : nil
        if let unknown, unsaid == nil {
            throw Rejection(
                code: .malformedChange,
                detail: "A change has no member ‘\(shortened(unknown.key))’; "
                    + "it has \(ChangeMembers.names.joined(separator: ", ")).")
        }
        let uuid = parts.id
        if uuid == nil, !plan.hub.hasTextIDs { throw ChangeReader.noUUID }
        let operation = try self.operation(parts.operation)
        let stamp = try self.stamp(parts.stamp)
        let writtenIn = try writtenVersion(parts.version)
        let projection = try self.projection(parts.entity, version: writtenIn)
        var names: [RecordName] = []
        let id = try id(parts.idNode, uuid, of: projection, &names)
        try checkSingleton(id, of: projection)
        var isRounded = false
        var edits = try self.edits(parts.fields, of: projection, id: id, operation: operation, &isRounded)
        let counts = try self.counts(
            parts.increments, takingFrom: &edits, of: projection, CountSource(operation: operation, stamp: stamp))
        edits = try keyed(edits, of: projection, &names)
        let others = try unsaid.map { node throws(Rejection) in
            let others = try self.edits(node, of: projection, id: id, operation: operation, &isRounded)
            return try keyed(others, of: projection, &names)
        }
        return Change(
            projection: projection, id: id, names: names, operation: operation, stamp: stamp, edits: edits,
            unsaid: others, counts: counts, isInRequestVersion: writtenIn == version, isRounded: isRounded)
    }

    private func operation(_ node: JSONNode?) throws(Rejection) -> Change.Operation {
        guard let position = node.flatMap({ ChangeReader.operationNames.position(of: $0) }) else {
            throw Rejection(code: .badOperation, detail: "‘op’ must be create, update or delete.")
        }
        return ChangeReader.operations[position]
    }

    private func stamp(_ node: JSONNode?) throws(Rejection) -> Stamp? {
        guard let node, !node.isNull else { return nil }
        guard let stamp = node.int64.flatMap(Stamp.init(rawValue:)) else {
            throw Rejection(code: .badStamp, detail: "‘stamp’ must be an integer from 1 to 2^53 − 1.")
        }
        return stamp
    }

    private func writtenVersion(_ node: JSONNode?) throws(Rejection) -> Int {
        guard let node, !node.isNull else { return version }
        guard let written = node.name.flatMap({ ShapeName($0) }).flatMap({ plan.index(of: $0) }) else {
            throw Rejection(
                code: .unknownVersion,
                detail: "‘version’ must be a schema version of \(plan.app), with an optional ‘;fp=…’.")
        }
        return written
    }

    private func projection(_ node: JSONNode?, version: Int) throws(Rejection) -> Projection {
        if let found = node.flatMap({ plan.projection(version: version, named: $0) }) { return found }
        guard let name = node?.name else {
            throw Rejection(
                code: .malformedChange,
                detail: "‘entity’ must be the name of an entity, of at most \(Schema.nameSizeMaxBytes) bytes.")
        }
        let schema = plan.shapes[version]
        if schema.entity(name)?.scope == .local {
            throw Rejection(code: .localOnly, detail: "\(name) is local to each device and is never sent.")
        }
        throw Rejection(
            code: .unknownEntity, detail: "Version \(plan.name(of: version)) has no entity ‘\(shortened(name))’.")
    }

    /// Checks the id of a singleton, an entity of which a space has one record with a fixed id. Another id is refused
    /// and not replaced: the device has stored the record under that id, and would have two.
    private func checkSingleton(_ id: ID, of projection: Projection) throws(Rejection) {
        guard let singleton = plan.hub.entities[projection.entity].singleton, id != singleton else { return }
        throw Rejection(
            code: .notTheSingleton,
            detail: "A space has one \(projection.name), and its id is \(singleton). Give yours that id.")
    }

    private func edits(
        _ node: JSONNode?, of projection: Projection, id: ID, operation: Change.Operation, _ isRounded: inout Bool
    ) throws(Rejection) -> FieldEdits {
        guard let node, !node.isNull else { return [] }
        guard let members = node.members else {
            throw Rejection(code: .malformedChange, detail: "‘fields’ must be an object.")
        }
        if operation == .delete, !members.isEmpty {
            throw Rejection(code: .malformedChange, detail: "A delete has no fields.")
        }
        return try projection.edits(
            in: members, isRounded: &isRounded,
            unknownMember: { member throws(Rejection) in try checkOther(member, of: projection, id: id) },
            refusal: { failure, field in rejection(of: field, failure) })
    }

    private func rejection(of field: Projection.Field, _ failure: ValueReader.Failure) -> Rejection {
        switch failure {
        case .wrongType(let expectation):
            Rejection(
                code: .wrongType,
                detail: "\(field.name) is a \(field.type)\(field.isTextReference ? ", whose id is a text" : ""): "
                    + "\(expectation).")
        case .nulCharacter:
            Rejection(
                code: .nulCharacter, detail: "\(field.name) holds the character U+0000, which cannot be stored.")
        }
    }

    /// Checks a member of `fields` that is not a field of the version: it may repeat the record's id, and anything else
    /// is rejected.
    private func checkOther(_ member: JSONMember, of projection: Projection, id: ID) throws(Rejection) {
        guard let name = member.name else { throw unknownAttribute(member.key, of: projection) }
        if name == projection.identity {
            if isID(member.value, id, of: projection) { return }
            throw Rejection(code: .malformedID, detail: "‘fields.\(name)’ must be the change's id.")
        }
        if projection.localNames.contains(name) {
            throw Rejection(
                code: .localOnly,
                detail: "\(projection.name).\(name) never travels: "
                    + "it is local to a device, or the inverse of a reference.")
        }
        throw unknownAttribute(name, of: projection)
    }

    private func unknownAttribute(_ name: String, of projection: Projection) -> Rejection {
        Rejection(
            code: .unknownAttribute,
            detail: "\(projection.name) of version \(plan.name(of: projection.version)) has no attribute "
                + "‘\(shortened(name))’.")
    }
}

/// Returns a text that a device sent, cut to a length that is fit for an answer: at most 60 Unicode scalars, or 240
/// bytes.
///
/// The limit is not 60 characters: one character may have any number of combining marks, and finding its end takes a
/// look-up in Unicode's tables for each.
package func shortened(_ text: String) -> String {
    let kept = text.unicodeScalars.prefix(60)
    return kept.endIndex == text.endIndex ? text : "\(String(kept))…"
}
