/// The contents that a space may have, one model for each possibility. Not everything is known about the requests: for
/// instance, whether a device held a record (had its current state) when it repeated the record's values. Then both
/// possibilities are followed until a read shows the outcome.
///
/// Nearly always there is only one model, because both possibilities have the same outcome.
package struct SpaceModels: Sendable {
    /// The models of all possibilities: at least one, and no two of them equal.
    package private(set) var all: [SpaceModel]
    /// True if there were more possibilities than are followed, so that perhaps none of the models is right.
    package private(set) var hasLostSome = false

    /// The maximum number of models. Each uncertainty may double the number. Above the maximum, a device for which this
    /// is unknown is assumed not to hold the record (to have its current state).
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

    /// Returns which values a quarantined change only repeats, instead of editing them: a set with each possible
    /// answer.
    ///
    /// - Parameter isHeld: true if the change's device held the record (had its current state); `nil` if that is
    ///   unknown.
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

    /// Applies a change that the server has now merged from its quarantine, to all models.
    ///
    /// - Parameter readings: the possible sets of values that the change only repeated when it was quarantined.
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

    /// Lets all models continue as a server that knows the whole plan. Models that differed before may be equal
    /// afterwards; then one of them is kept.
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
    /// - Returns: true if it is true for some model. Otherwise all models stay, so that the caller can report the
    ///   difference.
    package mutating func keep(_ isSo: (SpaceModel) -> Bool) -> Bool {
        let kept = all.filter(isSo)
        if !kept.isEmpty { all = kept }
        return !kept.isEmpty
    }
}
