import WireFormats

/// Parses the changes of a push against a plan. A change that is at fault becomes a `Rejection` of its own; nothing of
/// it goes further.
struct ChangeReader {
    let plan: Plan
    /// The version that the request speaks, as a place in `plan.shapes`.
    let version: Int
    var mode = ChangeMode.patch
    /// Whether the request says which device it is from.
    var hasDevice = true

    private static let members = JSONKeyTable(["entity", "id", "op", "stamp", "version", "fields", "increments"])

    func read(_ node: JSONNode) -> Result<Change, Rejection> {
        do throws(Rejection) {
            return .success(try parse(node))
        } catch {
            return .failure(error)
        }
    }

    private static let operations = JSONKeyTable(Change.Operation.allCases.map(\.rawValue))

    /// The members of a change.
    private struct Parts {
        var entity: JSONNode?
        var id: JSONNode?
        var operation: JSONNode?
        var stamp: JSONNode?
        var version: JSONNode?
        var fields: JSONNode?
        var increments: JSONNode?
    }

    private func parse(_ node: JSONNode) throws(Rejection) -> Change {
        let parts = try split(node)
        let id = try recordID(parts.id)
        let operation = try self.operation(parts.operation)
        let stamp = try self.stamp(parts.stamp)
        let writtenIn = try writtenVersion(parts.version)
        let projection = try self.projection(parts.entity, version: writtenIn)
        try checkSingleton(id, of: projection)
        var (edits, isRounded) = try self.edits(parts.fields, of: projection, id: id, operation: operation)
        let counts = try self.counts(
            parts.increments, takingFrom: &edits, of: projection, CountSource(operation: operation, stamp: stamp))
        return Change(
            projection: projection, id: id, operation: operation, stamp: stamp, edits: edits, counts: counts,
            isInRequestVersion: writtenIn == version, isRounded: isRounded)
    }

    private func split(_ node: JSONNode) throws(Rejection) -> Parts {
        guard let members = node.members else {
            throw Rejection(code: .malformedChange, detail: "A change is an object with entity, id, op and fields.")
        }
        var parts = Parts()
        var expected = 0
        for member in members {
            guard let position = ChangeReader.members.position(of: member, expected: &expected) else {
                throw Rejection(
                    code: .malformedChange,
                    detail: "A change has no member ‘\(shortened(member.key))’; "
                        + "it has entity, id, op, stamp, version, fields, increments.")
            }
            // In the order of `members`.
            switch position {
            case 0: parts.entity = member.value
            case 1: parts.id = member.value
            case 2: parts.operation = member.value
            case 3: parts.stamp = member.value
            case 4: parts.version = member.value
            case 5: parts.fields = member.value
            default: parts.increments = member.value
            }
        }
        return parts
    }

    private func recordID(_ node: JSONNode?) throws(Rejection) -> ID {
        guard let id = node?.withUTF8({ ID(utf8: $0) }) ?? nil else {
            throw Rejection(code: .malformedID, detail: "‘id’ must be a UUID of 36 characters.")
        }
        return id
    }

    private func operation(_ node: JSONNode?) throws(Rejection) -> Change.Operation {
        guard let position = node?.withUTF8({ ChangeReader.operations.position(of: $0) }) ?? nil else {
            throw Rejection(code: .badOperation, detail: "‘op’ must be create, update or delete.")
        }
        return Change.Operation.allCases[position]
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
        guard let written = node.string.flatMap({ ShapeName($0) }).flatMap({ plan.index(of: $0) }) else {
            throw Rejection(
                code: .unknownVersion,
                detail: "‘version’ must be a schema version of \(plan.app), with an optional ‘;fp=…’.")
        }
        return written
    }

    private func projection(_ node: JSONNode?, version: Int) throws(Rejection) -> Projection {
        guard let node, let found = node.withUTF8({ plan.projection(version: version, named: $0) }) else {
            throw Rejection(code: .malformedChange, detail: "‘entity’ must be the name of an entity.")
        }
        if let found { return found }
        let name = node.string ?? ""
        let schema = plan.shapes[version]
        if schema.entity(name)?.scope == .local {
            throw Rejection(code: .localOnly, detail: "\(name) is local to each device and is never sent.")
        }
        throw Rejection(
            code: .unknownEntity, detail: "Version \(plan.name(of: version)) has no entity ‘\(shortened(name))’.")
    }

    /// Where a space has one record of an entity, its id is given. Another one is refused and not renamed: the device
    /// holds it under that id, and would have two.
    private func checkSingleton(_ id: ID, of projection: Projection) throws(Rejection) {
        guard let singleton = plan.hub.entities[projection.entity].singleton, id != singleton else { return }
        throw Rejection(
            code: .notTheSingleton,
            detail: "A space has one \(projection.name), and its id is \(singleton). Give yours that id.")
    }

    private func edits(
        _ node: JSONNode?, of projection: Projection, id: ID, operation: Change.Operation
    ) throws(Rejection) -> (edits: [FieldEdit], isRounded: Bool) {
        guard let node, !node.isNull else { return ([], false) }
        guard let members = node.members else {
            throw Rejection(code: .malformedChange, detail: "‘fields’ must be an object.")
        }
        if operation == .delete, !members.isEmpty {
            throw Rejection(code: .malformedChange, detail: "A delete has no fields.")
        }
        var edits: [FieldEdit] = []
        var isRounded = false
        edits.reserveCapacity(members.count)
        var expected = 0
        for member in members {
            guard let place = projection.keys.position(of: member, expected: &expected) else {
                try checkOther(member, of: projection, id: id)
                continue
            }
            let field = projection.fields[place]
            edits.append(FieldEdit(field: place, value: try value(member.value, of: field)))
            if case .date = field.type.kind, isFiner(member.value) { isRounded = true }
        }
        return (edits, isRounded)
    }

    /// Whether the text of a date has more than the six digits of microseconds.
    private func isFiner(_ node: JSONNode) -> Bool {
        node.withUTF8 { text in
            let point = "2026-01-31T08:00:00".utf8.count
            guard text.count > point + 7, text[point] == UInt8(ascii: ".") else { return false }
            return (point + 1...point + 7).allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= text[$0] }
        } ?? false
    }

    private func value(_ node: JSONNode, of field: Projection.Field) throws(Rejection) -> Value {
        do throws(ValueReader.Failure) {
            return try ValueReader.read(node, as: field.type)
        } catch {
            switch error {
            case .wrongType(let expectation):
                throw Rejection(code: .wrongType, detail: "\(field.name) is a \(field.type): \(expectation).")
            case .nulCharacter:
                throw Rejection(
                    code: .nulCharacter, detail: "\(field.name) holds the character U+0000, which cannot be stored.")
            }
        }
    }

    /// A member of `fields` that is no field: the id once more, or a mistake.
    private func checkOther(_ member: JSONMember, of projection: Projection, id: ID) throws(Rejection) {
        let name = member.key
        if name == projection.identity {
            if member.value.string.flatMap({ ID($0) }) == id { return }
            throw Rejection(code: .malformedID, detail: "‘fields.\(name)’ must be the change's id.")
        }
        if projection.localNames.contains(name) {
            throw Rejection(
                code: .localOnly,
                detail: "\(projection.name).\(name) never travels: "
                    + "it is local to a device, or the inverse of a reference.")
        }
        throw Rejection(
            code: .unknownAttribute,
            detail: "\(projection.name) of version \(plan.name(of: projection.version)) has no attribute "
                + "‘\(shortened(name))’.")
    }
}

/// What a device sent, short enough to be said back to it.
func shortened(_ text: String) -> String {
    let kept = 60
    return text.count <= kept ? text : "\(text.prefix(kept))…"
}
