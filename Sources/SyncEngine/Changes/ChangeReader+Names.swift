import StrictJSON
import WireFormats

/// Converts ids that are texts, or may be texts in another version, to keys. No other code does.
extension ChangeReader {
    static let noUUID = Rejection(code: .malformedID, detail: "‘id’ must be a UUID of 36 characters.")

    /// Returns the key of the record that the change is about.
    ///
    /// - Parameters:
    ///   - node: the id in the change.
    ///   - uuid: `node` read as a UUID; `nil` if it is none.
    ///   - names: receives the record's name, if the key was made from a text.
    func id(
        _ node: JSONNode?, _ uuid: ID?, of projection: Projection, _ names: inout [RecordName]
    ) throws(Rejection) -> ID {
        guard projection.identityType == .string else {
            guard let uuid else { throw ChangeReader.noUUID }
            note(uuid, of: projection.entity, &names)
            return uuid
        }
        guard let text = node?.string else {
            throw Rejection(code: .malformedID, detail: "‘id’ must be a text: \(projection.name) has Strings for ids.")
        }
        return try key(of: text, entity: projection.entity, called: "‘id’", &names)
    }

    /// Returns true if `node`, a value in `fields`, is the id of the change's record.
    ///
    /// - Parameter id: the record's key.
    func isID(_ node: JSONNode, _ id: ID, of projection: Projection) -> Bool {
        guard projection.identityType == .string else { return node.id == id }
        let entity = plan.hub.entities[projection.entity]
        return node.string.map { TextKey.key(of: $0, app: plan.app, entity: entity) } == id
    }

    /// Returns the edits with keys in place of text ids in references. Adds the referenced records whose keys were made
    /// from texts to `names`.
    func keyed(
        _ edits: FieldEdits, of projection: Projection, _ names: inout [RecordName]
    ) throws(Rejection) -> FieldEdits {
        let targets = plan.hub.textTargets[projection.entity]
        if targets.isEmpty || edits.isEmpty { return edits }
        var keyed: [FieldEdit] = []
        keyed.reserveCapacity(edits.count)
        for edit in edits {
            let field = projection.fields[edit.field]
            guard let target = targets[field.column] else {
                keyed.append(edit)
                continue
            }
            switch edit.value {
            case .string(let text):
                let key = try key(of: text, entity: target, called: field.name, &names)
                keyed.append(FieldEdit(field: edit.field, value: .uuid(key)))
            case .uuid(let key):
                note(key, of: target, &names)
                keyed.append(edit)
            default: keyed.append(edit)
            }
        }
        return FieldEdits(keyed)
    }

    private func key(
        of text: String, entity: Int, called name: String, _ names: inout [RecordName]
    ) throws(Rejection) -> ID {
        guard (1...Schema.idSizeMaxBytes).contains(text.utf8.count) else {
            throw Rejection(
                code: .malformedID, detail: "\(name) must have 1 to \(Schema.idSizeMaxBytes) bytes of UTF-8.")
        }
        guard !text.utf8.contains(0) else {
            throw Rejection(
                code: .malformedID, detail: "\(name) holds the character U+0000, which cannot be stored.")
        }
        let key = TextKey.key(of: text, app: plan.app, entity: plan.hub.entities[entity])
        guard TextKey.isMade(key) else { return key }
        names.append(RecordName(key: key, entity: entity, text: TextKey.isText(text, of: key) ? nil : text))
        return key
    }

    /// Adds a key that a device sent as a UUID to `names`, if the server made the key from a text. The key is refused
    /// later if the space has no text for it, because versions whose ids are texts could not be sent the record.
    private func note(_ key: ID, of entity: Int, _ names: inout [RecordName]) {
        guard plan.hub.entities[entity].hasTextIDs, TextKey.isMade(key) else { return }
        names.append(RecordName(key: key, entity: entity, text: nil))
    }
}
