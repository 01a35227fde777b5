import StrictJSON
package import SyncEngine
package import WireFormats

/// Imports records into a space like a push, so that they merge with what is there: importing twice changes nothing,
/// and later edits and deletions in the space win.
package struct SpaceImport: Sendable {
    private let plan: Plan
    /// The engine; `nil` for a trial that writes nothing.
    private let engine: SyncEngine?
    private let space: ID

    /// The most changes in a batch: few enough that devices which push to the space meanwhile hardly notice.
    private static let batchChangesMax = 1_000
    /// The largest size of a batch, in bytes. A single record may exceed it.
    private static let batchSizeMaxBytes = 4 << 20

    package init(engine: SyncEngine, space: ID) {
        plan = engine.plan
        self.engine = engine
        self.space = space
    }

    /// Makes an import that only reads: its report lists the records that would be refused, and counts the rest as
    /// imported.
    package init(tryingOut plan: Plan) {
        self.plan = plan
        engine = nil
        space = ID(high: 0, low: 0)
    }

    /// - Parameters:
    ///   - version: the index in the plan's `schemas` of the changes' version, for changes that name none.
    ///   - progress: called after each batch with the number of records that are done.
    /// - Throws: `SyncError`, `PGError`. Changes that were made before stay, and importing them again does no harm.
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
