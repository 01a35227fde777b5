import WireFormats

/// Updates, downgrades and retirements of the devices' apps.
extension Episode {
    func upgrade(_ number: Int, using random: inout SplitMix64) {
        let version = devices[number].version
        guard !isWaiting(number), version < plan.newest else { return }
        let newer = version + 1 + random.below(plan.newest - version)
        let migrates = random.below(2) == 0
        let migration = LightweightMigration<Value>(plan, content: { $0 }, isNull: \.isNull)
        devices[number].update(to: vocabulary(newer), migrating: migrates ? migration : nil)
        if !observers.contains(where: { $0.version == newer }) { observers.append(Observer(version: newer)) }
    }

    /// Replaces a device's app by an older version, which cannot read the newer version's store. The device may keep
    /// its cursor all the same.
    func downgrade(_ number: Int, using random: inout SplitMix64) {
        let version = devices[number].version
        guard !isWaiting(number), version > 0, version <= plan.newest else { return }
        let older = random.below(version)
        devices[number].goBack(to: older, keepingCursor: random.below(2) == 0)
        if !observers.contains(where: { $0.version == older }) { observers.append(Observer(version: older)) }
    }

    // MARK: Versions that end

    /// Retires the version of a device's app.
    ///
    /// The server then refuses requests of that version. It may also refuse changes that were written in it, even if an
    /// updated app sends them. The device's next request is refused, and its user updates the app. The device's unsent
    /// changes must reach the server at the latest when the version is restored.
    func retire(_ number: Int, using random: inout SplitMix64) async throws {
        let version = devices[number].version
        guard !isWaiting(number), !site.isHeldBack, version < plan.newest, ended[version] == nil,
            plan.shapes.indices.count(where: { plan.version(of: $0) == plan.version(of: version) }) == 1,
            isReadable(without: version)
        else { return }
        let end: VersionEnd = random.below(3) == 0 ? .closed : .retired
        try await site.endVersion("\(plan.shapes[version].version)", of: plan.app, end)
        ended[version] = end
        let request = self.request(.sync, of: number, using: &random)
        try learn(try exchange(request), request, isGiven: true)
        upgrade(number, using: &random)
    }

    /// Returns true if the simulation can do without this version: every entity of the version is also in another
    /// version that the server serves.
    ///
    /// Otherwise the simulation could not read the stamps that the server gives to changes without one.
    private func isReadable(without version: Int) -> Bool {
        plan.hub.entities.indices.allSatisfy { entity in
            plan.projections[version][entity] == nil || servedVersions(with: entity).contains { $0 != version }
        }
    }

    /// Restores all retired versions, so that the server serves them again.
    func restoreVersions() async throws {
        try await site.restoreVersions(of: plan.app)
        ended = [:]
    }
}

/// The extent to which the server refuses a retired version.
package enum VersionEnd: Sendable {
    /// Requests of the version are refused; changes that were written in it, and that an updated app sends, are
    /// accepted.
    case retired
    /// Requests of the version are refused, and so are changes that were written in it and that an updated app sends.
    case closed
}
