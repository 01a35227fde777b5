import SourceFacts
import StrictJSON
import WireFormats

/// Finds the versions of an app in one snapshot of its sources, and reads each of them.
struct SnapshotReader {
    /// A version of the sources that the app's plan does not list, and that is therefore left out.
    struct Outsider {
        /// The name of the version's type with its enclosing types: `Schemas.V1`.
        let path: String
        let location: SourceLocation
        let version: Schema.Version?
        /// The name of the app's migration plan, which does not list the version.
        let plan: String
    }

    let index: SourceIndex
    private(set) var versions: [DraftSchema] = []
    private(set) var outsiders: [Outsider] = []
    private(set) var questions: [Question] = []
    private(set) var notes: [String] = []
    /// Questions about unreadable parts of the list of models that is being read. They are added to the version that
    /// the list belongs to.
    private var open: [Question] = []
    /// The classes that belong to some version, by their indices in `index`.
    private var taken: Set<Int> = []
    /// The version numbers of all version types, by the type's index in `index`. The value is `nil` if the number
    /// cannot be read. Version types that the import leaves out are included.
    private var numbers: [Int: Schema.Version?] = [:]

    /// The names of models that are entities of their own although they are subclasses of other models.
    private let separate: Set<String>

    /// Reads all versions of one snapshot.
    ///
    /// - Parameters:
    ///   - unversioned: the version number to use for models to which the sources give no version.
    ///   - separate: the names of models that are entities of their own although they are subclasses of other models.
    init(_ facts: SourceFacts, unversioned: Schema.Version, separate: Set<String> = []) {
        self.separate = separate
        index = SourceIndex(facts)
        notes = facts.problems.map { "\($0.location): not read: \($0.message)" }
        let declared = index.nodes.indices.filter { node in
            index.nodes[node].declaration != nil
                && index.nodes[node].inherited.contains { $0.isNamed("VersionedSchema") }
        }
        for node in declared { numbers[node] = .some(number("versionIdentifier", of: node, depth: 0)) }
        let plan = AppPlanReader(index, versions: declared)
        if let plan { check(plan) }
        let shared = Set(declared.map { index.condition($0) }).count == 1
        for node in declared {
            if let plan, !plan.includes(node) {
                leaveOut(node, of: plan)
            } else {
                read(version: node, plan, isConditionShared: shared)
            }
        }
        if declared.isEmpty { readUnversioned(unversioned) }
        versions.sort { $0.version < $1.version }
        findLive()
    }

    /// True if at least one version was read from a version type (`VersionedSchema`). False if all models are without
    /// versions.
    var isVersioned: Bool { versions.contains { $0.typeName != nil } }

    /// Questions about `@Model` classes that no version lists and that are not declared inside a version's type.
    var unlisted: [Question] {
        guard isVersioned else { return [] }
        return index.nodes.indices.filter { node in
            index.nodes[node].isModel && !taken.contains(node) && !isInVersion(node)
        }.map { node in
            let name = index.nodes[node].name
            return Question(
                .version, entity: name, at: index.nodes[node].declaration?.location ?? versions[0].location,
                "‘\(name)’ is a @Model class that no version lists: is it synced?",
                choices: [
                    .init("remove this", "it is not: the app keeps it elsewhere, or no more"),
                    .init("list it in the app's newest version", "and import again: it was left out"),
                ])
        }
    }

    private func isInVersion(_ node: Int) -> Bool {
        var next = index.nodes[node].parent
        while let here = next {
            if numbers[here] != nil { return true }
            next = index.nodes[here].parent
        }
        return false
    }

    // MARK: The app's plan

    private mutating func check(_ plan: AppPlanReader) {
        for element in plan.missing {
            questions.append(
                Question(
                    .version, at: element.location,
                    "‘\(element.name)’ is in the app's plan ‘\(plan.name)’, and the sources have no such version",
                    choices: [
                        .init("name the folder that has it, too", "and import again: it was left out"),
                        .init("remove this", "nobody has it"),
                    ]))
        }
        for gap in plan.gaps {
            questions.append(
                Question(
                    .version, at: gap.location,
                    "the app's plan ‘\(plan.name)’ lists its versions by \(gap.spelled): were all that there are "
                        + "shipped?",
                    choices: [
                        .init("remove this", "they were, as here"),
                        .init("list them as ‘SchemaV1.self’", "and import again: then this is known"),
                    ]))
        }
    }

    private mutating func leaveOut(_ node: Int, of plan: AppPlanReader) {
        let name = index.nodes[node].name
        let location = index.nodes[node].declaration?.location ?? SourceLocation(file: name, line: 0)
        outsiders.append(
            Outsider(
                path: index.path(node), location: location, version: numbers[node] ?? nil, plan: plan.name))
    }

    // MARK: Classes of today

    /// Finds, for each version, the models that share their class with a newer version. This snapshot of the sources
    /// shows the properties that such a class has today, and not those that it had in the older version.
    private mutating func findLive() {
        var newer: Set<Int> = []
        var listedLater: Set<Int> = []
        var lists: Set<Set<Int>> = []
        for position in versions.indices.reversed() {
            let version = versions[position]
            // A class includes its superclasses.
            let classes = version.entities.map { [$0.node] + index.superclasses(of: $0.node) }
            var live = zip(version.entities, classes).filter { _, nodes in
                nodes.contains { newer.contains($0) && isOfToday($0, in: version.version) }
            }.map(\.0.name)
            // SwiftData does not accept two versions of one shape, so one of them has been changed in place.
            let list = Set(version.entities.map(\.node))
            if live.isEmpty, lists.contains(list) { live = version.entities.map(\.name) }
            versions[position].live = live
            if position < versions.count - 1 { versions[position].openCases = openCases(of: version) }
            for (node, lead) in version.reached.sorted(by: { $0.key < $1.key }) where listedLater.contains(node) {
                versions[position].questions.append(question(of: node, reachedBy: lead, in: version))
            }
            listedLater.formUnion(version.entities.map(\.node).filter { version.reached[$0] == nil })
            newer.formUnion(classes.joined())
            lists.insert(list)
        }
    }

    private func openCases(of version: DraftSchema) -> Set<String> {
        var names: Set<String> = []
        for entity in version.entities {
            for case .enumeration(let name, _) in entity.attributes.map(\.value.type.kind.innermost) {
                guard let node = index.lookup(name, from: entity.node), isOfToday(node, in: version.version) else {
                    continue
                }
                names.insert(name)
            }
        }
        return names
    }

    /// Returns true if a type is declared outside of all version types, or inside one later than `version`. The sources
    /// then show the type only as it is today.
    private func isOfToday(_ node: Int, in version: Schema.Version) -> Bool {
        var next = index.nodes[node].parent
        while let here = next {
            if let owner = numbers[here] { return owner.map { $0 > version } ?? false }
            next = index.nodes[here].parent
        }
        return true
    }

    // MARK: Versions

    private mutating func read(version node: Int, _ plan: AppPlanReader?, isConditionShared: Bool) {
        let found = index.nodes[node]
        let location = found.declaration?.location ?? SourceLocation(file: found.name, line: 0)
        guard let number = numbers[node] ?? nil else {
            questions.append(
                Question(
                    .version, at: location, "the number of ‘\(index.path(node))’ is no plain Schema.Version(1, 0, 0)",
                    choices: [.init("write it so in the sources", "and import again: the version was left out")]))
            return
        }
        let listed = models(of: node, at: location)
        var draft = draft(of: listed.map(\.node), version: number, location: location)
        draft.typeName = found.name
        draft.path = index.path(node)
        draft.questions += open
        open = []
        for (model, element) in listed {
            guard let condition = element?.condition, let element,
                let entity = draft.entities.first(where: { $0.node == model })
            else { continue }
            draft.questions.append(
                Question(
                    .condition, entity: entity.name, at: element.location,
                    "‘\(found.name)’ lists ‘\(entity.name)’ only under ‘#if \(condition)’: is it synced?",
                    choices: ModelReader.choices(ofConditional: entity.name)))
        }
        let taken = Set(draft.entities.map(\.node))
        for child in found.children.values.sorted() where index.nodes[child].isModel && !taken.contains(child) {
            let childLocation = index.nodes[child].declaration?.location ?? location
            draft.notes.append(
                "\(childLocation): \(index.nodes[child].name): not among the models of ‘\(found.name)’: left out")
        }
        let own = index.condition(node)
        if let own, isConditionShared {
            notes.append("\(location): ‘\(found.name)’ is there only under ‘#if \(own)’, and was read")
        }
        let inPlan = plan?.versions.first { $0.node == node }?.condition
        if let condition = inPlan ?? (isConditionShared ? nil : own) {
            draft.questions.append(
                Question(
                    .condition, at: location,
                    "‘\(found.name)’ is a version only under ‘#if \(condition)’: was it shipped?",
                    choices: [
                        .init("remove this", "it was"),
                        .init("take this file away, and the version out of the plan's lists", "it was not"),
                    ]))
        }
        if let other = versions.first(where: { $0.version == number }) {
            questions.append(
                Question(
                    .duplicate, at: location,
                    "‘\(found.name)’ has the number \(number) of ‘\(other.typeName ?? "")’, \(other.location)",
                    choices: [.init("give it another number", "and import again: the second was left out")]))
            return
        }
        versions.append(draft)
    }

    /// Returns the version number that the property `name` states; `nil` if it is not a plain number, or differs
    /// between `#if` branches.
    private func number(_ name: String, of node: Int, depth: Int) -> Schema.Version? {
        let declared = index.declarations(of: name, in: node)
        let numbers = declared.map { number($0.property.value, in: node, depth: depth) }
        return Set(numbers).count == 1 ? numbers[0] : nil
    }

    private func number(_ value: ExpressionFact?, in scope: Int, depth: Int) -> Schema.Version? {
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
            return depth < SnapshotReader.constantsMax ? number(name, of: node, depth: depth + 1) : nil
        default: return nil
        }
    }

    /// The maximum length of a chain of constants, each of which refers to the next. A longer chain means that a
    /// constant refers to itself.
    private static let constantsMax = 16

    // MARK: Models

    /// Returns the model classes of a version. `element` is the class's entry in the version's list of models. It is
    /// `nil` if the version has no list; its models are then the classes inside its type.
    private mutating func models(of node: Int, at location: SourceLocation) -> [(node: Int, element: TypeList.Element?)]
    {
        let found = index.nodes[node]
        guard !index.declarations(of: "models", in: node).isEmpty else {
            notes.append("\(location): ‘\(found.name)’ lists no models: taken are those inside of it")
            return found.children.values.sorted().filter { index.nodes[$0].isModel }.map { ($0, nil) }
        }
        let list = TypeList("models", of: node, in: index)
        for gap in list.gaps {
            open.append(
                Question(
                    .version, at: gap.location,
                    "the list of models is made by \(gap.spelled), and no class can be told from that",
                    choices: [.init("list the classes as ‘Trip.self’", "and import again: it was left out")]))
        }
        if let second = list.second {
            open.append(
                Question(
                    .duplicate, at: second,
                    "‘models’ of ‘\(found.name)’ is declared twice, and otherwise: which is it?",
                    choices: [.init("take one away in the sources", "and import again: the first was taken")]))
        }
        return list.elements.compactMap { element in
            if let model = element.node, index.nodes[model].isModel { return (model, element) }
            open.append(
                Question(
                    .version, at: element.location,
                    "‘\(element.name)’ is listed as a model, and the sources have no such @Model class",
                    choices: [.init("name the folder that has it, too", "and import again: it was left out")]))
            return nil
        }
    }

    /// Reads all models of the sources as one version.
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
            version: version, typeName: nil, location: location, entities: [], questions: [], notes: [])
        var queue = listed
        var taken: Set<Int> = []
        while !queue.isEmpty {
            let node = queue.removeFirst()
            guard taken.insert(node).inserted else { continue }
            let reader = ModelReader(node, in: index, separate: separate)
            var entity = reader.entity
            redirect(&entity, to: listed, &draft.notes)
            if let same = draft.entities.first(where: { $0.name == reader.entity.name }) {
                draft.questions.append(
                    Question(
                        .duplicate, at: reader.entity.location,
                        "two models of the version are called ‘\(same.name)’, the other at \(same.location)",
                        choices: [.init("rename one in the sources", "and import again: the second was left out")]))
                continue
            }
            draft.entities.append(entity)
            draft.questions += reader.questions
            draft.notes += reader.notes
            for relationship in entity.relationships where !taken.contains(relationship.target) {
                if !listed.contains(relationship.target), !queue.contains(relationship.target) {
                    draft.notes.append(
                        "\(relationship.location): \(index.path(relationship.target)): not listed among the models, "
                            + "and taken because a model leads to it, as SwiftData does")
                    draft.reached[relationship.target] = (
                        "\(entity.name).\(relationship.value.name)", relationship.location
                    )
                }
                queue.append(relationship.target)
            }
            // A record of a subclass is also one of its superclass, even if the superclass is not listed.
            if let base = entity.base, !separate.contains(entity.name), !taken.contains(base) { queue.append(base) }
        }
        self.taken.formUnion(taken)
        let subclasses = Subclasses(draft.entities, draft.questions, separate: separate)
        (draft.entities, draft.questions) = (subclasses.entities, subclasses.questions)
        draft.notes += subclasses.notes
        let pairing = RelationshipPairing(draft.entities)
        draft.entities = pairing.entities
        draft.questions += pairing.questions
        return draft
    }

    /// Redirects the relationships of a class that this version reuses from an older version. A relationship that leads
    /// to another class of the older version then leads to the class of the same name that this version lists.
    private func redirect(_ entity: inout DraftEntity, to listed: [Int], _ notes: inout [String]) {
        for position in entity.relationships.indices {
            let relationship = entity.relationships[position]
            let target = relationship.target
            guard !listed.contains(target),
                let same = listed.first(where: { index.nodes[$0].name == index.nodes[target].name })
            else { continue }
            notes.append(
                "\(relationship.location): \(entity.name).\(relationship.value.name): leads to "
                    + "‘\(index.path(target))’, which the version does not list: taken for ‘\(index.path(same))’")
            entity.relationships[position].target = same
        }
    }
}

extension AttributeType.Kind {
    /// The kind of the elements of a list; if these are lists themselves, the kind of their elements, and so on.
    fileprivate var innermost: AttributeType.Kind {
        if case .array(let element) = self { element.innermost } else { self }
    }
}

extension TypeList.Gap {
    /// The gap's text in quotation marks, as a part of a sentence; the word “statements” if there is no text.
    fileprivate var spelled: String { text.map { "‘\($0)’" } ?? "statements" }
}
