import SQLText

/// Reads the directives of a migration file, comment lines of the form `-- key: value`, and divides the file into
/// steps.
struct StepReader {
    /// The checksums of earlier versions of the file's text. A database that applied one of these versions has applied
    /// the whole file.
    private(set) var accepted: [String] = []
    private(set) var steps: [MigrationStep] = []

    private let path: String
    /// The directives above the first `-- phase:` line. They apply to every step of the file.
    private var head = Draft(phase: .expand, line: 1)
    private var drafts: [Draft] = []

    /// The number of rows in a batch if the file states none: some milliseconds' work.
    static let batchSizeDefault = 1000
    /// The maximum number of rows in a batch. A larger batch would lock the spaces of its rows for too long.
    static let batchSizeMax = 50_000

    /// A step whose directives are being read.
    private struct Draft {
        let phase: MigrationStep.Phase
        let line: Int
        var mode: MigrationStep.Mode?
        var effect: MigrationStep.SyncEffect?
        var requirements: [String] = []
    }

    /// Reads the directives and steps of a parsed file.
    ///
    /// - Throws: `badDirective`.
    init(path: String, _ script: SQLScript) throws(MigrationError) {
        self.path = path
        for comment in script.comments {
            let directive: Directive?
            do throws(Directive.Slip) {
                directive = try Directive(comment, in: script)
            } catch {
                throw fault(error.line, error.problem)
            }
            if let directive { try take(directive.key, directive.value, at: directive.line) }
        }
        let isDivided = !drafts.isEmpty
        if !isDivided { drafts = [head] }
        if let first = script.statements.first, first.line < drafts[0].line {
            throw fault(first.line, "statements before the first ‘-- phase:’ are of no phase. Begin with one.")
        }
        for (index, draft) in drafts.enumerated() {
            let end = index + 1 < drafts.count ? drafts[index + 1].line : .max
            let statements = script.statements.filter { (draft.line..<end).contains($0.line) }
            if statements.isEmpty, isDivided {
                throw fault(draft.line, "the step has no statement. Write one, or take the line away.")
            }
            steps.append(
                MigrationStep(
                    number: index + 1, phase: draft.phase, mode: draft.mode ?? head.mode ?? .transaction,
                    effect: draft.effect ?? head.effect, requirements: draft.requirements, statements: statements,
                    line: draft.line))
        }
    }

    private mutating func take(_ key: Directive.Key, _ value: Substring, at line: Int) throws(MigrationError) {
        switch key {
        case .phase:
            guard let phase = MigrationStep.Phase(rawValue: String(value)) else {
                let phases = MigrationStep.Phase.allCases.map(\.rawValue).joined(separator: ", ")
                throw fault(line, "there is no phase ‘\(value)’; there are \(phases).")
            }
            if let last = drafts.last?.phase, phase < last {
                throw fault(line, "\(phase) cannot come after \(last). Put it into a file of its own.")
            }
            drafts.append(Draft(phase: phase, line: line))
        case .migrate:
            let mode = try mode(value, line)
            try saying(key, line) { draft in
                defer { draft.mode = mode }
                return draft.mode == nil
            }
        case .sync:
            let effect = try effect(value, line)
            try saying(key, line) { draft in
                defer { draft.effect = effect }
                return draft.effect == nil
            }
        case .requires:
            guard drafts.last?.phase == .contract else { throw fault(line, "only a contract may require anything.") }
            drafts[drafts.count - 1].requirements.append(String(value))
        case .accepts:
            guard value.wholeMatch(of: /[0-9a-f]{64}/) != nil else {
                throw fault(line, "‘accepts’ takes the SHA-256 of an earlier text, as ‘migrate status --json’ has it.")
            }
            accepted.append(String(value))
        case .lint: break
        }
    }

    /// Applies a directive to the current step or, before the first step, to the whole file.
    ///
    /// - Parameter take: stores the directive's value. It returns false if there already is a value for this directive,
    ///   which is an error.
    private mutating func saying(
        _ key: Directive.Key, _ line: Int, _ take: (inout Draft) -> Bool
    ) throws(MigrationError) {
        let isFirst = drafts.isEmpty ? take(&head) : take(&drafts[drafts.count - 1])
        if !isFirst { throw fault(line, "‘\(key.rawValue)’ is said twice of one step. Leave one of them.") }
    }

    private func mode(_ value: Substring, _ line: Int) throws(MigrationError) -> MigrationStep.Mode {
        if value == "transaction=none" { return .statements }
        var table: TableName?
        var size = StepReader.batchSizeDefault
        var said: Set<Substring> = []
        for word in value.split(whereSeparator: { $0 == " " || $0 == "\t" }) {
            let parts = word.split(separator: "=", maxSplits: 1)
            let isFirst = parts.first.map { said.insert($0).inserted } ?? false
            switch (parts.first, parts.last, isFirst && parts.count == 2) {
            case ("table", let name?, true): table = TableName(name)
            case ("batch", let count?, true): size = Int(count) ?? 0
            default: throw fault(line, "‘migrate’ takes ‘transaction=none’ or ‘table=SCHEMA.TABLE batch=ROWS’.")
            }
        }
        guard let table else { throw fault(line, "a backfill in batches names its table: ‘table=SCHEMA.TABLE’.") }
        guard (1...StepReader.batchSizeMax).contains(size) else {
            throw fault(line, "‘batch’ takes a number of rows from 1 to \(StepReader.batchSizeMax).")
        }
        return .batches(table: table, size: size)
    }

    private func effect(_ value: Substring, _ line: Int) throws(MigrationError) -> MigrationStep.SyncEffect {
        if value == "silent" { return .silent }
        let list = value.wholeMatch(of: /republish\(([^()]*)\)/)?.1 ?? ""
        let names = list.split(separator: ",", omittingEmptySubsequences: false)
        let entities = names.compactMap { $0.wholeMatch(of: /\s*(\w+)\s*/).map { String($0.1) } }
        guard entities.count == names.count else {
            throw fault(line, "‘sync’ takes ‘silent’ or ‘republish(Entity)’.")
        }
        return .republish(entities: entities)
    }

    private func fault(_ line: Int, _ problem: String) -> MigrationError {
        .badDirective(path: path, line: line, problem)
    }
}
