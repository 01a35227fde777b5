import PGStore
import Postgres
import WireFormats

/// The names of records in answers, as the device knows them.
extension SyncEngine {
    /// Returns the verdicts with record ids as the caller's device knows them. If the ids of an entity are texts in the
    /// caller's version, these texts replace the keys of its records in rejections.
    func naming(_ verdicts: [Verdict], for caller: Caller) async throws -> [Verdict] {
        let keys = verdicts.reduce(into: Set<ID>()) { keys, verdict in
            if case .rejected(let rejection) = verdict { keys.formUnion(rejection.madeKeys) }
        }
        if keys.isEmpty { return verdicts }
        let texts = try await texts(of: keys, for: caller)
        return verdicts.map { verdict in
            guard case .rejected(let rejection) = verdict else { return verdict }
            return .rejected(rejection.naming(texts.filter { rejection.madeKeys.contains($0.key) }))
        }
    }

    private func texts(of keys: Set<ID>, for caller: Caller) async throws -> [ID: String] {
        let command = NameTable(app: plan.app).reading(keys, in: caller.space)
        let names = try await database(of: caller.space).transactions.run(.snapshot, in: caller.space) { session in
            NameTable.Name.all(try session.execute(command))
        }
        var texts: [ID: String] = [:]
        for name in names {
            let entity = plan.hub.entities.first { $0.table == name.table }
            // In a version whose ids are UUIDs, the key is the id.
            let projection = entity.flatMap { plan.projections[caller.version][$0.index] }
            if projection?.identityType != .uuid { texts[name.key] = name.text }
        }
        return texts
    }
}
