/// A step of a drafted migration file: what follows one `-- phase:` line.
struct DraftedStep {
    let phase: Phase
    /// How it is run, where that is not one transaction: what stands after `-- migrate:`.
    var directive: String?
    /// A statement or comment each.
    let blocks: [String]

    /// In their order within a file.
    enum Phase: String, CaseIterable {
        case expand, backfill, verify, contract
    }

    init(_ phase: Phase, directive: String? = nil, _ blocks: [String]) {
        (self.phase, self.directive, self.blocks) = (phase, directive, blocks)
    }

    /// What says how a step is run that is no transaction.
    static let apart = "transaction=none"

    var text: [String] {
        ["-- phase: \(phase.rawValue)" + (directive.map { "\n-- migrate: \($0)" } ?? "")] + blocks
    }
}
