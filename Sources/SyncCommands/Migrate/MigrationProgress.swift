import PGMigrations
import PGStore
import Synchronization

/// Reports the progress of a run of migrations: as a progress bar on a terminal, as occasional lines otherwise.
final class MigrationProgress: Sendable {
    private let isSilent: Bool
    private let isSummary: Bool
    private let say: @Sendable (String) -> Void
    private let done = Mutex<(steps: Int, since: ContinuousClock.Instant)>((0, .now))
    private let meter = Mutex<Meter?>(nil)

    /// The interval between two lines about a long backfill, if the output is not a terminal.
    private static let linePause = Duration.seconds(10)

    /// The measurements from which the speed of the current backfill is calculated.
    private struct Meter {
        let step: StepName
        let began: ContinuousClock.Instant
        /// The number of rows that were already processed when the measurement began.
        let doneAtFirst: Int64
        var lastLine: ContinuousClock.Instant
    }

    /// - Parameters:
    ///   - isSummary: true to report all applied steps in one line at the end. Steps that wait or fail are reported
    ///     immediately.
    ///   - say: called with each line.
    init(
        isSilent: Bool = false, isSummary: Bool = false,
        saying say: @escaping @Sendable (String) -> Void = { Terminal.note($0) }
    ) {
        (self.isSilent, self.isSummary, self.say) = (isSilent, isSummary, say)
    }

    /// Reports all applied steps in one line, if `isSummary` was true.
    func end() {
        let (steps, since) = done.withLock { $0 }
        guard isSummary, steps > 0 else { return }
        Terminal.endProgress()
        say("the database is migrated: \(steps) steps in \((.now - since).formattedMilliseconds)")
    }

    func take(_ event: MigrationEvent) {
        if isSilent { return }
        switch event {
        // The run's end reports left steps once for each file; a rehearsal's report, how long locks were held.
        case .left, .committed: return
        case .copying(let done, let all) where done > 0:
            let text = "\(done.sizeText) of about \(all.sizeText)"
            Terminal.progress(Terminal.bar(Int(done), of: Int(all)) + " " + text)
            return
        default: break
        }
        if case .progress(let step, let done, let all) = event {
            move(step, done, all)
            return
        }
        if isSummary {
            switch event {
            case .finished: return done.withLock { $0.steps += 1 }
            case .planned: return Terminal.progress(MigrationProgress.description(of: event))
            case .began(let step, 1): return Terminal.progress("Applying \(step) …")
            default: break
            }
        }
        Terminal.endProgress()
        say(MigrationProgress.description(of: event))
    }

    private func move(_ step: StepName, _ done: Int64, _ all: Int64) {
        let now = ContinuousClock.now
        let (meter, isDue) = meter.withLock { meter in
            if meter?.step != step {
                meter = Meter(step: step, began: now, doneAtFirst: done, lastLine: now)
            }
            let isDue = now - meter!.lastLine >= MigrationProgress.linePause
            if isDue { meter!.lastLine = now }
            return (meter!, isDue)
        }
        let text = MigrationProgress.text(done, all, since: meter.doneAtFirst, in: now - meter.began)
        if Terminal.isInteractive {
            Terminal.progress((all > 0 ? Terminal.bar(Int(done), of: Int(all)) + " " : "") + text)
        } else if isDue {
            say("\(step): \(text)")
        }
    }

    /// Returns a text about a backfill: the number of rows processed, the speed, and the remaining time.
    ///
    /// - Parameters:
    ///   - done: the number of rows processed.
    ///   - all: the number of all rows; 0 if it is unknown.
    ///   - first: the number of rows that had been processed when the measurement began.
    static func text(_ done: Int64, _ all: Int64, since first: Int64, in elapsed: Duration) -> String {
        let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
        let progress = all > 0 ? "\(done) of \(all) (\(min(100, done * 100 / all)) %)" : "\(done) rows"
        guard done > first, seconds > 0 else { return progress }
        let rate = Double(done - first) / seconds
        guard all > 0 else { return "\(progress), \(Int(rate)) a second" }
        let left = Duration.seconds(Double(max(0, all - done)) / rate)
        return "\(progress), \(Int(rate)) a second, \(left.formattedRoughly) left"
    }

    static func description(of event: MigrationEvent) -> String {
        switch event {
        case .waiting(let holders):
            "Waiting for another run of migrations (server process "
                + "\(holders.map(String.init).joined(separator: ", ")))."
        case .planned(let steps): "\(steps.count) steps of \(Set(steps).count) files pending."
        case .began(let step, 1): "Applying \(step) …"
        case .began(let step, let attempt): "Applying \(step), attempt \(attempt) …"
        case .blocked(let step, let by): "\(step) waits for \(by.map(\.description).joined(separator: "; "))"
        case .retrying(let step, _, let pause): "\(step) could not get its locks; trying again in \(pause)."
        case .progress(let step, let done, let all): "\(step): \(done) of \(all)"
        case .lagging(let step, let behind): "\(step) waits for a replica that is \(behind.formattedRoughly) behind."
        case .blind(let step):
            "\(step) waits for no replica: this login may not see how far behind they are. As an administrator: "
                + "GRANT pg_read_all_stats TO it."
        case .finished(let step, let duration): "Applied \(step) in \(duration.formattedMilliseconds)."
        case .committed(let step, _, let held): "\(step) held its locks for \(held.formattedMilliseconds)."
        case .cleared(let name): "Dropped \(name), which was left behind."
        case .copying(_, let all): "Copying the tables, \(all.sizeText) …"
        case .copied(let length): "Copied in \(length.formattedMilliseconds). What follows is in the copy."
        case .left(let step, let reason): "Left \(step). \(reason)"
        }
    }
}

extension Duration {
    /// The duration in milliseconds, such as `12 ms`.
    var formattedMilliseconds: String {
        "\(components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000) ms"
    }

    /// The duration in rough units, such as `3 s`, `5 min`, `2 h 10 min`.
    var formattedRoughly: String {
        let seconds = components.seconds
        if seconds < 60 { return "\(seconds) s" }
        if seconds < 3600 { return "\(seconds / 60) min" }
        return "\(seconds / 3600) h \(seconds % 3600 / 60) min"
    }
}

extension String {
    package func padded(to width: Int) -> String {
        count >= width ? self : self + String(repeating: " ", count: width - count)
    }
}
