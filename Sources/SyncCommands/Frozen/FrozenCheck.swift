package import PGMigrations
package import WireFormats

/// Compares what is published (promise P6) with the plans, the SQL files and the fixtures that are here now.
package struct FrozenCheck {
    let lock: SchemaLock
    let plans: [Plan]
    let lines: [MigrationLine]
    /// The folder of all fixtures; `nil` where there is none, as beside a server that is installed without sources.
    let fixtures: String?

    package init(lock: SchemaLock, plans: [Plan], lines: [MigrationLine], fixtures: String?) {
        self.lock = lock
        self.plans = plans
        self.lines = lines
        self.fixtures = fixtures
    }

    /// Everything in which what is published has changed. Of apps and lines that are not here, nothing is said.
    package func problems() -> [FrozenProblem] {
        lock.entries.indices.flatMap { line in
            switch lock.entries[line] {
            case .version(let app, _, _, _):
                plans.first { $0.app == app }.map { problems($0, line) } ?? []
            case .migration(let path, let checksum): problems(path, checksum)
            }
        } + plans.flatMap(lateVersions)
    }

    /// Shapes that no line of the lock publishes yet, as places in the plan's `shapes`, in the order in which they are
    /// to be published.
    package func unfrozen(_ plan: Plan) -> [Int] {
        let frozen = frozen(plan.app)
        return plan.growth.filter { place in
            let shape = plan.shapes[place]
            return !frozen.contains { $0.version == shape.version && $0.fingerprint == shape.fingerprint }
        }
    }

    /// SQL files that no line of the lock publishes yet, as they are now.
    package var unfrozenMigrations: [MigrationFile] {
        lines.filter { !$0.isOfLibrary }.flatMap(\.files).filter {
            !lock.entries.contains(.migration(path: $0.path, checksum: $0.checksum))
        }
    }

    private func frozen(_ app: String) -> [(version: Schema.Version, fingerprint: String)] {
        lock.entries.compactMap { entry in
            guard case .version(app, let version, let fingerprint, _) = entry else { return nil }
            return (version, fingerprint)
        }
    }

    private func problems(_ plan: Plan, _ line: Int) -> [FrozenProblem] {
        guard case .version(_, let version, let fingerprint, let checksum) = lock.entries[line] else { return [] }
        let subject = lock.entries[line].subject
        let folder = fixtures.map {
            FixtureFolder(
                $0, app: plan.app, version: version,
                fingerprint: lock.isFirst(line) ? nil : fingerprint)
        }
        let place = plan.shapes.firstIndex { $0.version == version && $0.fingerprint == fingerprint }
        guard let place else {
            let edited = unfrozen(plan).map { plan.shapes[$0] }.first { $0.version == version }
            return [
                edited.map { shape in
                    .edited(subject, folder?.schema.map { $0.changes(in: shape) } ?? [])
                } ?? .removed(subject)
            ]
        }
        return order(plan, place, line) + (folder?.problems(plan, place, checksum: checksum) ?? [])
    }

    /// The tables grow in the order of publication: a shape that is put elsewhere moves the columns of stored rows.
    private func order(_ plan: Plan, _ place: Int, _ line: Int) -> [FrozenProblem] {
        let published = lock.entries[..<line].compactMap { entry -> Int? in
            guard case .version(plan.app, let version, let fingerprint, _) = entry else { return nil }
            return plan.shapes.firstIndex { $0.version == version && $0.fingerprint == fingerprint }
        }
        let growth = plan.growth
        guard let rank = growth.firstIndex(of: place),
            published.contains(where: { other in growth.firstIndex(of: other).map { $0 > rank } ?? false })
        else { return [] }
        return [.reordered(lock.entries[line].subject)]
    }

    private func problems(_ path: String, _ checksum: String) -> [FrozenProblem] {
        let name = path.prefix { $0 != "/" }
        guard let line = lines.first(where: { $0.name == name }) else { return [] }
        guard let file = line.files.first(where: { $0.path == path }) else { return [.missingMigration(path)] }
        return file.checksum == checksum || file.accepted.contains(checksum) ? [] : [.editedMigration(path)]
    }

    /// A version is published after all that it comes after: a device may have gone past it already.
    private func lateVersions(_ plan: Plan) -> [FrozenProblem] {
        let frozen = Set(frozen(plan.app).map(\.version))
        guard let newest = frozen.max() else { return [] }
        return plan.schemas.map(\.version).filter { $0 < newest && !frozen.contains($0) }.map {
            .late("\(plan.app) \($0)", after: newest)
        }
    }
}
