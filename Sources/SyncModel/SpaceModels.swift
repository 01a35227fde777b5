/// What a space may hold, where not all is known of the requests that reached it: whether a device held a record when
/// it repeated what the record said. Both is taken for possible then, until somebody has read what came of it.
///
/// Nearly always there is one model, because nearly always it makes no difference.
package struct SpaceModels: Sendable {
    /// At least one, no two of them equal.
    package private(set) var all: [SpaceModel]
    /// Whether there were more doubts than are followed, so that what is true may be none of them.
    package private(set) var hasLostSome = false

    /// Each doubt doubles them. Beyond this a device is taken not to hold what it may hold.
    private static let countMax = 1024

    package init(_ model: SpaceModel) {
        all = [model]
    }

    /// What holds in all of them.
    package var isCertain: Bool { all.count == 1 }

    package mutating func beginPush() {
        var possible: [SpaceModel] = []
        for var model in all {
            model.beginPush()
            if !possible.contains(where: { $0.holdsTheSame(as: model) }) { possible.append(model) }
        }
        all = possible
    }

    /// - Parameter isHeld: whether its device held the record; `nil` where nobody knows.
    package mutating func take(_ change: ModelChange, isHeld: Bool?) {
        var change = change
        var isHeld = isHeld
        let key = ModelKey(entity: change.entity, id: change.id)
        // Who began to read after a deletion is not told of it, and knows that nothing is there.
        if isHeld == false, change.operation == .create, all[0].lifeBefore(of: key, in: change.version) == .dead {
            isHeld = nil
        }
        if isHeld == nil, all.count >= SpaceModels.countMax { hasLostSome = true }
        guard isHeld == nil, all.count < SpaceModels.countMax else {
            change.isHeld = isHeld ?? false
            for place in all.indices { all[place].take(change) }
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

    /// Tells what a change that the server holds only repeats: whatever that may be.
    ///
    /// - Parameter isHeld: whether its device held the record; `nil` where nobody knows.
    package mutating func readings(of change: ModelChange, isHeld: Bool?) -> Set<ModelReading> {
        var change = change
        let isDoubted = isHeld == nil && all.count < SpaceModels.countMax
        if isHeld == nil, !isDoubted { hasLostSome = true }
        var found: Set<ModelReading> = []
        var possible: [SpaceModel] = []
        // Each by itself: what is taken for an edit is remembered, and the rest of the push is read in its light.
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

    /// Takes a change that was held.
    ///
    /// - Parameter readings: what it may only have repeated then.
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

    /// The same as of one model. Some that differed may no longer.
    package mutating func migrate() {
        var migrated: [SpaceModel] = []
        for var model in all {
            model.migrate()
            if !migrated.contains(where: { $0.holdsTheSame(as: model) }) { migrated.append(model) }
        }
        all = migrated
    }

    package mutating func forgetDead() {
        for place in all.indices { all[place].forgetDead() }
    }

    /// Leaves those out that are not so.
    ///
    /// - Returns: whether any is. Where none is, all stay, for whoever tells the difference.
    package mutating func keep(_ isSo: (SpaceModel) -> Bool) -> Bool {
        let kept = all.filter(isSo)
        if !kept.isEmpty { all = kept }
        return !kept.isEmpty
    }
}
