import WireFormats

/// A generator of the steps of one run.
struct StepSource {
    let devices: Int
    let faults: Set<Fault>
    /// True if the server starts with an older plan, and is migrated to the present plan during the run.
    let isMigrated: Bool

    /// The number of steps between two checks.
    static let checkInterval = 500
    /// The weights by which the kinds of steps are drawn: each is roughly the number of steps of that kind per
    /// thousand. Edits are most frequent, as in real use.
    private static let weights: [(kind: Step.Kind, weight: Int)] = [
        (.edit, 790), (.push, 45), (.sync, 45), (.pull, 28), (.burst, 6), (.arrive, 25), (.observe, 10),
        (.upgrade, 5), (.reinstall, 2), (.overlap, 12), (.again, 15), (.backup, 8), (.restore, 6), (.wipe, 2),
        (.downgrade, 3),
    ]
    /// The kinds of steps that are rare, because each takes a considerable part of a second. On average one in `rarity`
    /// steps is of that kind, if the simulation has `fault`.
    private static let rarities: [(kind: Step.Kind, fault: Fault, rarity: Int)] = [
        (.collect, .gc, 1500), (.kill, .kill, 2500), (.crash, .database, 5000),
        (.replay, .refusal, 1000), (.renew, .epoch, 1500), (.retire, .retirement, 2500),
        (.move, .databases, 1000),
    ]
    /// The percentage of requests that a network fault affects.
    private static let faultyPercent = 30
    /// The percentage of edits that contain a value that the database refuses.
    private static let refusedPercent = 2
    private static let millisecondsPerStep: Int64 = 3

    func steps(_ count: Int, seed: UInt64) -> [Step] {
        var random = SplitMix64(seed: seed)
        var steps = (0..<count).map { index in
            let time = Int64(index) * StepSource.millisecondsPerStep
            if index % StepSource.checkInterval == StepSource.checkInterval - 1 {
                return Step(.check, seed: random.next(), time: time)
            }
            return step(at: time, using: &random)
        }
        if isMigrated, count > 2 {
            let index = count / 4 + random.below(count / 2)
            steps[index] = Step(.migrate, time: steps[index].time)
        }
        steps.append(Step(.check, seed: random.next(), time: Int64(count) * StepSource.millisecondsPerStep))
        return steps
    }

    private func step(at time: Int64, using random: inout SplitMix64) -> Step {
        let kind = kind(using: &random)
        let device = random.below(devices)
        let possible = Fault.ofRequests.filter { faults.contains($0) }
        var fault: Fault?
        let dice = random.below(100)
        if dice < StepSource.faultyPercent, !possible.isEmpty, [.push, .pull, .sync].contains(kind) {
            fault = possible[random.below(possible.count)]
        } else if dice < StepSource.refusedPercent, kind == .edit, faults.contains(.refusal) {
            fault = .refusal
        }
        return Step(kind, device: device, fault: fault, seed: random.next(), time: time)
    }

    private func kind(using random: inout SplitMix64) -> Step.Kind {
        for (kind, fault, rarity) in StepSource.rarities {
            let isDrawn = random.below(rarity) == 0
            if isDrawn, faults.contains(fault) { return kind }
        }
        var dice = random.below(StepSource.weights.reduce(0) { $0 + $1.weight })
        for (kind, weight) in StepSource.weights {
            dice -= weight
            if dice < 0 { return isOn(kind) ? kind : .edit }
        }
        return .edit
    }

    private func isOn(_ kind: Step.Kind) -> Bool {
        switch kind {
        case .upgrade: faults.contains(.upgrade)
        case .reinstall: faults.contains(.reinstall)
        case .downgrade: faults.contains(.downgrade)
        case .wipe: faults.contains(.wipe)
        case .overlap: faults.contains(.overlap)
        case .again: faults.contains(.again)
        case .backup, .restore: faults.contains(.restore)
        case .arrive: faults.contains(.delay) || faults.contains(.reorder)
        default: true
        }
    }
}
