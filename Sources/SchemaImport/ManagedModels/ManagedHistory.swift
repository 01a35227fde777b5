import SourceFacts
import WireFormats

/// The versions of the app's Core Data model in one snapshot of the sources: a commit, a tag or the current files.
struct ManagedHistory {
    private(set) var versions: [(draft: DraftSchema, isNumbered: Bool)] = []
    private(set) var questions: [Question] = []
    private(set) var notes: [String] = []
    private(set) var stages: [[String]: [AppStageReader.Stage]] = [:]
    /// The notes so far, without their locations. They serve to write each note only once, for the oldest version.
    private var noted: Set<String> = []

    /// Reads the Core Data model of a snapshot. If there are several models, or if `hasClasses` is true, the user must
    /// have named the one to read.
    ///
    /// - Parameter hasClasses: true if the Swift files of the same snapshot have versions.
    init(_ snapshot: SchemaImporter.Snapshot, hasClasses: Bool) {
        let bundles = ManagedBundle.all(of: snapshot.facts.documents)
        guard let bundle = bundles.first else { return }
        let isExplicit = snapshot.models.isNamed
        if hasClasses, !isExplicit {
            notes = bundles.map {
                "\($0.path): a Core Data model, not read: name it beside the folder to have its versions before those "
                    + "of the classes"
            }
            return
        }
        let isOne = !snapshot.models.order.isEmpty || bundles.count == 1
        guard isOne else {
            let paths = bundles.map { "‘\($0.path)’" }.joined(separator: ", ")
            questions.append(
                Question(
                    .version, at: SourceLocation(file: bundle.path, line: 0),
                    "there are \(bundles.count) Core Data models, \(paths): which one is the app's?",
                    choices: [.init("name it instead of the folder", "and import again: none was read")]))
            return
        }
        // If versions are named individually, those of one model may be in several folders.
        let whole = bundles.dropFirst().reduce(bundle) { $0.joined($1) }
        read(whole, snapshot)
        readMappings(snapshot.facts.documents)
    }

    private mutating func read(_ bundle: ManagedBundle, _ snapshot: SchemaImporter.Snapshot) {
        let order = ManagedOrder(
            bundle, order: snapshot.models.order, alone: snapshot.label == nil ? snapshot.version : nil)
        // In Git, a version's name identifies it better than a tag, because the name is the same at all tags.
        let isNumbered = order.isNumbered || snapshot.label != nil
        var older: ManagedModel?
        for (index, (version, number)) in order.versions.enumerated() {
            let model = ManagedModel(version.document.root, file: version.document.file)
            guard !model.entities.isEmpty else {
                notes.append("\(model.location(model.root)): ‘\(version.name)’ has no entity: no version of its own")
                continue
            }
            var draft = ManagedHistory.draft(of: model, version: number)
            draft.typeName = isNumbered ? ManagedHistory.typeName(number) : nil
            draft.isDeclared = false
            if let older { draft = ManagedRenamings(draft, model, after: older).draft }
            if index + 1 == order.versions.count {
                draft.questions += order.questions.map {
                    Question(.order, at: draft.location, $0.text, choices: $0.choices)
                }
                draft.questions += snapshot.facts.problems.compactMap { ManagedHistory.question(about: $0) }
                noteModel(model)
            }
            draft.notes = draft.notes.filter { isNew($0) }
            versions.append((draft, isNumbered))
            older = model
        }
    }

    /// Returns a question about a file of a Core Data model that could not be read; `nil` for any other file. Without
    /// the file, a version or the name of the current version is missing.
    private static func question(about problem: SourceFacts.Problem) -> Question? {
        let file = problem.location.file
        guard
            [".xcdatamodel/contents", ".xcdatamodeld/.xccurrentversion", ".xcdatamodel"].contains(where: file.hasSuffix)
        else { return nil }
        return Question(
            .version, at: problem.location, "‘\(file)’ is not read: \(problem.message)",
            choices: [
                .init("correct the file", "and import again: what it says is not here"),
                .init("remove this", "nothing of it was ever shipped"),
            ])
    }

    static func typeName(_ number: Schema.Version) -> String {
        number.minor == 0 && number.patch == 0
            ? "SchemaV\(number.major)" : "SchemaV\(number.major)_\(number.minor)_\(number.patch)"
    }

    private static func draft(of model: ManagedModel, version: Schema.Version) -> DraftSchema {
        var draft = DraftSchema(
            version: version, typeName: nil, location: model.location(model.root), entities: [],
            questions: model.questions, notes: [])
        for index in model.entities.indices {
            let entity = model.entities[index]
            guard !entity.isAbstract else {
                if model.heirs(of: index).isEmpty {
                    draft.notes.append(
                        "\(model.location(entity.element)): \(entity.name): abstract, and nothing inherits from it: "
                            + "left out")
                }
                continue
            }
            let reader = ManagedEntityReader(index, in: model)
            draft.entities.append(reader.entity)
            draft.questions += reader.questions
            draft.notes += reader.notes
        }
        let pairing = RelationshipPairing(draft.entities)
        draft.entities = pairing.entities
        draft.questions += pairing.questions
        return draft
    }

    private mutating func noteModel(_ model: ManagedModel) {
        if ([model.root] + model.root.all("configuration")).contains(where: { $0.isOn("usedWithCloudKit") }) {
            notes.append(
                "\(model.location(model.root)): CloudKit mirrors this model: turn that off where this server syncs it, "
                    + "or two of them answer each other's edits")
        }
        let names = model.root.all("configuration").compactMap { $0.value("name") }.map { "‘\($0)’" }
        if !names.isEmpty {
            notes.append(
                "\(model.location(model.root)): in which of its stores a device keeps an entity "
                    + "(\(names.joined(separator: ", "))) is its own affair, and in no plan")
        }
        let known: Set<String> = ["entity", "elements", "configuration", "composite", "fetchRequest"]
        for element in model.root.elements where !known.contains(element.name) {
            notes.append("\(model.location(element)): ‘\(element.name)’ is not known here, and was not read")
        }
    }

    /// Returns true if no older version had the same note on the same property. Also stores the note.
    private mutating func isNew(_ note: String) -> Bool {
        let text = note.split(separator: ": ", maxSplits: 1).last.map(String.init) ?? note
        return noted.insert(text).inserted
    }

    /// Reads the app's Core Data mapping models as stages. A mapping model migrates data between two versions; a
    /// migration plan cannot run it.
    private mutating func readMappings(_ documents: [DocumentFact]) {
        for document in documents where document.file.hasSuffix("/xcmapping.xml") {
            let name = document.file.split(separator: "/").dropLast().last.map(String.init) ?? document.file
            func type(_ attribute: String) -> String? {
                let path = document.root.all("attribute").first { $0.value("name") == attribute }?.text
                let folder = path?.split(separator: "/").last.map(String.init) ?? ""
                return versions.first {
                    $0.draft.location.file.split(separator: "/").dropLast().last.map(String.init) == folder
                }?.draft.typeName
            }
            guard let from = type("sourcemodelpath"), let to = type("destinationmodelpath") else {
                notes.append("\(document.file): a mapping of versions that are not here: left out")
                continue
            }
            let policies = document.root.all("attribute").filter { $0.value("name") == "migrationpolicyclassname" }
            let code = Set(policies.compactMap(\.text).filter { !$0.isEmpty }).sorted().map { "‘\($0)’" }
            stages[[from, to], default: []].append(
                AppStageReader.Stage(
                    from: from, to: to, location: SourceLocation(file: document.file, line: 0),
                    closures: [("mapping model", name)], condition: nil,
                    mapping: code.isEmpty ? "expressions, which Xcode shows" : code.joined(separator: ", ")))
        }
    }
}
