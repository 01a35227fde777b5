/// A step that is not done yet, with its file and its row in the ledger.
struct PendingStep {
    let file: MigrationFile
    let step: MigrationStep
    /// The step's row in the ledger; `nil` if the step was never begun.
    let record: StepRecord?

    var isContract: Bool { step.phase == .contract }
    /// True if the step must wait until every running server knows the step's migration file.
    var waitsForServers: Bool { isContract || file.firstBreak(in: step) != nil }
    var name: StepName { StepName(step, of: file) }
}
