import SourceFacts
import WireFormats

/// All versions of an app in all snapshots of its sources (commits, tags and the current files). Each version has one
/// or more shapes (sets of entities and attributes).
struct SourceHistory {
    /// One version of the app, assembled from all snapshots of the sources that contain it.
    struct Version {
        var draft: DraftSchema
        /// Other shapes (sets of entities and attributes) that were shipped under the version's number, oldest first.
        var others: [DraftSchema] = []
        /// True if the sources or a tag state the version's number; false if the import chose it.
        var isNumbered: Bool
        /// The name of the version's type in the generated files.
        var type = ""
    }

    private(set) var versions: [Version] = []
    private(set) var questions: [Question] = []
    private(set) var notes: [String] = []
    /// The versions that the app's migration plan lists in no snapshot, and that are therefore left out.
    private(set) var outsiders: [SnapshotReader.Outsider] = []
    /// The app's own migration stages, each from the latest snapshot that has it, by the names of its two versions.
    private var stages: [[String]: [AppStageReader.Stage]] = [:]
    private var sightings: [Key: [VersionSighting]] = [:]
    /// The tags and commits that were left out, because nothing determines which version their models are.
    private var unnumbered: [(label: String, location: SourceLocation)] = []
    private let hasOlderStates: Bool
    /// The stages of Core Data mapping models, by the original names of their two versions.
    private var mappings: [[String]: [AppStageReader.Stage]] = [:]

    /// A version number with its origin, such as a tag or a version type. The same number may belong to different
    /// versions if it has two origins.
    private struct Key: Hashable {
        let number: Schema.Version
        let origin: VersionSighting.Origin
    }

    /// The version number of models that have neither a version nor a tag.
    static let firstVersion = Schema.Version(1, 0, 0)

    /// Assembles the versions of an app from the snapshots of its sources.
    ///
    /// - Parameter plan: an existing migration plan; `nil` if there is none. If a subclass is an entity of its own in
    ///   this plan, it stays one; any other subclass is merged into its superclass's entity.
    init(_ snapshots: [SchemaImporter.Snapshot], of plan: (any SchemaMigrationPlan.Type)? = nil) {
        hasOlderStates = snapshots.contains { $0.label != nil }
        let separate = Set(plan?.schemas.flatMap { Schema.declared($0).entities.map(\.name) } ?? [])
        for (position, snapshot) in snapshots.enumerated() { read(snapshot, position, separate: separate) }
        if let question = questionOfUnnumbered { questions.append(question) }
        chooseShapes()
        versions.sort { $0.draft.version < $1.draft.version }
        dropRepeated()
        // A later state may have renumbered a type. Another type with the same number belongs to another store.
        let known = versions.flatMap { [$0.draft] + $0.others }
        outsiders.removeAll { outsider in
            known.contains { $0.path == outsider.path && $0.version == outsider.version ?? $0.version }
        }
    }

    private mutating func read(_ snapshot: SchemaImporter.Snapshot, _ position: Int, separate: Set<String>) {
        let reader = SnapshotReader(
            snapshot.facts, unversioned: snapshot.version ?? SourceHistory.firstVersion, separate: separate)
        let prefix = snapshot.label.map { "\($0):" } ?? ""
        let managed = ManagedHistory(snapshot, hasClasses: !reader.versions.isEmpty)
        for question in reader.questions + managed.questions {
            var question = question
            question.place = prefix + question.place
            if !questions.contains(where: { $0.key == question.key }) { questions.append(question) }
        }
        notes += (reader.notes + managed.notes).map { prefix + $0 }.filter { !notes.contains($0) }
        // A later state replaces the stages and the omitted versions of an earlier one.
        mappings.merge(managed.stages) { _, later in later }
        stages.merge(AppStageReader(reader.index).stages) { _, later in later }
        outsiders.removeAll { old in reader.outsiders.contains { $0.path == old.path } }
        outsiders += reader.outsiders
        if snapshot.label == nil { questions += reader.unlisted }
        let isNumbered = reader.isVersioned || snapshot.version != nil
        read(managed, position, prefix, classesAreNumbered: reader.versions.isEmpty ? nil : isNumbered)
        if snapshot.label != nil, snapshot.version == nil, !reader.isVersioned, let first = reader.versions.first {
            let location = SourceLocation(file: prefix + first.location.file, line: first.location.line)
            unnumbered.append((snapshot.label ?? "", location))
            return
        }
        for (number, draft) in reader.versions.enumerated() {
            let draft = draft.labelled(prefix)
            guard isNumbered else {
                addUnnumbered(draft)
                continue
            }
            let evidence: VersionSighting.Evidence =
                if !reader.isVersioned {
                    .tag
                } else if number == reader.versions.count - 1 {
                    .newest
                } else {
                    draft.live.isEmpty ? .copy : .today
                }
            add(VersionSighting(draft: draft, evidence: evidence, position: position))
        }
    }

    /// Adds the versions of a Core Data model. Each version has its own file, which shows the properties that the
    /// version has.
    ///
    /// - Parameter classesAreNumbered: true if the classes of the same snapshot have version numbers; `nil` if there
    ///   are no classes.
    private mutating func read(
        _ managed: ManagedHistory, _ position: Int, _ prefix: String, classesAreNumbered: Bool?
    ) {
        for (number, (draft, isNumbered)) in managed.versions.enumerated() {
            var draft = draft.labelled(prefix)
            guard isNumbered || classesAreNumbered == true else {
                addUnnumbered(draft)
                continue
            }
            let questions = draft.questions.filter(\.isOfModel)
            draft.questions.removeAll(where: \.isOfModel)
            let isLast = number == managed.versions.count - 1
            add(
                VersionSighting(
                    draft: draft, evidence: isLast && classesAreNumbered == nil ? .newest : .copy, position: position,
                    questions: questions))
        }
    }

    /// Adds the models of the current files, which have no version number, as a version after all numbered ones.
    private mutating func addUnnumbered(_ draft: DraftSchema) {
        chooseShapes()
        guard let newest = versions.max(by: { $0.draft.version < $1.draft.version }) else {
            return versions.append(Version(draft: draft, isNumbered: false))
        }
        guard !newest.draft.isSameShape(as: draft) else { return }
        var draft = draft
        draft.version = newest.draft.version.following
        notes.append("the files as they are differ from \(newest.draft.version): they became \(draft.version)")
        versions.append(Version(draft: draft, isNumbered: false))
    }

    private var questionOfUnnumbered: Question? {
        guard let first = unnumbered.first else { return nil }
        let which = unnumbered.map(\.label).named(atMost: SourceHistory.labelsMax)
        return Question(
            .version, at: first.location, "neither \(which) nor the sources there say which version it is: left out",
            choices: [.init("--commits FILE", "import again, with each of them and its number in the file")])
    }

    private static let labelsMax = 12

    // MARK: Choosing a state

    private mutating func add(_ sighting: VersionSighting) {
        sightings[Key(number: sighting.draft.version, origin: sighting.origin), default: []].append(sighting)
    }

    /// Combines everything that was read so far into versions, and chooses the shape (set of entities and attributes)
    /// of each version from the snapshots that show it.
    private mutating func chooseShapes() {
        let (numbers, repeated) = numbersOfBefore()
        var types: [String: String] = [:]
        for (key, states) in sightings {
            var states = states
            let sources = Key(number: key.number, origin: .classes)
            let tag = Key(number: key.number, origin: .tag)
            if let number = numbers[key] {
                for index in states.indices {
                    let old = states[index].draft.typeName
                    states[index].draft.version = number
                    guard key.origin == .model, let old else { continue }
                    let new = ManagedHistory.typeName(number)
                    (types[old], states[index].draft.typeName) = (new, new)
                }
            } else if repeated.contains(key) || key == tag && sightings[sources] != nil {
                continue
            } else if key == sources, numbers[tag] == nil, !repeated.contains(tag), let other = sightings[tag] {
                states = (states + other).sorted { $0.position < $1.position }
            }
            if let latest = states.last { versions.append(withChosenShape(states, latest)) }
        }
        for (ends, mapping) in mappings { stages[ends.map { types[$0] ?? $0 }] = mapping }
        (sightings, mappings) = ([:], [:])
    }

    /// Returns new numbers for the versions that come from a Core Data model or from tags and are older than the first
    /// version type. They need new numbers if theirs are not below those of the version types. For example, an app is
    /// at v2.1, and its first version type is `SchemaV1`.
    ///
    /// - Returns: the new numbers, and the tags that add no version, because their models equal those of the previous
    ///   tag or of a version type.
    private mutating func numbersOfBefore() -> (numbers: [Key: Schema.Version], repeated: Set<Key>) {
        var groups = Dictionary(grouping: sightings.keys) { $0.origin }
        let classes = (groups[.classes] ?? []).flatMap { sightings[$0] ?? [] }
        var repeated: Set<Key> = []
        if let start = classes.map(\.position).min() {
            var last: DraftSchema?
            groups[.tag] = groups[.tag]?.sorted { $0.number < $1.number }.filter { key in
                guard let sighting = sightings[key]?.last, sighting.position < start else { return false }
                let known = classes.map(\.draft) + [last].compactMap(\.self)
                if known.contains(where: { $0.isSameShape(as: sighting.draft) }) {
                    repeated.insert(key)
                    return false
                }
                last = sighting.draft
                return true
            }
        }
        let order = VersionSighting.Origin.allCases.compactMap { groups[$0]?.sorted { $0.number < $1.number } }
            .filter { !$0.isEmpty }
        guard let newest = order.last, let first = newest.first?.number else { return ([:], []) }
        let before = order.dropLast().flatMap(\.self)
        // A tag with the number of a version is the same version.
        let isUsual = zip(before, before.dropFirst() + newest.prefix(1)).allSatisfy { older, newer in
            older.number < newer.number
                || older.number == newer.number && older.origin == .tag && newer.origin == .classes
        }
        // A tag with another version's shape is not the version with its number.
        if isUsual { return ([:], repeated.filter { isOtherVersion($0, classes) }) }
        let minor = before.indices.map { Schema.Version(0, $0 + 1, 0) }
        let numbers = minor.allSatisfy { $0 < first } ? minor : before.indices.map { Schema.Version(0, 0, $0 + 1) }
        let renumbered = Dictionary(uniqueKeysWithValues: zip(before, numbers))
        for (origin, name) in [
            (VersionSighting.Origin.model, "the versions of the Core Data model"),
            (.tag, "the models of tags before the sources had versions"),
        ] {
            let own = before.filter { $0.origin == origin }.compactMap { renumbered[$0] }
            guard let low = own.first, let high = own.last else { continue }
            let next = high == numbers.last ? first : numbers[own.count]
            let range = low == high ? "\(low)" : "\(low) to \(high)"
            notes.append("\(name) became \(range): what came later begins with \(next)")
        }
        if let low = repeated.map(\.number).min(), let high = repeated.map(\.number).max() {
            notes.append(
                repeated.count == 1
                    ? "the tag \(low) has the shape of a version that is here: no version of its own"
                    : "\(repeated.count) tags, \(low) to \(high), have the shape of a version that is here: no "
                        + "versions of their own")
        }
        return (renumbered, repeated)
    }

    private func isOtherVersion(_ tag: Key, _ classes: [VersionSighting]) -> Bool {
        guard let draft = sightings[tag]?.last?.draft else { return false }
        let own = classes.filter { $0.draft.version == tag.number }
        return !own.isEmpty && !own.contains { $0.draft.isSameShape(as: draft) }
            && classes.contains { $0.draft.isSameShape(as: draft) }
    }

    /// Chooses the snapshot that shows the version's shape best: the latest of those with the strongest evidence. If
    /// all of them show the classes only as they are today, chooses the oldest, which is nearest to the original shape.
    private func withChosenShape(_ sightings: [VersionSighting], _ latest: VersionSighting) -> Version {
        let best = sightings.map(\.evidence).max() ?? latest.evidence
        let among = sightings.filter { $0.evidence == best }
        let chosen = (best == .today ? among.first : among.last) ?? latest
        var draft = chosen.draft
        if let named = sightings.last(where: { $0.draft.typeName != nil })?.draft {
            (draft.typeName, draft.isDeclared) = (named.typeName, named.isDeclared)
        }
        var others: [DraftSchema] = []
        for other in sightings.filter(\.isShipped).map(\.draft)
        where !draft.isSameShape(as: other) && !others.contains(where: { $0.isSameShape(as: other) }) {
            others.append(other)
        }
        if best == .today {
            draft.questions.append(Question(live: draft, hasOlderStates: hasOlderStates))
        } else {
            draft.live = []
        }
        if chosen.isShipped { draft.openCases = [] }
        if best == .newest, let copy = sightings.last(where: { $0.evidence == .copy })?.draft,
            !copy.isSameShape(as: draft), !others.contains(where: { copy.isSameShape(as: $0) })
        {
            draft.notes.append(
                "\(copy.location): \(copy.version) is here not what it was at \(draft.location), as the newest one: "
                    + "that counts, and the other is left out. If it was shipped, too, ‘--commits FILE’ in the "
                    + "place of ‘--git’, with a commit of it and those of the tags, adds it")
        }
        draft.questions += latest.questions
        return Version(draft: draft, others: others, isNumbered: true)
    }

    /// Removes versions that come from a tag and have the same models as the previous version or a version type.
    /// Versions of Core Data models are always kept.
    private mutating func dropRepeated() {
        var kept: [Version] = []
        var repeated: [Schema.Version: [Schema.Version]] = [:]
        for version in versions {
            let known = (versions.filter { $0.draft.typeName != nil } + kept.suffix(1)).filter(\.draft.isDeclared)
            if version.draft.typeName == nil, version.draft.isDeclared, version.others.isEmpty,
                let same = known.last(where: { $0.draft.isSameShape(as: version.draft) })
            {
                repeated[same.draft.version, default: []].append(version.draft.version)
                continue
            }
            kept.append(version)
        }
        versions = kept
        for (version, others) in repeated.sorted(by: { $0.key < $1.key }) {
            let list = others.map(\.description)
            notes.append(
                list.count == 1
                    ? "\(list[0]) has the shape of \(version): no version of its own"
                    : "\(list.dropLast().joined(separator: ", ")) and \(list[list.count - 1]) have the shape of "
                        + "\(version): no versions of their own")
        }
    }

    /// Chooses the name of each version's type: as in the sources, or by the version's position.
    mutating func name(_ namespace: String) {
        var taken: Set<String> = [namespace]
        let sources = Set(versions.compactMap(\.draft.typeName))
        for index in versions.indices {
            let stated = versions[index].draft.typeName
            let number = versions[index].draft.version
            let counted = "SchemaV\(index + 1)"
            var name = stated ?? counted
            if taken.contains(name) || stated == nil && sources.contains(name) {
                name = "SchemaV\(number.major)_\(number.minor)_\(number.patch)"
            }
            taken.insert(name)
            versions[index].type = name
        }
    }

    /// Chooses the type names of the versions that a plan does not have: as in the sources, or, if the plan already
    /// uses that name, with the version number appended.
    mutating func name(besides known: [String]) {
        for index in versions.indices {
            guard let stated = versions[index].draft.typeName else { continue }
            let number = versions[index].draft.version
            let spelled = "\(stated)_\(number.major)_\(number.minor)_\(number.patch)"
            versions[index].type = known.contains(stated) ? spelled : stated
        }
    }

    /// A note on the older versions that have `openCases`: enumerations whose cases are known only as they are today.
    /// `nil` if there are no such versions.
    var noteOfOpenCases: String? {
        let open = versions.map(\.draft).filter { !$0.openCases.isEmpty }
        guard let first = open.first, let last = open.last else { return nil }
        let names = open.reduce(into: Set<String>()) { $0.formUnion($1.openCases) }.sorted().joined(separator: ", ")
        let range = first.version == last.version ? "\(first.version) has" : "\(first.version) to \(last.version) have"
        return "\(range) the cases of today of what no version declares, ‘\(names)’: ‘--git’ or ‘--commits’ finds what "
            + "they were"
    }

    /// Adds the questions about versions and models that were left out to the file of the newest version. So the plan
    /// is invalid until the user answers them.
    mutating func askOfLeftOut() {
        guard let newest = versions.indices.last else { return }
        versions[newest].draft.questions +=
            questions
            + outsiders.map { $0.question(hasOlderStates: hasOlderStates) }
    }

    /// Returns the app's own migration stages between two versions. There are several if they depend on an `#if`.
    func custom(from older: String?, to newer: String?) -> [AppStageReader.Stage] {
        guard let older, let newer else { return [] }
        return stages[[older, newer]] ?? []
    }
}

extension Question {
    /// True if the question concerns all versions of a Core Data model. It is then asked only in the newest version's
    /// file.
    fileprivate var isOfModel: Bool { entity == nil && (code == .order || code == .version) }

    /// Creates the question about the original shape of an older version, whose classes the sources show only as they
    /// are today.
    fileprivate init(live draft: DraftSchema, hasOlderStates: Bool) {
        let names = draft.live.joined(separator: ", ")
        let name = draft.typeName ?? "\(draft.version)"
        self.init(
            .shape, at: draft.location,
            "‘\(name)’ shares ‘\(names)’ with a newer version, so this is the shape of today: what was it then?",
            choices: [
                hasOlderStates
                    ? .init("--commits FILE", "import again, with a commit that had this as its newest one")
                    : .init("--git", "import again with it: what it was at the tag that had this as its newest one"),
                .init("remove this", "it was the same"),
                .init("take out of here what came later", "and state it in the file of the version that brought it"),
            ])
    }
}

extension DraftSchema {
    /// Returns the draft with `prefix`, the name of a tag, before each location.
    fileprivate func labelled(_ prefix: String) -> DraftSchema {
        guard !prefix.isEmpty else { return self }
        var draft = self
        draft.location.file = prefix + location.file
        draft.questions = questions.map {
            var question = $0
            question.place = prefix + question.place
            return question
        }
        draft.notes = notes.map { prefix + $0 }
        for index in draft.entities.indices { draft.entities[index].label(prefix) }
        return draft
    }
}
