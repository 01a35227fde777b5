import SourceFacts
import WireFormats

/// Reads the keys of a model: the property that is the id of the model's records, and the unique attributes.
extension ModelReader {
    mutating func read(_ macro: MacroFact) {
        let name = macro.name
        guard name.isNamed("Unique") else {
            if name.isNamed("Index") { notes.append("\(macro.location): \(entity.name): ‘#Index’ has no effect here") }
            return
        }
        for argument in macro.arguments {
            guard case .array(let parts) = argument.value else { continue }
            let names = parts.map { part in
                if case .keyPath(let path) = part {
                    path.split(separator: ".").last.map(String.init) ?? path
                } else {
                    ""
                }
            }
            if names.isEmpty { continue }
            if names.count == 1, let index = entity.attributes.firstIndex(where: { $0.value.name == names[0] }) {
                entity.attributes[index].value = entity.attributes[index].value.with(isUnique: true)
            } else if names.count == 1, entity.identity == names[0] {
                continue
            } else if let own = names.first(where: isUnique) {
                notes.append(
                    "\(macro.location): \(entity.name): no two have the same "
                        + "\(names.joined(separator: ", ")) together, "
                        + "as no two have the same \(own)")
            } else {
                let list = names.joined(separator: ", ")
                ask(
                    .uniqueness, at: macro.location, "no two have the same \(list) together: how is that kept?",
                    [
                        .init("remove this", "two devices can each make one, and both stay"),
                        .init(
                            "Attribute(\"\(ModelReader.joined(names))\", .string.optional, .unique) in the next "
                                + "version",
                            "an attribute that the app makes of them: the server keeps it unique"),
                    ])
            }
        }
    }

    /// Returns true if no two records have the same value of the property. A key that includes the property is then
    /// always unique.
    private func isUnique(_ name: String) -> Bool {
        entity.identity == name || entity.attributes.contains { $0.value.name == name && $0.value.isUnique }
    }

    /// Joins names of properties in camel case with `And` between them: `levelAndPast`.
    private static func joined(_ names: [String]) -> String {
        let others = names.dropFirst().map { "And" + ($0.first?.uppercased() ?? "") + $0.dropFirst() }
        return (names.first ?? "") + others.joined()
    }

    /// Removes the defaults of unique attributes. Each record must have a value of its own for a unique attribute, but
    /// a default would give many records the same value.
    mutating func settleKeys() {
        for index in entity.attributes.indices where entity.attributes[index].value.isUnique {
            let (value, location) = (entity.attributes[index].value, entity.attributes[index].location)
            switch value.type.kind {
            case .double, .array, .codable:
                entity.attributes[index].value = value.with(isUnique: false)
                ask(
                    .uniqueness, value.name, at: location,
                    "no two have the same ‘\(value.name)’, and of a \(value.type) a server cannot tell: "
                        + "how is that kept?",
                    [
                        .init("remove this", "two devices can each make one, and both stay"),
                        .init(
                            "Attribute(\"\(value.name)Key\", .string.optional, .unique) in the next version",
                            "a text that the app makes of it: the server keeps it unique"),
                    ])
            default:
                guard let standard = value.default, standard != .newID else { continue }
                entity.attributes[index].value = value.with(default: .some(nil))
                let text = DeclarationCode.text(standard)
                if value.type.isOptional {
                    note(location, value.name, "its initial value ‘\(text)’ is no default of a key: none is null")
                    continue
                }
                leaveUnstated(value.name, "its initial value ‘\(text)’ would be the key of many")
            }
        }
    }

    mutating func checkIdentity() {
        // A subclass has the identity of its superclass.
        guard entity.identity == nil, entity.base == nil || separate.contains(entity.name) else { return }
        let name = entity.name
        let leave = Question.Choice(
            "remove this",
            "each device gives a record its id when it first syncs it, and remembers which: two devices that synced "
                + "before, as with CloudKit, would double their records")
        let next = Question.Choice(
            "Identity(\"id\") in the next version", "the app's model gets ‘var id: UUID’; records keep their ids")
        if let id = entity.attributes.first(where: { $0.value.name == "id" }) {
            ask(
                .identity, "id", at: id.location,
                "‘id’ is of type \(id.value.type), and a record's id is a UUID or a String: what tells the records of "
                    + "‘\(name)’ apart?",
                [leave, next])
        } else if let unique = entity.attributes.first(where: { $0.value.isUnique && $0.value.type == .uuid }) {
            ask(
                .identity, unique.value.name, at: unique.location,
                "‘\(name)’ has no ‘id’: is ‘\(unique.value.name)’ the record's id?",
                [
                    .init(
                        "Identity(\"\(unique.value.name)\") instead of the attribute",
                        "it travels as the record's id, and never changes"),
                    leave,
                ])
        } else {
            // Nothing is lost: an id that a later version declares takes over the ids that each device remembers.
            notes.append(
                "\(entity.location): \(name): without an ‘id: UUID’: each device gives a record its id when it first "
                    + "syncs it, and remembers which; not where devices synced before, as with CloudKit")
        }
    }
}
