import WireFormats

/// A removed model or attribute, with the new ones that may be the same thing under another name. The sources show a
/// renaming only if they state an `originalName`.
///
/// The check of a migration plan asks about a renaming only if names, positions or contents are similar. The import
/// always asks. After a renaming that nobody states, one version would not see the values that another wrote. The
/// import asks once for each removed model or attribute, however many candidates there are.
struct PossibleRenaming {
    /// The newer name of the model whose attribute was removed; `nil` if a model was removed.
    let entity: String?
    /// The removed model's or attribute's name in the older version: `Dish`, or `Trip.name`.
    let path: String
    /// The new models or properties that may be the removed one under another name, the most likely first.
    let newer: [String]
    /// The candidates for the new name that are very similar to the removed model or attribute. If such a candidate is
    /// in fact something else, the check of the migration plan requires a `Distinct` statement for it.
    let alike: [String]
    /// The relationships, such as `Cook.best`, that led to the removed model and now lead to another one. The key is
    /// the name of their new target.
    var references: [String: [String]] = [:]

    private var older: String { path.components(".").last ?? path }

    // MARK: Finding them

    /// Finds all removed models and attributes of a stage that may have been renamed.
    ///
    /// - Parameter problems: the problems that the plan's check reports for the two versions.
    static func all(from before: Schema, to after: Schema, _ problems: [PlanProblem]) -> [PossibleRenaming] {
        var alike: [String: [String]] = [:]
        for problem in problems where problem.code == .ambiguous {
            let names = problem.names
            if names.count == 2 { alike[names[0], default: []].append(names[1]) }
        }
        return models(from: before, to: after, alike)
            + after.entities.flatMap { entity in
                before.entity(entity.originalName ?? entity.name).map { attributes(from: $0, to: entity, alike) } ?? []
            }
    }

    private static func models(
        from before: Schema, to after: Schema, _ alike: [String: [String]]
    ) -> [PossibleRenaming] {
        let known = Set(before.entities.map(\.name))
        let come = Set(after.entities.filter { !known.contains($0.originalName ?? $0.name) }.map(\.name))
        let kept = Set(after.entities.map { $0.originalName ?? $0.name })
        var references: [String: [String: [String]]] = [:]
        for entity in after.entities {
            guard let was = before.entity(entity.originalName ?? entity.name) else { continue }
            for relationship in entity.relationships where come.contains(relationship.target) {
                let name = relationship.originalName ?? relationship.name
                guard let target = was.relationships.first(where: { $0.name == name })?.target else { continue }
                references[target, default: [:]][relationship.target, default: []]
                    .append("\(entity.name).\(relationship.name)")
            }
        }
        return before.entities.map(\.name).filter { !kept.contains($0) }.compactMap { gone in
            let led = references[gone] ?? [:]
            let similar = (alike[gone] ?? []).filter(come.contains)
            let names = Set(similar).union(led.keys).sorted().likest(gone)
                .sorted { (led[$0]?.count ?? 0) > (led[$1]?.count ?? 0) }
            if names.isEmpty { return nil }
            return Self(entity: nil, path: gone, newer: names, alike: similar, references: led)
        }
    }

    private static func attributes(
        from before: Schema.Entity, to after: Schema.Entity, _ alike: [String: [String]]
    ) -> [PossibleRenaming] {
        let names = after.attributes.map { $0.originalName ?? $0.name }
        let kept = Set(names + after.relationships.map { $0.originalName ?? $0.name })
        let known = Set(before.attributes.map(\.name) + before.relationships.map(\.name))
        let come = after.attributes.filter { !known.contains($0.originalName ?? $0.name) }
        func possible(_ gone: String, alikeKind: (Schema.Attribute) -> Bool) -> Self? {
            let path = "\(before.name).\(gone)"
            let similar = (alike[path] ?? []).filter { $0.hasPrefix("\(after.name).") }
                .map { String($0.dropFirst(after.name.count + 1)) }.likest(gone)
            let others = come.filter(alikeKind).map(\.name).filter { !similar.contains($0) }
            if similar.isEmpty, others.isEmpty { return nil }
            return Self(entity: after.name, path: path, newer: similar + others.likest(gone), alike: similar)
        }
        return before.attributes.filter { !kept.contains($0.name) }.compactMap { gone in
            possible(gone.name) { $0.type.kind == gone.type.kind }
        }
            + before.relationships.filter { !kept.contains($0.name) }.compactMap { gone in
                possible(gone.name) { _ in false }
            }
    }

    // MARK: Asking

    /// Returns true if the question about this renaming also answers `problem`. The problem then needs no question of
    /// its own.
    func covers(_ problem: PlanProblem) -> Bool {
        switch problem.code {
        case .ambiguous: problem.names.first == path
        case .retargeted: references.values.contains { $0.contains(problem.names.first ?? "") }
        default: false
        }
    }

    /// True if the import itself must write the question, into the stage between the two versions. If false, the check
    /// of the migration plan asks it.
    var isWritten: Bool { entity != nil && newer.contains { !alike.contains($0) } }

    /// The `Distinct` statements to write if the removed model or attribute is none of the similar candidates
    /// (`alike`).
    var distinct: [String] {
        alike.map { "Distinct(\"\(entity.map { "\($0)." } ?? "")\($0)\", from: \"\(path)\")" }
    }

    /// The maximum number of candidates that the question offers as choices. More would not be useful to a reader.
    private static let choicesMax = 3

    func question(about draft: DraftSchema) -> Question {
        let model = entity ?? newer[0]
        let found = draft.entities.first { $0.name == model }
        let shown = newer.prefix(PossibleRenaming.choicesMax)
        var text =
            "‘\(older)’ is gone, and \(newer.named(atMost: PossibleRenaming.listedMax))"
            + (isWritten ? ", of its type," : "") + " \(newer.count == 1 ? "is" : "are") new"
        let led = references.values.joined().sorted()
        if !led.isEmpty {
            text +=
                "; \(led.named(atMost: PossibleRenaming.listedMax)) \(led.count == 1 ? "leads" : "lead") there now"
        }
        let others =
            led.isEmpty
            ? "" : "; each relationship that led there needs another name, so that older versions keep the old one"
        var choices = shown.map { name in
            entity.map { entity in
                Question.Choice(
                    "Attribute(\"\(name)\", …, originalName: \"\(older)\")",
                    "it is: write that in place of ‘Removed’ in the version's file, or import once more with "
                        + "--rename \(entity).\(older)=\(name)")
            } ?? Question.Choice("--rename \(older)=\(name)", "it is: import once more with it")
        }
        let removed = "--removed \(entity.map { "\($0)." } ?? "")\(older)"
        let first = distinct.first ?? (isWritten ? "remove this" : removed)
        let needs = Array(distinct.dropFirst())
        choices.append(
            .init(
                first,
                "it is not: older versions keep theirs, and do not see what is new\(others)"
                    + (first == removed ? "" : ". Or import once more with \(removed)"), needs: needs))
        var question = Question(
            entity == nil ? .renaming : isWritten ? .stage : .plan, entity: model, member: entity.map { _ in older },
            at: entity.flatMap { _ in found?.location(of: newer[0]) } ?? found?.location ?? draft.location,
            "\(text): is it the same, renamed?", choices: choices)
        question.version = draft.version
        return question
    }

    private static let listedMax = 4
}

extension [String] {
    /// Returns the names sorted by the length of the prefix that they share with `name`, the longest first.
    fileprivate func likest(_ name: String) -> [String] {
        sorted { zip($0, name).prefix { $0 == $1 }.count > zip($1, name).prefix { $0 == $1 }.count }
    }
}

extension PlanProblem {
    /// The one or two names at the beginning of the problem's subject, the older one first. For the subject `Dish and
    /// Meal, 1.0.0 → 2.0.0` they are `Dish` and `Meal`.
    var names: [String] { (subject.components(",").first ?? subject).components(" and ") }
}

extension [String] {
    /// Returns the names in quotation marks, as a list for people: ‘a’, ‘b’ and 3 more.
    ///
    /// - Parameter countMax: the greatest number of names that are written out.
    func named(atMost countMax: Int) -> String {
        let more = count - countMax
        return prefix(countMax).map { "‘\($0)’" }.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    }
}
