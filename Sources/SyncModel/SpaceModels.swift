/// The possible contents of a space, with one model for each possibility.
///
/// There are several if requests do not show everything. For instance, a device sends a value back, and it is unknown
/// whether it had the record's current state. Then both possibilities are followed until the server's answer to a pull
/// shows which is true.
///
/// Nearly always there is only one model, because both possibilities have the same result.
package struct SpaceModels: Sendable {
    /// The models, one for each possible content of the space. There is at least one, and no two are equal.
    package private(set) var all: [SpaceModel]
    /// True if some possible contents are not among the models, because there were too many. Then perhaps none of the
    /// models is right.
    package private(set) var hasLostSome = false

    /// The maximum number of models. Each uncertainty may double their number.
    ///
    /// At the maximum, uncertainties are no longer followed: a device that may have had a record's current state is
    /// treated as if it had not.
    private static let countMax = 1024

    package init(_ model: SpaceModel) {
        all = [model]
    }

    /// True if there is only one model, so that the content of the space is certain.
    package var isCertain: Bool { all.count == 1 }

    package mutating func beginPush() {
        var possible: [SpaceModel] = []
        for var model in all {
            model.beginPush()
            if !possible.contains(where: { $0.holdsTheSame(as: model) }) { possible.append(model) }
        }
        all = possible
    }

    /// Applies a change that the server accepted to all models.
    ///
    /// - Parameter isHeld: true if the change's device held the record (had its current state); `nil` if that is
    ///   unknown.
    package mutating func take(_ change: ModelChange, isHeld: Bool?) {
        var change = change
        var isHeld = isHeld
        let key = ModelKey(entity: change.entity, id: change.id)
        // A device that began to read after a deletion does not receive the deletion, and knows that there is no
        // record.
        if isHeld == false, change.operation == .create, all[0].livenessBefore(of: key, in: change.version) == .dead {
            isHeld = nil
        }
        if isHeld == nil, all.count >= SpaceModels.countMax { hasLostSome = true }
        guard isHeld == nil, all.count < SpaceModels.countMax else {
            change.isHeld = isHeld ?? false
            for index in all.indices { all[index].take(change) }
            return
        }
        var possible: [SpaceModel] = []
        for model in all {
            for isHeld in [false, true] {
                var next = model
                change.isHeld = isHeld
                next.take(change)
                if !possible.contains(where: { $0.holdsTheSame(as: next) }) { possible.append(next) }
            }
        }
        all = possible
    }

    /// Finds the values in a quarantined change that the device did not edit, but sent back as it had read them.
    ///
    /// - Parameter isHeld: true if the device had the record's current state; `nil` if that is unknown.
    /// - Returns: the possible results. There are several if the models differ, or if `isHeld` is `nil`.
    package mutating func readings(of change: ModelChange, isHeld: Bool?) -> Set<ModelReading> {
        var change = change
        let isDoubted = isHeld == nil && all.count < SpaceModels.countMax
        if isHeld == nil, !isDoubted { hasLostSome = true }
        var found: Set<ModelReading> = []
        var possible: [SpaceModel] = []
        // Each possibility by itself: the registers that count as edited are remembered, and affect the rest of the
        // push.
        for model in all {
            for isHeld in isDoubted ? [false, true] : [isHeld ?? false] {
                var next = model
                change.isHeld = isHeld
                found.insert(next.reading(of: change))
                if !possible.contains(where: { $0.holdsTheSame(as: next) }) { possible.append(next) }
            }
        }
        all = possible
        return found
    }

    /// Applies a change to all models after the server has merged it from its quarantine.
    ///
    /// - Parameter readings: the possible sets of values that the device sent back unedited. `readings(of:isHeld:)`
    ///   found them when the change was quarantined.
    package mutating func replay(_ change: ModelChange, _ readings: Set<ModelReading>) {
        var change = change
        var possible: [SpaceModel] = []
        for model in all {
            for reading in readings {
                guard possible.count < SpaceModels.countMax else {
                    hasLostSome = true
                    break
                }
                var next = model
                change.reading = reading
                next.take(change)
                if !possible.contains(where: { $0.holdsTheSame(as: next) }) { possible.append(next) }
            }
        }
        all = possible
    }

    /// Migrates all models to the newest version of the plan, as a server does. Models that differed before may be
    /// equal afterwards; then one of them is kept.
    package mutating func migrate() {
        var migrated: [SpaceModel] = []
        for var model in all {
            model.migrate()
            if !migrated.contains(where: { $0.holdsTheSame(as: model) }) { migrated.append(model) }
        }
        all = migrated
    }

    package mutating func forgetDead() {
        for index in all.indices { all[index].forgetDead() }
    }

    /// Removes the models for which the predicate is false.
    ///
    /// - Returns: false if the predicate is false for all models. Then all models stay, so that the caller can report
    ///   the differences.
    package mutating func keep(_ isSo: (SpaceModel) -> Bool) -> Bool {
        let kept = all.filter(isSo)
        if !kept.isEmpty { all = kept }
        return !kept.isEmpty
    }
}
