/// One step of a drafted migration file: a line `-- phase:` and everything up to the next such line.
struct DraftedStep {
    let phase: Phase
    /// The text after `-- migrate:`, for a step that is not run in one transaction; otherwise `nil`.
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
