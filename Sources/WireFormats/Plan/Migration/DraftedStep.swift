/// One step of a drafted migration file. It begins with a line such as `-- phase: expand`, and ends before the next
/// such line.
struct DraftedStep {
    let phase: Phase
    /// The directive that follows `-- migrate:` in the step's text. `nil` for a step that runs in one transaction.
    var directive: String?
    /// The step's SQL statements and comments, one in each element.
    let blocks: [String]

    /// The phases, in their order within a file.
    enum Phase: String, CaseIterable {
        case expand, backfill, verify, contract
    }

    init(_ phase: Phase, directive: String? = nil, _ blocks: [String]) {
        (self.phase, self.directive, self.blocks) = (phase, directive, blocks)
    }

    /// The directive of a step that runs without a transaction.
    static let apart = "transaction=none"

    var text: [String] {
        ["-- phase: \(phase.rawValue)" + (directive.map { "\n-- migrate: \($0)" } ?? "")] + blocks
    }
}
