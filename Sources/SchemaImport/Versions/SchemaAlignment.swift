import WireFormats

/// A renaming or removal that the user states, because the sources do not show it. Examples: the model `Product` was
/// `ProductV1`, or the property `Trip.note` was removed without replacement.
package struct Renaming: Hashable, Sendable {
    /// The newer name of the model whose property is renamed or removed. `nil` if a whole model is renamed or removed.
    package let entity: String?
    package let older: String
    /// The new name of the model or property; `nil` for a removal.
    package let newer: String?

    /// The renaming in the form of a command-line option's value: `Trip.name=title`.
    package var text: String { (entity.map { "\($0)." } ?? "") + older + (newer.map { "=\($0)" } ?? "") }

    /// Parses a renaming: `ProductV1=Product` or `Trip.name=title`. The result is `nil` if the text has another form.
    package init?(_ text: String) {
        let sides = text.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
        guard sides.count == 2, !sides[0].isEmpty, !sides[1].isEmpty else { return nil }
        let path = sides[0].split(separator: ".").map(String.init)
        guard path.count <= 2, let older = path.last, !sides[1].contains(".") else { return nil }
        entity = path.count == 2 ? path[0] : nil
        self.older = older
        newer = sides[1]
    }

    /// Parses a removal: `ProductV1` or `Trip.note`. The result is `nil` if the text has another form.
    package init?(removed text: String) {
        let path = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard path.count <= 2, let older = path.last, path.allSatisfy({ !$0.isEmpty && !$0.contains("=") }) else {
            return nil
        }
        entity = path.count == 2 ? path[0] : nil
        self.older = older
        newer = nil
    }

    /// Returns true if the user stated that the model or property of `renaming` was removed, so that it was not
    /// renamed.
    func says(_ renaming: PossibleRenaming) -> Bool {
        guard newer == nil else { return false }
        guard let entity else { return renaming.entity == nil && renaming.path == older }
        guard let model = renaming.entity else { return false }
        let path = renaming.path.components(".")
        return path.last == older && (entity == model || entity == path[0])
    }
}

/// Aligns a version with the previous version. Models and properties get the positions that they have in the previous
/// version, because a schema's fingerprint depends on the order. Original names that the previous version does not have
/// are removed.
struct SchemaAlignment {
    private(set) var draft: DraftSchema
    /// The renamings stated by the user that were applied.
    private(set) var met: Set<Renaming> = []
    private let previous: Schema
    private let renamings: [Renaming]

    init(_ draft: DraftSchema, after previous: Schema?, renamings: [Renaming]) {
        self.draft = draft
        self.previous = previous ?? Schema(version: draft.version, entities: [])
        self.renamings = renamings
        for index in draft.entities.indices { align(index) }
        self.draft.entities = ordered(self.draft.entities, self.previous.entities.map(\.name)) {
            $0.originalName ?? $0.name
        }
    }

    private mutating func align(_ index: Int) {
        var entity = draft.entities[index]
        if let renaming = renamings.first(where: { $0.entity == nil && $0.newer == entity.name }),
            previous.entity(renaming.older) != nil, previous.entity(entity.name) == nil,
            !draft.entities.contains(where: { $0.name == renaming.older })
        {
            entity.originalName = renaming.older
            met.insert(renaming)
        }
        let base = previous.entity(entity.originalName ?? entity.name)
        let known = Set((base?.attributes.map(\.name) ?? []) + (base?.relationships.map(\.name) ?? []))
        let names = entity.attributes.map(\.value.name) + entity.relationships.map(\.value.name)
        func oldName(_ name: String, stated: String?) -> String? {
            if known.contains(name) { return nil }
            let renaming = renamings.first { $0.entity == entity.name && $0.newer == name }
            guard let old = renaming?.older ?? stated, known.contains(old), !names.contains(old) else { return nil }
            if let renaming { met.insert(renaming) }
            return old
        }
        for member in entity.attributes.indices {
            let value = entity.attributes[member].value
            let old = oldName(value.name, stated: value.originalName)
            if let stated = value.originalName, old == nil { ask(stated, value.name, of: entity, base, known) }
            entity.attributes[member].value = value.with(originalName: .some(old))
        }
        for member in entity.relationships.indices {
            let value = entity.relationships[member].value
            let old = oldName(value.name, stated: value.originalName)
            if let stated = value.originalName, old == nil { ask(stated, value.name, of: entity, base, known) }
            entity.relationships[member].value = value.with(originalName: .some(old))
        }
        entity.attributes = ordered(entity.attributes, base?.attributes.map(\.name) ?? []) {
            $0.value.originalName ?? $0.value.name
        }
        entity.relationships = ordered(entity.relationships, base?.relationships.map(\.name) ?? []) {
            $0.value.originalName ?? $0.value.name
        }
        draft.entities[index] = entity
    }

    /// Asks about an original name that the previous version does not have. Either the name is a mistake, or the
    /// version that had it is missing. Asks nothing if the previous version already has the property under its new
    /// name.
    private mutating func ask(
        _ old: String, _ name: String, of entity: DraftEntity, _ base: Schema.Entity?, _ known: Set<String>
    ) {
        guard base != nil else {
            draft.notes.append(
                "\(entity.location(of: name)): \(entity.name).\(name): its old name is of before the versions here"
            )
            return
        }
        guard !known.contains(name) else { return }
        draft.questions.append(
            Question(
                .originalName, entity: entity.name, member: name, at: entity.location(of: name),
                "‘\(name)’ was ‘\(old)’, which \(previous.version) does not have: is it new?",
                choices: [
                    .init("remove this", "it is new: records of older versions hold its default"),
                    .init("originalName: \"…\" at the property", "it is what that version calls so"),
                ]))
    }

    /// Returns the elements in the order of their names in `known`. Elements with other names follow in their own
    /// order.
    private func ordered<Element>(
        _ elements: [Element], _ known: [String], by name: (Element) -> String
    ) -> [Element] {
        let knownRanks = Dictionary(known.enumerated().map { ($1, $0) }) { first, _ in first }
        let ranked = elements.enumerated().map { index, element in
            (rank: knownRanks[name(element)] ?? known.count + index, index: index, element: element)
        }
        return ranked.sorted { ($0.rank, $0.index) < ($1.rank, $1.index) }.map(\.element)
    }
}
