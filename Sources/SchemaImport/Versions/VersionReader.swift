import SourceFacts
import WireFormats

/// Finds the versions of an app in one state of its sources, and reads each.
struct VersionReader {
    let index: SourceIndex
    private(set) var versions: [DraftSchema] = []
    private(set) var decisions: [Decision] = []
    private(set) var notes: [String] = []
    /// What cannot be read of the list of models that is being read: its version is not in order without.
    private var open: [Decision] = []

    /// - Parameter unversioned: the number of models that have no version in the sources.
    init(_ facts: SourceFacts, unversioned: Schema.Version) {
        index = SourceIndex(facts)
        notes = facts.problems.map { "\($0.location): not read: \($0.message)" }
        let declared = index.nodes.indices.filter { node in
            index.nodes[node].declaration != nil
                && index.nodes[node].inherited.contains { $0.isNamed("VersionedSchema") }
        }
        for node in declared { read(version: node) }
        if declared.isEmpty { readUnversioned(unversioned) }
        versions.sort { $0.version < $1.version }
        for (older, newer) in zip(versions, versions.dropFirst()) { noteShared(older, newer) }
    }

    /// Classes that are in no version's type are those of today, in every version that lists them.
    private mutating func noteShared(_ older: DraftSchema, _ newer: DraftSchema) {
        let shared = older.entities.filter { entity in
            index.nodes[entity.node].parent == SourceIndex.root && newer.entities.contains { $0.node == entity.node }
        }
        guard !shared.isEmpty else { return }
        let names = shared.map { "‘\($0.name)’" }.joined(separator: ", ")
        notes.append(
            "\(older.location): \(older.version) lists classes that \(newer.version) lists, too: \(names). It has "
                + "their shape of today: where they were different once, ‘--git’ or ‘--commits’ finds how")
    }

    /// Whether the sources have versions of their own.
    var isVersioned: Bool { versions.contains { $0.typeName != nil } }

    private mutating func read(version node: Int) {
        let found = index.nodes[node]
        let location = found.declaration?.location ?? SourceLocation(file: found.name, line: 0)
        guard let property = found.properties.first(where: { $0.name == "versionIdentifier" }),
            let value = property.value,
            let number = number(value, in: node)
        else {
            decisions.append(
                Decision(
                    .version, at: location, "the number of ‘\(index.path(node))’ is no plain Schema.Version(1, 0, 0)",
                    choices: [.init("write it so in the sources", "and import again: the version was left out")]))
            return
        }
        let listed = found.properties.first { $0.name == "models" }
        var models: [Int] = []
        if let listed {
            models = self.models(listed.value, in: node, at: listed.location, depth: 0)
        } else {
            models = found.children.values.sorted().filter { index.nodes[$0].isModel }
            notes.append("\(location): ‘\(found.name)’ lists no models: taken are those inside of it")
        }
        var draft = draft(of: models, version: number, location: location)
        draft.typeName = found.name
        draft.decisions += open
        open = []
        let taken = Set(draft.entities.map(\.node))
        for child in found.children.values.sorted() where index.nodes[child].isModel && !taken.contains(child) {
            let place = index.nodes[child].declaration?.location ?? location
            draft.notes.append(
                "\(place): \(index.nodes[child].name): not among the models of ‘\(found.name)’: left out")
        }
        if let condition = index.condition(node) {
            notes.append("\(location): ‘\(found.name)’ is there only under ‘#if \(condition)’, and was read")
        }
        if let other = versions.first(where: { $0.version == number }) {
            draft.decisions.append(
                Decision(
                    .duplicate, at: location,
                    "‘\(found.name)’ has the number \(number) of ‘\(other.typeName ?? "")’, \(other.location)",
                    choices: [.init("give it another number", "and import again: the second was left out")]))
            decisions += draft.decisions.suffix(1)
            return
        }
        versions.append(draft)
    }

    private func number(_ value: ExpressionFact, in scope: Int) -> Schema.Version? {
        switch value {
        case .call(let function, let arguments) where function == ".init" || function.contains("Version"):
            let numbers = arguments.compactMap { argument -> Int? in
                if case .integer(let text) = argument.value { Int(text) } else { nil }
            }
            guard numbers.count == arguments.count, (1...3).contains(numbers.count) else { return nil }
            let parts = numbers + [0, 0]
            return Schema.Version(parts[0], parts[1], parts[2])
        case .member(let base, let name, _):
            let node = base.flatMap { index.lookup($0, from: scope) } ?? scope
            let constant = index.nodes[node].properties.first { $0.name == name }?.value
            return constant.flatMap { $0 == value ? nil : number($0, in: node) }
        default: return nil
        }
    }

    /// The classes that `[A.self, B.self]` lists, also behind `SchemaV1.models +`.
    private mutating func models(
        _ value: ExpressionFact?, in scope: Int, at location: SourceLocation, depth: Int
    ) -> [Int] {
        guard depth < 32 else {
            unreadable("itself", at: location)
            return []
        }
        switch value {
        case .array(let elements):
            return elements.flatMap { element -> [Int] in
                guard case .member(let name?, "self", _) = element else {
                    unreadable(element.text, at: location)
                    return []
                }
                return model(named: name, in: scope, at: location)
            }
        case .member(let base, let name, _) where name != "self":
            // Another version's list, or one that several lists are made of.
            guard let node = base.map({ index.lookup($0, from: scope) }) ?? scope,
                let listed = index.nodes[node].properties.first(where: { $0.name == name })?.value
            else { break }
            return models(listed, in: node, at: location, depth: depth + 1)
        case .other(let text):
            let parts = TypeText.parts(text, at: "+")
            guard parts.count > 1 else { break }
            return parts.flatMap { part -> [Int] in
                if part.hasPrefix("["), part.hasSuffix("]") {
                    let names = TypeText.parts(String(part.dropFirst().dropLast()), at: ",").filter { !$0.isEmpty }
                    return names.flatMap { name -> [Int] in
                        guard name.hasSuffix(".self") else {
                            unreadable(name, at: location)
                            return []
                        }
                        return model(named: String(name.dropLast(5)), in: scope, at: location)
                    }
                }
                let words = part.split(separator: ".").map(String.init)
                guard let name = words.last, part.allSatisfy({ $0.isLetter || $0.isNumber || "._".contains($0) }) else {
                    unreadable(part, at: location)
                    return []
                }
                let base = words.count > 1 ? words.dropLast().joined(separator: ".") : nil
                return models(
                    .member(base: base, name: name, isImplicit: false), in: scope, at: location, depth: depth + 1)
            }
        default: break
        }
        unreadable(value?.text ?? "", at: location)
        return []
    }

    private mutating func unreadable(_ text: String, at location: SourceLocation) {
        open.append(
            Decision(
                .version, at: location, "the list of models has \(text), and no class can be told from that",
                choices: [.init("list the classes as ‘Trip.self’", "and import again: it was left out")]))
    }

    private mutating func model(named name: String, in scope: Int, at location: SourceLocation) -> [Int] {
        if let node = index.lookup(name, from: scope), index.nodes[node].isModel { return [node] }
        open.append(
            Decision(
                .version, at: location, "‘\(name)’ is listed as a model, and the sources have no such @Model class",
                choices: [.init("name the folder that has it, too", "and import again: it was left out")]))
        return []
    }

    /// All models of the sources are one version.
    private mutating func readUnversioned(_ number: Schema.Version) {
        let models = index.models
        guard let first = models.first else { return }
        let location = index.nodes[first].declaration?.location ?? SourceLocation(file: "", line: 0)
        versions.append(draft(of: models, version: number, location: location))
    }

    private mutating func draft(
        of listed: [Int], version: Schema.Version, location: SourceLocation
    ) -> DraftSchema {
        var draft = DraftSchema(
            version: version, typeName: nil, location: location, entities: [], decisions: [], notes: [])
        var queue = listed
        var taken: Set<Int> = []
        while !queue.isEmpty {
            let node = queue.removeFirst()
            guard taken.insert(node).inserted else { continue }
            let reader = ModelReader(node, in: index)
            var entity = reader.entity
            redirect(&entity, to: listed, &draft.notes)
            if let same = draft.entities.first(where: { $0.name == reader.entity.name }) {
                draft.decisions.append(
                    Decision(
                        .duplicate, at: reader.entity.location,
                        "two models of the version are called ‘\(same.name)’, the other at \(same.location)",
                        choices: [.init("rename one in the sources", "and import again: the second was left out")]))
                continue
            }
            draft.entities.append(entity)
            draft.decisions += reader.decisions
            draft.notes += reader.notes
            for relationship in entity.relationships where !taken.contains(relationship.target) {
                if !listed.contains(relationship.target), !queue.contains(relationship.target) {
                    draft.notes.append(
                        "\(relationship.location): ‘\(index.path(relationship.target))’ is not listed among the "
                            + "models, and taken because ‘\(reader.entity.name)’ leads to it, as SwiftData does")
                }
                queue.append(relationship.target)
            }
        }
        let pairing = RelationshipPairing(draft.entities)
        draft.entities = pairing.entities
        draft.decisions += pairing.decisions
        return draft
    }

    /// A class that is reused from an older version leads to that version's classes. A record refers to a record, not
    /// to a class: what it leads to is the listed model of that name.
    private func redirect(_ entity: inout DraftEntity, to listed: [Int], _ notes: inout [String]) {
        for place in entity.relationships.indices {
            let relationship = entity.relationships[place]
            let target = relationship.target
            guard !listed.contains(target),
                let same = listed.first(where: { index.nodes[$0].name == index.nodes[target].name })
            else { continue }
            notes.append(
                "\(relationship.location): ‘\(entity.name).\(relationship.value.name)’ leads to "
                    + "‘\(index.path(target))’, which the version does not list: taken for ‘\(index.path(same))’")
            entity.relationships[place].target = same
        }
    }
}
