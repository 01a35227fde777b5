import SQLText

/// Reads what a migration file says about itself: comment lines of the form `-- key: value`.
struct StepReader {
    /// Checksums of earlier texts of the file, which a database may have applied as a whole.
    private(set) var accepted: [String] = []
    private(set) var steps: [MigrationStep] = []

    private let path: String
    /// What is said before the first `-- phase:`, and holds for every step.
    private var head = Draft(phase: .expand, line: 1)
    private var drafts: [Draft] = []

    /// How many rows a batch has where the file does not say: some milliseconds' work.
    static let batchSizeDefault = 1000
    /// More would hold the locks of their spaces for too long.
    static let batchSizeMax = 50_000

    /// A step whose directives are being read.
    private struct Draft {
        let phase: MigrationStep.Phase
        let line: Int
        var mode: MigrationStep.Mode?
        var effect: MigrationStep.SyncEffect?
        var requirements: [String] = []
    }

    /// - Throws: `badDirective`.
    init(path: String, _ script: SQLScript) throws(MigrationError) {
        self.path = path
        for comment in script.comments where comment.isLine {
            guard let match = comment.text.wholeMatch(of: /([a-z]+): *(.*)/) else { continue }
            try take(match.1, match.2, at: comment.line)
        }
        let isDivided = !drafts.isEmpty
        if !isDivided { drafts = [head] }
        if let first = script.statements.first, first.line < drafts[0].line {
            throw fault(first.line, "statements before the first ‘-- phase:’ are of no phase. Begin with one.")
        }
        for (place, draft) in drafts.enumerated() {
            let end = place + 1 < drafts.count ? drafts[place + 1].line : .max
            let statements = script.statements.filter { (draft.line..<end).contains($0.line) }
            if statements.isEmpty, isDivided {
                throw fault(draft.line, "the step has no statement. Write one, or take the line away.")
            }
            steps.append(
                MigrationStep(
                    number: place + 1, phase: draft.phase, mode: draft.mode ?? head.mode ?? .transaction,
                    effect: draft.effect ?? head.effect, requirements: draft.requirements, statements: statements,
                    line: draft.line))
        }
    }

    private mutating func take(_ key: Substring, _ value: Substring, at line: Int) throws(MigrationError) {
        switch key {
        case "phase":
            guard let phase = MigrationStep.Phase(rawValue: String(value)) else {
                let phases = MigrationStep.Phase.allCases.map(\.rawValue).joined(separator: ", ")
                throw fault(line, "there is no phase ‘\(value)’; there are \(phases).")
            }
            if let last = drafts.last?.phase, phase < last {
                throw fault(line, "\(phase) cannot come after \(last). Put it into a file of its own.")
            }
            drafts.append(Draft(phase: phase, line: line))
        case "migrate":
            let mode = try mode(value, line)
            if drafts.isEmpty { head.mode = mode } else { drafts[drafts.count - 1].mode = mode }
        case "sync":
            let effect = try effect(value, line)
            if drafts.isEmpty { head.effect = effect } else { drafts[drafts.count - 1].effect = effect }
        case "requires":
            guard drafts.last?.phase == .contract else { throw fault(line, "only a contract may require anything.") }
            drafts[drafts.count - 1].requirements.append(String(value))
        case "accepts":
            guard value.wholeMatch(of: /[0-9a-f]{64}/) != nil else {
                throw fault(line, "‘accepts’ takes the SHA-256 of an earlier text, as ‘migrate status --json’ has it.")
            }
            accepted.append(String(value))
        default: break
        }
    }

    private func mode(_ value: Substring, _ line: Int) throws(MigrationError) -> MigrationStep.Mode {
        if value == "transaction=none" { return .statements }
        var table: TableName?
        var size = StepReader.batchSizeDefault
        for word in value.split(separator: " ") {
            let parts = word.split(separator: "=", maxSplits: 1)
            switch (parts.first, parts.last) {
            case ("table", let name?): table = TableName(name)
            case ("batch", let count?): size = Int(count) ?? 0
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
        guard let match = value.wholeMatch(of: /republish\(([A-Za-z0-9_, ]+)\)/) else {
            throw fault(line, "‘sync’ takes ‘silent’ or ‘republish(Entity)’.")
        }
        return .republish(entities: match.1.split(separator: /, */).map(String.init))
    }

    private func fault(_ line: Int, _ problem: String) -> MigrationError {
        .badDirective(path: path, line: line, problem)
    }
}
