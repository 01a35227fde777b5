import SyncModel
import WireFormats

/// What becomes of changes.
extension Episode {
    /// Every verdict but `rejected` means that the change is the server's now, and `held` that it will be merged.
    func accept(
        _ changes: [Change], _ answer: PushAnswer, of request: Request, isGiven: Bool
    ) throws {
        judge.beginPush()
        for (change, result) in zip(changes, answer.results) {
            tally.verdicts[result.verdict, default: 0] += 1
            story.answer(change, result.verdict, to: request.device, isGiven: isGiven)
            switch result.verdict {
            case "rejected":
                guard isRejectable(change, result) else {
                    throw Breach("rejected as ‘\(result.code ?? "")’ (\(result.detail ?? "")): \(change)")
                }
            case "held":
                guard isHoldable(change, result, among: changes) else {
                    throw Breach("held as ‘\(result.code ?? "")’ (\(result.detail ?? "")): \(change)")
                }
            case "applied", "merged", "superseded", "unchanged": break
            default: throw Breach("there is no verdict ‘\(result.verdict)’: \(change)")
            }
            guard result.verdict == "rejected" || change.fields[Episode.unknownAttribute] == nil else {
                throw Breach("an attribute that no version has was \(result.verdict): \(change)")
            }
            let isNews = try verdicts.note(result, of: change, counting: counts(change), in: request)
            let stamp = result.stamp ?? change.stamp
            if result.verdict == "held" {
                let readings = try judge.readings(
                    of: change, at: stamp, of: request.sender, isWhole: request.isWhole,
                    isHeld: readings.isHeld(change, of: request, numbers: numbersBefore, plan))
                quarantined.take(change, at: stamp, of: request, readings)
            } else if isNews {
                try judge.take(
                    change, at: change.isStamped ? stamp : try stampGiven(to: change), of: request.sender,
                    isWhole: request.isWhole,
                    isHeld: readings.isHeld(change, of: request, numbers: numbersBefore, plan))
            }
        }
    }

    /// Whether a change says something of what some version counts.
    func counts(_ change: Change) -> Bool {
        if !change.increments.isEmpty { return true }
        let fields = vocabulary(change.version).entity(change.key.entity)?.fields ?? []
        return fields.contains { $0.counts.somewhere && change.fields[$0.name] != nil }
    }

    private func isRejectable(_ change: Change, _ result: PushAnswer.Result) -> Bool {
        switch result.code {
        case "unique": true
        case "denied", "mass-deletion": change.operation == .delete
        case "unknown-id": saysKeys(change)
        case "unknown-attribute": change.fields[Episode.unknownAttribute] != nil
        default: false
        }
    }

    /// Whether a change of a version in which ids are UUIDs calls a record by the key of a text, which the server may
    /// not know yet. No device says one that it was not told; but the simulation's may.
    func saysKeys(_ change: Change) -> Bool {
        guard let entity = vocabulary(change.version).entity(change.key.entity) else { return false }
        if entity.texts == nil, names.isMade(change.key.id) { return true }
        return entity.fields.contains { field in
            guard field.texts == nil, case .uuid(let key)? = change.fields[field.name] else { return false }
            return names.isMade(key)
        }
    }

    /// What the server made of a change without a stamp, the last that it took of its record: later than all that the
    /// record has, so it is the stamp that the record is told with, in every version that has it.
    private func stampGiven(to change: Change) throws -> Stamp {
        let entity = plan.projection(version: change.version, named: change.key.entity)?.entity
        let version = entity.flatMap { entity in
            isServed(change.version) ? change.version : servedVersions(with: entity).last
        }
        guard let version else { throw Breach("no version is served that has what was taken: \(change)") }
        let before = numberReaders[version]?.numbers[change.key.id]
        try read(&numberReaders[version, default: NumberReader()], in: version)
        if numberReaders[version]?.numbers[change.key.id] == before {
            // It was no news: of a dead record, the stamp alone is none.
            var reader = NumberReader()
            try read(&reader, in: version)
            numberReaders[version] = reader
        }
        guard let stamp = numberReaders[version]?.stamps[change.key.id] else {
            throw Breach("nobody is told of what was taken: \(change)")
        }
        return stamp
    }

    /// The versions that have the entity, and in which the server answers.
    ///
    /// - Parameter entity: its place in `Plan.hub`.
    func servedVersions(with entity: Int) -> [Int] {
        plan.shapes.indices.filter { isServed($0) && plan.projections[$0][entity] != nil }
    }
}
