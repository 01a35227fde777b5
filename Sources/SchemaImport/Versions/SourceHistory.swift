import SourceFacts
import WireFormats

/// All versions of an app that the states of its sources have, each with the shapes that it had.
struct SourceHistory {
    /// A version, as the latest state of the sources has it.
    struct Version {
        var draft: DraftSchema
        /// Other shapes under its number, older first.
        var others: [DraftSchema] = []
        /// Whether the number is the sources' own or a tag's.
        var isNumbered: Bool
        /// How its type is called here.
        var type = ""
    }

    private(set) var versions: [Version] = []
    private(set) var decisions: [Decision] = []
    private(set) var notes: [String] = []
    private var stages: [StageReader.Stage] = []

    /// The number of models that have none, nor a tag.
    static let firstVersion = Schema.Version(1, 0, 0)

    init(_ snapshots: [SchemaImporter.Snapshot]) {
        for snapshot in snapshots {
            let reader = VersionReader(snapshot.facts, unversioned: snapshot.version ?? SourceHistory.firstVersion)
            let prefix = snapshot.label.map { "\($0):" } ?? ""
            let managed = ManagedHistory(snapshot, besides: reader.versions)
            for decision in reader.decisions + managed.decisions {
                var decision = decision
                decision.place = prefix + decision.place
                if !decisions.contains(where: { $0.key == decision.key }) { decisions.append(decision) }
            }
            notes += (reader.notes + managed.notes).map { prefix + $0 }.filter { !notes.contains($0) }
            // A later state knows the stage as it is now.
            let found = StageReader(reader.index).stages
            stages = found + managed.stages + stages
            for (draft, isNumbered) in managed.versions { add(draft.labelled(prefix), isNumbered: isNumbered) }
            if snapshot.label != nil, snapshot.version == nil, !reader.isVersioned, let first = reader.versions.first {
                let place = SourceLocation(file: prefix + first.location.file, line: first.location.line)
                decisions.append(
                    Decision(
                        .version, at: place, "neither the tag nor the sources say which version this is",
                        choices: [.init("name it in ‘--commits FILE’ with its number", "it was left out")]))
                continue
            }
            for draft in reader.versions {
                add(draft.labelled(prefix), isNumbered: reader.isVersioned || snapshot.version != nil)
            }
        }
        versions.sort { $0.draft.version < $1.draft.version }
        dropRepeated()
    }

    private mutating func add(_ draft: DraftSchema, isNumbered: Bool) {
        // The files as they are, after tags with numbers.
        if !isNumbered, let newest = versions.max(by: { $0.draft.version < $1.draft.version }) {
            guard !newest.draft.isSameShape(as: draft) else { return }
            var draft = draft
            draft.version = newest.draft.version.following
            notes.append("the files as they are differ from \(newest.draft.version): they became \(draft.version)")
            return versions.append(Version(draft: draft, isNumbered: false))
        }
        guard let place = versions.firstIndex(where: { $0.draft.version == draft.version }) else {
            return versions.append(Version(draft: draft, isNumbered: isNumbered))
        }
        if !versions[place].draft.isSameShape(as: draft) { versions[place].others.append(versions[place].draft) }
        versions[place].draft = draft
        versions[place].isNumbered = isNumbered
    }

    /// A tag of models without versions whose shape is that of the tag before is no version of its own.
    private mutating func dropRepeated() {
        var kept: [Version] = []
        for version in versions {
            if version.draft.typeName == nil, let last = kept.last, last.draft.typeName == nil, version.others.isEmpty,
                last.draft.isSameShape(as: version.draft)
            {
                notes.append("\(version.draft.version) has the shape of \(last.draft.version): no version of its own")
                continue
            }
            kept.append(version)
        }
        versions = kept
    }

    /// Gives each a type's name: that of the sources, or its place.
    mutating func name(_ namespace: String) {
        var taken: Set<String> = [namespace]
        for place in versions.indices {
            let stated = versions[place].draft.typeName
            let number = versions[place].draft.version
            let counted = "SchemaV\(place + 1)"
            var name = stated ?? counted
            if taken.contains(name) { name = "SchemaV\(number.major)_\(number.minor)_\(number.patch)" }
            taken.insert(name)
            versions[place].type = name
        }
    }

    /// Gives those of the sources that a plan does not have their names, or others where it has them already.
    mutating func name(besides known: [String]) {
        for place in versions.indices {
            guard let stated = versions[place].draft.typeName else { continue }
            let number = versions[place].draft.version
            let spelled = "\(stated)_\(number.major)_\(number.minor)_\(number.patch)"
            versions[place].type = known.contains(stated) ? spelled : stated
        }
    }

    /// What the app's own plan runs between two of its versions.
    func custom(from older: String?, to newer: String?) -> StageReader.Stage? {
        guard let older, let newer else { return nil }
        return stages.first { $0.from == older && $0.to == newer }
    }
}

extension DraftSchema {
    /// Whether both say the same, whatever the order.
    func isSameShape(as other: DraftSchema) -> Bool {
        let mine = Schema(version: version, entities: completed.entities.sortedForComparison)
        let others = Schema(version: version, entities: other.completed.entities.sortedForComparison)
        return mine.fingerprint == others.fingerprint && Set(decisions.map(\.key)) == Set(other.decisions.map(\.key))
    }

    /// With the tag before each place.
    fileprivate func labelled(_ prefix: String) -> DraftSchema {
        guard !prefix.isEmpty else { return self }
        var draft = self
        draft.decisions = decisions.map {
            var decision = $0
            decision.place = prefix + decision.place
            return decision
        }
        draft.notes = notes.map { prefix + $0 }
        return draft
    }
}

extension [Schema.Entity] {
    fileprivate var sortedForComparison: [Schema.Entity] {
        map { entity in
            entity.with(
                originalName: .some(nil),
                attributes: entity.attributes.map { $0.with(originalName: .some(nil)) }.sorted { $0.name < $1.name },
                relationships: entity.relationships.sorted { $0.name < $1.name })
        }.sorted { $0.name < $1.name }
    }
}
