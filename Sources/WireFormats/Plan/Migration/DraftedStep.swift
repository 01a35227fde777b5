/// A step of a drafted migration file: one `-- phase:` line and everything after it.
struct DraftedStep {
    let phase: Phase
    /// The text after `-- migrate:`, which says how the step is run if it is not one transaction.
    var directive: String?
    /// The statements and comments, one in each element.
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
