import StrictJSON
package import SyncEngine
package import WireFormats

/// Imports records into a space by pushing them, so that they merge with the records in the space. A second import
/// changes nothing, and later edits and deletions in the space win.
package struct SpaceImport: Sendable {
    private let plan: Plan
    /// The engine that writes the records; `nil` for a trial that writes nothing.
    private let engine: SyncEngine?
    private let space: ID

    /// The largest number of changes in one push of an import. It is small enough that other pushes into the space wait
    /// only briefly.
    private static let batchChangesMax = 1_000
    /// The largest size of one push of an import, in bytes. A push with only one record may be larger.
    private static let batchSizeMaxBytes = 4 << 20

    package init(engine: SyncEngine, space: ID) {
        plan = engine.plan
        self.engine = engine
        self.space = space
    }

    /// Makes a trial import that writes nothing. Its report lists the records that a real import would refuse, and
    /// counts all others as imported.
    package init(tryingOut plan: Plan) {
        self.plan = plan
        engine = nil
        space = ID(high: 0, low: 0)
    }

    /// Imports the records in batches.
    ///
    /// - Parameters:
    ///   - version: the version of the changes that do not name a version themselves, as an index in the plan's
    ///     `schemas`.
    ///   - progress: called after each batch with the number of records processed so far.
    /// - Throws: `SyncError`, `PGError`. The batches that were pushed before the error stay imported, and the import
    ///   can be run again.
    package func run(
        _ items: [ImportItem], version: Int, progress: (Int) -> Void = { _ in }
    ) async throws -> ImportReport {
        var report = ImportReport()
        var belongings = ImportBelongings(items, version: version, plan)
        var done = 0
        // Records that belong to others come after them, and are left out if those are refused.
        for indices in belongings.levels {
            var rest: [Int] = []
            for index in indices {
                guard let refused = belongings.refusedParent(of: index) else {
                    rest.append(index)
                    continue
                }
                belongings.refuse(index)
                let reason = "It belongs to \(refused), which was refused, and stays out with it."
                report.faults.append(ImportFault(position: items[index].position, reason: reason))
                done += 1
            }
            while !rest.isEmpty {
                let batch = SpaceImport.batch(of: rest.lazy.map { items[$0] })
                let changes = try JSONDocument(parsing: SpaceImport.array(of: batch)).root
                var verdicts = try await verdicts(changes, version)[...]
                for (index, item) in zip(rest, batch) {
                    let isTaken = report.count(verdicts.prefix(item.changes.count), at: item.position)
                    if !isTaken { belongings.refuse(index) }
                    verdicts.removeFirst(item.changes.count)
                }
                rest.removeFirst(batch.count)
                done += batch.count
                progress(done)
            }
        }
        report.faults.sort { $0.position < $1.position }
        return report
    }

    private func verdicts(_ changes: JSONNode, _ version: Int) async throws -> [Verdict] {
        if let engine {
            let caller = SyncEngine.Caller(space: space, version: version, device: nil, mode: .imported)
            return try await engine.push(changes, cursor: nil, as: caller).verdicts
        }
        return ChangeReader.verdicts(ofImported: changes, in: version, of: plan)
    }

    private static func batch(of items: some Collection<ImportItem>) -> [ImportItem] {
        var (size, changes, count) = (0, 0, 0)
        for item in items {
            size += item.changes.reduce(0) { $0 + $1.count }
            changes += item.changes.count
            if count > 0, size > batchSizeMaxBytes || changes > batchChangesMax { break }
            count += 1
        }
        return Array(items.prefix(count))
    }

    private static func array(of items: [ImportItem]) -> [UInt8] {
        var bytes = [UInt8(ascii: "[")]
        for (index, change) in items.flatMap(\.changes).enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes += change
        }
        bytes.append(UInt8(ascii: "]"))
        return bytes
    }
}
