import StrictJSON
import WireFormats

/// The outcome of a simulation.
package struct SimulationReport: Sendable {
    private let plan: Plan
    package let setting: Simulation.Setting
    package internal(set) var steps = 0
    package internal(set) var runs = 0
    package internal(set) var elapsed = Duration.zero
    package internal(set) var failure: Failure?
    /// The number of runs that ended early, because more contents of the space were possible than the model follows.
    private var undecided = 0
    private var tally = Tally()

    /// A failure, with the script that reproduces it.
    package struct Failure: Sendable {
        package let breach: Breach
        /// The steps that cause the failure, without those that were found to be unnecessary.
        package let script: Script
        /// The number of steps that the run had done when it failed, before it was made shorter.
        package let steps: Int
        /// The events of each step, one line for each event.
        package let story: [String]
        /// True if the same steps failed again when they were run once more.
        package let isReproduced: Bool
    }

    init(plan: Plan, setting: Simulation.Setting) {
        self.plan = plan
        self.setting = setting
    }

    package var isClean: Bool { failure == nil }

    mutating func take(_ outcome: Simulation.Outcome) {
        steps += outcome.steps
        if outcome.isUndecided { undecided += 1 }
        tally.add(outcome.tally)
    }

    private var stepsPerSecond: Int {
        let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
        return seconds > 0 ? Int(Double(steps) / seconds) : 0
    }

    private var fleet: String {
        Dictionary(grouping: setting.fleet) { $0 }.sorted { $0.key < $1.key }
            .map { "\(plan.name(of: $0.key)) × \($0.value.count)" }.joined(separator: ", ")
    }

    /// A readable report: counts of all events, and the failed run step by step.
    package var text: String {
        let counts = { (counts: [String: Int]) in
            counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        }
        let names = { (counts: [Step.Kind: Int]) in
            counts.reduce(into: [String: Int]()) { $0[$1.key.rawValue] = $1.value }
        }
        var lines = [
            "\(plan.app): \(fleet). Seed \(setting.seed).",
            "\(steps) steps in \(runs) runs, \(tally.requests) requests, \(stepsPerSecond) steps a second.",
            "  \(counts(names(tally.steps)))",
            "  faults: \(counts(tally.faults.reduce(into: [:]) { $0[$1.key.rawValue] = $1.value }))",
            "  verdicts: \(counts(tally.verdicts)); records pulled: \(tally.records)",
        ]
        if undecided > 0 { lines.append("  ended early, with more in doubt than is followed: \(undecided) runs") }
        guard let failure else { return (lines + ["All promises held."]).joined(separator: "\n") }
        lines += ["", "✗ \(failure.breach)", ""]
        if !failure.isReproduced { lines.append("It did not happen again when the same steps were run once more.") }
        lines.append("\(failure.script.steps.count) of \(failure.steps) steps matter:")
        lines += failure.story.suffix(SimulationReport.linesShownMax).map { "  \($0)" }
        return lines.joined(separator: "\n")
    }

    /// The maximum number of lines of the failed run that `text` contains. They are the last ones.
    package static let linesShownMax = 80

    /// A machine-readable report.
    package var json: String {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("app", plan.app)
            writer.member("seed", "\(setting.seed)")
            for (name, number) in [
                ("steps", steps), ("runs", runs), ("requests", tally.requests), ("checks", tally.checks),
                ("undecided", undecided), ("stepsPerSecond", stepsPerSecond),
            ] {
                writer.key(name)
                writer.int(number)
            }
            writer.member("clean", isClean)
            if let failure {
                writer.member("breach", failure.breach.description)
                writer.member("matter", failure.script.steps.map(\.description))
            }
            writer.endObject()
        }
    }
}
