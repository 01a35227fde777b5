package import SourceFacts
package import WireFormats

/// Generates version files and a plan from an app's sources.
///
/// Everything that follows from the sources is written. Everything else becomes a `Question`, which is reported and
/// written as `Undecided` into the files, so that the plan is invalid until the user decides. Nothing is guessed, and
/// nothing is left out silently.
package struct SchemaImporter {
    /// One snapshot of the sources: a tag, a commit or the current files.
    package struct Snapshot: Sendable {
        /// The tag or commit; `nil` for the current files.
        package let label: String?
        /// The version number for models to which the sources give none.
        package let version: Schema.Version?
        package let facts: SourceFacts
        /// The Core Data models that the user named for the import.
        package let models: ModelPaths

        package init(
            label: String? = nil, version: Schema.Version? = nil, facts: SourceFacts, models: ModelPaths = ModelPaths()
        ) {
            (self.label, self.version, self.facts, self.models) = (label, version, facts, models)
        }
    }

    let app: String
    private var namespace: String?
    let isPublic: Bool
    let renamings: [Renaming]
    private(set) var result = ImportResult()
    /// The keys of the questions in older versions' files. Newer versions inherit the answers, so their files do not
    /// ask again.
    private var asked: Set<[String]> = []
    /// The properties that the previous version leaves out while questions about them are open, by the model's name.
    private var leftOut: [String: Set<String>] = [:]

    /// Creates an importer.
    ///
    /// - Parameter app: the name of the app in the server's URLs.
    package init(app: String, isPublic: Bool = false, renamings: [Renaming] = []) {
        (self.app, self.isPublic, self.renamings) = (app, isPublic, renamings)
    }

    /// Generates a new plan with all versions of the snapshots, which must be in order, oldest first.
    ///
    /// - Parameter namespace: the enclosing type of the versions' types, such as `Pantry`.
    /// - Throws: `ImportFailure` if there is no model.
    package mutating func run(_ snapshots: [Snapshot], namespace: String) throws(ImportFailure) -> ImportResult {
        self.namespace = namespace
        var history = SourceHistory(snapshots)
        result.notes = history.notes + [history.noteOfOpenCases].compactMap(\.self)
        guard !history.versions.isEmpty else { throw SchemaImporter.nothing(snapshots, history) }
        history.name(namespace)
        history.askOfLeftOut()
        var chain: [VersionFile] = []
        var drafts: [DraftSchema] = []
        for version in history.versions {
            var draft = aligned(version.draft, after: chain.last?.schema)
            draft.questions += draft.questionsOfReturned(after: chain.map(\.schema))
            let file = file(version.type, draft, after: chain.last.map { ($0.name.type, $0.schema) })
            chain.append(file)
            drafts.append(draft)
            result.versions.append(.init(schema: draft.completed, isNew: true, isVariant: false))
        }
        let stages = chain.indices.dropLast().map { index in
            stage(
                from: (chain[index].name.path, drafts[index], chain[index].schema),
                to: (chain[index + 1].name.path, drafts[index + 1]),
                custom: history.custom(from: drafts[index].typeName, to: drafts[index + 1].typeName))
        }
        let variants = variants(of: history, chain, drafts)
        let plan = PlanFile(
            app: app, namespace: namespace, isPublic: isPublic, versions: chain, stages: stages.map(\.text),
            variants: variants.map(\.element))
        result.files =
            [.init(name: "\(namespace).swift", text: plan.namespaceText)]
            + (chain + variants.map(\.file)).map { .init(name: $0.name.file, text: $0.text) }
            + [.init(name: "\(namespace)Plan.swift", text: plan.text)]
        return result
    }

    /// Generates the versions of the sources that are newer than the plan's newest version, and compares the others
    /// with their declarations in the plan. Existing files are not changed.
    ///
    /// - Throws: `ImportFailure` if there is no model, or the plan is empty or has open questions.
    package mutating func update(
        _ plan: any SchemaMigrationPlan.Type, from snapshots: [Snapshot], next: Schema.Version?
    ) throws(ImportFailure) -> ImportResult {
        var history = SourceHistory(snapshots, of: plan)
        // Questions about omitted parts were asked when the plan was made.
        result.notes = history.notes + history.questions.map(\.description) + history.outsiders.map(\.note)
        guard !history.versions.isEmpty else { throw SchemaImporter.nothing(snapshots, history) }
        guard let last = plan.schemas.last else {
            throw ImportFailure("The plan of ‘\(plan.app)’ lists no version yet: remove it, and import once more.")
        }
        let open = SchemaImporter.openQuestions(of: plan)
        guard open == 0 else {
            throw ImportFailure(
                "The plan of ‘\(plan.app)’ has \(open) questions that are not decided yet, as ‘syncserver schema "
                    + "check’ lists them. Decide them first: what comes next depends on the answers. Or, before a "
                    + "version is published, import all of it once more, with ‘--anew’ and the options that answer "
                    + "them."
            )
        }
        let names = plan.schemas.map { VersionFile.Name($0, isPublic: isPublic) }
        let newest = VersionFile.Name(last, isPublic: isPublic)
        namespace = newest.namespace
        history.name(besides: names.map(\.type))
        var base = (
            path: newest.path, type: newest.type, draft: nil as DraftSchema?, schema: Schema.resolved(last)
        )
        var chain = plan.schemas.map { Schema.resolved($0) }
        for version in history.versions {
            let known = plan.schemas.first { $0.versionIdentifier == version.draft.version }
            let isLast = version.draft.version == history.versions.last?.draft.version
            // Models without versions are the newest version, whatever number was assigned to them here.
            if let known, version.isNumbered {
                result.drifts += drifts(version.draft, from: Schema.declared(known))
                result.versions.append(.init(schema: Schema.declared(known), isNew: false, isVariant: false))
                continue
            }
            guard var draft = successor(version, of: base.schema, isLast: isLast, next: next) else { continue }
            draft.questions += draft.questionsOfReturned(after: chain)
            let type =
                version.isNumbered && !version.type.isEmpty
                ? version.type : VersionFile.Name.following(base.type, from: base.schema.version, to: draft.version)
            let file = file(type, draft, after: (base.type, base.schema))
            let stage = stage(
                from: (base.path, base.draft, base.schema), to: (file.name.path, draft),
                custom: history.custom(from: base.type, to: draft.typeName))
            result.files.append(.init(name: file.name.file, text: file.text))
            result.additions.append(.init(type: file.name.path, previous: base.path, stage: stage.text))
            result.versions.append(.init(schema: draft.completed, isNew: true, isVariant: false))
            base = (file.name.path, file.name.type, draft, file.schema)
            chain.append(file.schema)
        }
        return result
    }

    /// Returns the differences between a version and the plan. Skips classes that a newer version shares, because they
    /// do not show the older version's shape.
    private mutating func drifts(_ draft: DraftSchema, from known: Schema) -> [Drift] {
        let drifts = DriftCheck(draft, against: known).drifts.filter { drift in
            !draft.live.contains { drift.subject == $0 || drift.subject.hasPrefix("\($0).") }
        }
        if !draft.live.isEmpty {
            result.notes.append(
                "\(draft.location): \(draft.version) shares classes with a newer version: not compared: "
                    + draft.live.joined(separator: ", "))
        }
        return drifts
    }

    private static func openQuestions(of plan: any SchemaMigrationPlan.Type) -> Int {
        let inVersions = plan.schemas.flatMap {
            Schema.resolving($0.models, version: $0.versionIdentifier).problems.filter { $0.code == .undecided }
        }
        let inStages = plan.stages.flatMap { stage -> [StageInstruction.Kind] in
            guard case .custom(let instructions) = stage.kind else { return [] }
            return instructions.filter { if case .undecided = $0 { true } else { false } }
        }
        return inVersions.count + inStages.count
    }

    /// Returns the version as the successor of `base` in the plan. Returns `nil` for a version that is not newer than
    /// `base`, or that has neither a number nor changes.
    private mutating func successor(
        _ version: SourceHistory.Version, of base: Schema, isLast: Bool, next: Schema.Version?
    ) -> DraftSchema? {
        var draft = version.draft
        if !version.isNumbered {
            guard isLast else { return nil }
            draft.version = next ?? base.version.following
        }
        guard draft.version > base.version else {
            result.notes.append(
                "\(draft.location): \(draft.version) is not above \(base.version), the newest one here, and was not "
                    + "read: a plan grows at its end")
            return nil
        }
        let adoption = PlanAdoption(draft, by: base.pairingInverses().schema)
        draft = aligned(adoption.draft, after: base)
        let paired = base.pairingInverses().schema
        let isSame = paired.fingerprint == Schema(version: base.version, entities: draft.completed.entities).fingerprint
        guard version.isNumbered || !isSame || !draft.questions.isEmpty else {
            result.notes.append("nothing changed since \(base.version)")
            return nil
        }
        return draft
    }

    private static func nothing(_ snapshots: [Snapshot], _ history: SourceHistory) -> ImportFailure {
        let files = snapshots.reduce(0) { $0 + $1.facts.files.count }
        let reasons = history.questions.map(\.description) + history.notes
        return ImportFailure(
            "There is no version to import: \(files) files were read, and none of them has a @Model class that could "
                + "be, or is a Core Data model. " + OtherStore.advice(snapshots.map(\.facts))
                + (reasons.isEmpty ? "" : " What was found: \(reasons.joined(separator: "; "))"))
    }

    /// Compares the newest version of the sources with the plan.
    ///
    /// - Returns: the plan's version that was compared, the differences and the notes. The compared version is usually
    ///   the plan's newest one. For the sources of an older release, it is the plan's version with the same number.
    /// - Throws: `ImportFailure` if there is no model.
    package static func compare(
        _ facts: SourceFacts, models: ModelPaths = ModelPaths(), with plan: any SchemaMigrationPlan.Type
    ) throws(ImportFailure) -> (version: Schema.Version, drifts: [Drift], notes: [String]) {
        let snapshot = Snapshot(facts: facts, models: models)
        let history = SourceHistory([snapshot], of: plan)
        guard let newest = history.versions.last, let last = plan.schemas.last else {
            throw nothing([snapshot], history)
        }
        // A class that is in none of the app's versions is no difference from the plan.
        let unlisted = history.questions.filter { $0.code == .version && $0.entity != nil }
        var drifts = history.questions.filter { !unlisted.contains($0) }.map {
            Drift(
                place: $0.place, subject: $0.subject, version: nil, message: $0.text,
                remedy: $0.choices.map(\.statement).joined(separator: "; or "))
        }
        let own = plan.schemas.first { newest.isNumbered && $0.versionIdentifier == newest.draft.version }
        var notes =
            history.notes + unlisted.map { "\($0.place): \($0.subject): no version of the app lists it: left out" }
            + history.outsiders.map(\.note) + newest.draft.notes
        if newest.isNumbered, own == nil {
            drifts.append(
                Drift(
                    place: "\(newest.draft.location)", subject: newest.draft.typeName ?? "the newest version",
                    version: last.versionIdentifier,
                    message: "the app's newest version is \(newest.draft.version), and the plan's "
                        + "\(last.versionIdentifier)",
                    remedy: newest.draft.version > last.versionIdentifier
                        ? "Import it: ‘syncserver schema import’." : "Name the sources of the newest app."))
        } else {
            drifts += DriftCheck(newest.draft, against: Schema.declared(own ?? last)).drifts
        }
        let compared = (own ?? last).versionIdentifier
        if compared != last.versionIdentifier {
            notes.append(
                "\(newest.draft.location): these sources end with \(compared), and were compared with that: of the "
                    + "plan's newer ones, to \(last.versionIdentifier), they say nothing")
        }
        return (compared, drifts, notes)
    }

    // MARK: Parts

    private mutating func aligned(_ draft: DraftSchema, after previous: Schema?) -> DraftSchema {
        let alignment = SchemaAlignment(draft, after: previous, renamings: renamings)
        result.renamingsMet.formUnion(alignment.met)
        return alignment.draft.statingDefaults(after: previous)
    }

    private mutating func file(
        _ type: String, _ draft: DraftSchema, after base: (type: String, schema: Schema)?, of canonical: String? = nil
    ) -> VersionFile {
        var questions: [Question] = []
        for var question in draft.questions + problems(of: draft) where asked.insert(key(question, draft)).inserted {
            question.version = draft.version
            let older = draft.entities.first { $0.name == question.entity }.map { $0.originalName ?? $0.name }
            if let note = question.defaultNote(in: draft, after: base?.schema) {
                result.notes.append(note)
            } else if let older, let old = question.oldName, leftOut[older]?.contains(old) == true {
                questions.append(question.renaming())
            } else {
                questions.append(question)
            }
        }
        if canonical == nil { leaveOut(of: draft) }
        result.questions += questions
        result.notes += draft.notes.filter { !result.notes.contains($0) }
        let declared = draft.isDeclared ? draft.typeName : nil
        let documentation =
            canonical.map {
                "Another shape that was shipped as \(draft.version), the number of `\($0)`: \(draft.location)."
            }
            ?? "\(draft.version), imported from \(declared.map { "`\($0)`, " } ?? "")\(draft.location)."
        return VersionFile(
            .init(namespace: namespace, type: type, isPublic: isPublic), draft.declared, documentation: documentation,
            after: base, questions: questions.filter { $0.code != .plan })
    }

    /// Adds a note for each property that this version lacks, and the previous one only until a question is answered.
    /// If the answer adds the property to the previous version, the user must write `Removed` in this one.
    private mutating func leaveOut(of draft: DraftSchema) {
        var now: [String: Set<String>] = [:]
        for entity in draft.entities {
            let open = draft.questions.filter { $0.entity == entity.name && $0.leavesOut }
            let names = Set(open.compactMap(\.member))
            let known = names.union(open.compactMap(\.oldName))
                .union(entity.attributes.flatMap { [$0.value.name, $0.value.originalName ?? ""] })
                .union(entity.relationships.flatMap { [$0.value.name, $0.value.originalName ?? ""] })
            for member in (leftOut[entity.originalName ?? entity.name] ?? []).subtracting(known).sorted() {
                result.notes.append(
                    "\(entity.location): \(entity.name).\(member): gone in \(draft.version): write "
                        + "‘Removed(\"\(member)\")’ "
                        + "there if the version before gets it")
            }
            now[entity.name] = names
        }
        leftOut = now
    }

    /// Returns, as questions, the problems that the check would report for a migration plan with only this version.
    private func problems(of draft: DraftSchema) -> [Question] {
        draft.declared.problems.map { $0.question(about: draft, and: nil) }
    }

    /// Returns the key by which a question is recognized in newer versions. If its model was renamed, the key has the
    /// original name, so that the question is not asked again.
    private func key(_ question: Question, _ draft: DraftSchema) -> [String] {
        // A question about no model is each version's own.
        guard let entity = question.entity else { return question.key + ["\(draft.version)"] }
        let old = draft.entities.first { $0.name == entity }?.originalName ?? entity
        let first = asked.first { $0.count > 2 && $0[1] == old && $0[2] == question.member ?? "" }
        let text = question.text.replacing("‘\(entity)’", with: "‘’").replacing("‘\(entity).", with: "‘.")
        return [question.code.rawValue, first?[1] ?? entity, question.member ?? "", text]
    }

    private mutating func stage(
        from older: (type: String, draft: DraftSchema?, schema: Schema), to newer: (type: String, draft: DraftSchema),
        custom: [AppStageReader.Stage]
    ) -> StageCode {
        let stage = StageCode(
            from: older, to: newer, custom: custom, removals: renamings.filter { $0.newer == nil })
        result.renamingsMet.formUnion(stage.met)
        // The default of a new property for older records is asked only once, with the question about its initial
        // value.
        result.questions += stage.questions.filter { question in
            !question.isMissingDefault
                || !result.questions.contains {
                    $0.code == .standard && $0.entity == question.entity && $0.member == question.member
                        && $0.version == question.version
                }
        }
        return stage
    }

    private mutating func variants(
        of history: SourceHistory, _ chain: [VersionFile], _ drafts: [DraftSchema]
    ) -> [(file: VersionFile, element: String)] {
        guard let newest = chain.last else { return [] }
        var variants: [(file: VersionFile, element: String)] = []
        var seen = Set(result.versions.map(\.schema.fingerprint))
        for (version, canonical) in zip(history.versions, chain) {
            for other in version.others {
                let draft = aligned(other, after: canonical.schema)
                guard seen.insert(draft.completed.fingerprint).inserted else { continue }
                let number = variants.count { $0.file.schema.version == draft.version } + 1
                let type = "\(canonical.name.type)Other\(number == 1 ? "" : "\(number)")"
                // An answer in the canonical version's file would be inherited, though this variant may lack its
                // subject.
                let open = Set(draft.questions.filter(\.leavesOut).map(\.key))
                let inherits = version.draft.questions.filter(\.leavesOut).allSatisfy { open.contains($0.key) }
                let file = file(
                    type, draft, after: inherits ? (canonical.name.type, canonical.schema) : nil,
                    of: canonical.name.type)
                let problems = canonical.schema.pairingInverses().schema
                    .problems(inStageTo: draft.completed, variant: type)
                result.questions += problems.map { $0.question(about: draft, and: nil) }
                result.versions.append(.init(schema: draft.completed, isNew: true, isVariant: true))
                let arguments: [Code] = [
                    .text("\(file.name.path).self"), .text("of: \(canonical.name.path).self"),
                    .text("addedWith: \(newest.name.path).self"),
                ]
                variants.append((file, Code.call("HistoricalVariant", arguments).lines(8).joined(separator: "\n")))
            }
        }
        return variants
    }
}

extension Schema.Version {
    /// The next version number: the last component that is not zero, plus one: 0.1.1 → 0.1.2, 2.0.0 → 3.0.0.
    package var following: Schema.Version {
        if patch > 0 || self == Schema.Version(0, 0, 0) { return Schema.Version(major, minor, patch + 1) }
        return minor > 0 ? Schema.Version(major, minor + 1, 0) : Schema.Version(major + 1, 0, 0)
    }
}

extension VersionFile.Name {
    /// The type name of the next version: `SchemaV11` → `SchemaV12`. If the digits are the version number, as in
    /// `SchemaV200` for 2.0.0, they become the new number.
    static func following(_ type: String, from old: Schema.Version, to new: Schema.Version) -> String {
        let stem = type.reversed().drop { $0.isASCII && $0.isNumber }.reversed().map(String.init).joined()
        let digits = String(type.dropFirst(stem.count))
        let isSpelled = digits == "\(old.major)\(old.minor)\(old.patch)"
        return stem + (isSpelled ? "\(new.major)\(new.minor)\(new.patch)" : "\((Int(digits) ?? 1) + 1)")
    }

    /// Creates the name of an existing version type.
    package init(_ type: any VersionedSchema.Type, isPublic: Bool) {
        // Module first, then the enclosing types.
        let parts = String(reflecting: type).split(separator: ".").dropFirst().map(String.init)
        self.init(
            namespace: parts.count > 1 ? parts.dropLast().joined(separator: ".") : nil,
            type: parts.last ?? "\(type)", isPublic: isPublic)
    }
}
