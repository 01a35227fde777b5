import WireFormats

/// What becomes of the devices' apps.
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

    /// The app's older version, which cannot read what the newer one has stored. It may still have the cursor.
    func downgrade(_ number: Int, using random: inout SplitMix64) {
        let version = devices[number].version
        guard !isWaiting(number), version > 0, version <= plan.newest else { return }
        let older = random.below(version)
        devices[number].goBack(to: older, keepingCursor: random.below(2) == 0)
        if !observers.contains(where: { $0.version == older }) { observers.append(Observer(version: older)) }
    }

    // MARK: Versions that end

    /// The version of a device is retired, and what was written in it is taken on, or not; the device is told so, and
    /// its user updates the app. What it has not sent yet must arrive, now or when the version is restored.
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

    /// Whether all that the version has is told in another that is served: what the server makes of a change without a
    /// stamp is read there.
    private func isReadable(without version: Int) -> Bool {
        plan.hub.entities.indices.allSatisfy { entity in
            plan.projections[version][entity] == nil || servedVersions(with: entity).contains { $0 != version }
        }
    }

    /// Every version may be used again.
    func restoreVersions() async throws {
        try await site.restoreVersions(of: plan.app)
        ended = [:]
    }
}

/// How far a version has ended.
package enum VersionEnd: Sendable {
    /// It can neither pull nor push; what was written in it is taken.
    case retired
    /// Nor is that.
    case closed
}
