package import PGStore
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
        lock.entries.flatMap { entry in
            switch entry {
            case .version(let app, let version, let fingerprint, let fixtures):
                plans.first { $0.app == app }.map {
                    problems($0, version, entry.subject, fingerprint: fingerprint, fixtures: fixtures)
                } ?? []
            case .migration(let path, let checksum): problems(path, checksum)
            }
        } + plans.flatMap(lateVersions)
    }

    /// Versions that no line of the lock publishes yet, as places in the plan's `schemas`.
    package func unfrozen(_ plan: Plan) -> [Int] {
        plan.schemas.indices.filter { place in
            let schema = plan.schemas[place]
            return !frozen(plan.app).contains { $0.version == schema.version }
        }
    }

    /// SQL files that no line of the lock publishes yet.
    package var unfrozenMigrations: [MigrationFile] {
        let paths = Set(
            lock.entries.compactMap { entry -> String? in
                guard case .migration(let path, _) = entry else { return nil }
                return path
            })
        return lines.flatMap(\.files).filter { !paths.contains($0.path) }
    }

    private func frozen(_ app: String) -> [(version: Schema.Version, fingerprint: String)] {
        lock.entries.compactMap { entry in
            guard case .version(app, let version, let fingerprint, _) = entry else { return nil }
            return (version, fingerprint)
        }
    }

    private func problems(
        _ plan: Plan, _ version: Schema.Version, _ subject: String, fingerprint: String, fixtures checksum: String
    ) -> [FrozenProblem] {
        guard let place = plan.index(of: version) else { return [.removed(subject)] }
        let folder = fixtures.map { FixtureFolder($0, app: plan.app, version: version) }
        let schema = plan.schemas[place]
        guard schema.fingerprint == fingerprint else {
            return [.edited(subject, folder?.schema.map { $0.changes(in: schema) } ?? [])]
        }
        return folder?.problems(plan, place, checksum: checksum) ?? []
    }

    private func problems(_ path: String, _ checksum: String) -> [FrozenProblem] {
        let name = path.prefix { $0 != "/" }
        guard let line = lines.first(where: { $0.name == name }) else { return [] }
        guard let file = line.files.first(where: { $0.path == path }) else { return [.missingMigration(path)] }
        return file.checksum == checksum ? [] : [.editedMigration(path)]
    }

    /// A version is published after all that it comes after: a device may have gone past it already.
    private func lateVersions(_ plan: Plan) -> [FrozenProblem] {
        guard let newest = frozen(plan.app).map(\.version).max() else { return [] }
        return unfrozen(plan).map { plan.schemas[$0].version }.filter { $0 < newest }.map {
            .late("\(plan.app) \($0)", after: newest)
        }
    }
}
