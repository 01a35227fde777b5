import SyncModel
import WireFormats

/// What the server forgets for its age.
extension Episode {
    /// Deletions are collected, and those who are not without a network read on from where they were, perhaps too
    /// late. The others come with edits of records that nobody knows any more, and with changes that nobody remembers
    /// to have judged. New edits are made of what lives: a ring of records that died together stays, say the rules,
    /// and the model forgets it.
    func collect(using random: inout SplitMix64) async throws {
        if site.isHeldBack { return }
        // Some are without a network meanwhile, and some requests arrive only when all is forgotten.
        let offline = Set(devices.indices.filter { _ in random.below(4) == 0 })
        held = held.filter { _ in random.below(2) == 0 }
        try await replayQuarantine()
        for number in devices.indices where !offline.contains(number) {
            try await settleAll(number, using: &random, pulling: false)
        }
        try await site.collect(app: plan.app, space: route.space)
        judge.forgetDead()
        verdicts.forget()
        received = []
        numberReaders = [:]
        hasCollected = true
        for number in devices.indices where !offline.contains(number) {
            try await settleAll(number, using: &random, pulling: true)
        }
        for place in observers.indices { observers[place] = Observer(version: observers[place].version) }
        let living = try read(Observer(version: plan.newest), using: &random).store
        let names = Dictionary(
            uniqueKeysWithValues: vocabulary(plan.newest).entities.map { ($0.identity, $0.name) })
        for (identity, ids) in pool {
            guard let name = names[identity] else {
                pool[identity] = []
                continue
            }
            pool[identity] = ids.filter { living[ModelKey(entity: name, id: $0)] != nil }
        }
        try await beginToRefuse()
    }
}
