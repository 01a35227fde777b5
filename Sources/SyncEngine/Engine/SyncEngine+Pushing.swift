import PlantedBugs
package import StrictJSON
package import WireFormats

/// Reading changes before a `Push`, and answering the request after it.
extension SyncEngine {
    /// The result of a push.
    package struct PushResult: Sendable {
        /// The verdicts, by index in the request.
        package let verdicts: [Verdict]
        /// The stamps that replaced stamps too far ahead of the server's clock, by index of the change in the request.
        package let stamps: [Int: Stamp]
        package let cursor: Cursor
        package let head: Int64
    }

    /// Merges `changes` (an array of change objects) into the caller's space, in one transaction.
    ///
    /// - Throws: as `push(_:texts:cursor:isMassDeletion:as:)`.
    package func push(
        _ changes: JSONNode, cursor: Cursor?, isMassDeletion: Bool = false, as caller: Caller
    ) async throws -> PushResult {
        try await push(
            read(changes, as: caller), cursor: cursor, isMassDeletion: isMassDeletion, as: caller
        ) { indices in
            let nodes = changes.elements.map(Array.init) ?? []
            return Dictionary(uniqueKeysWithValues: indices.map { ($0, Array(nodes[$0].canonicalText().utf8)) })
        }
    }

    /// The result of reading an array of changes. Keeps no reference to the document, which is many times as large.
    package struct ReadChanges: Sendable {
        /// The rejections of changes that are known from parsing the request alone, by index in the request. A change
        /// that is to be merged has none.
        fileprivate var rejections: [Int: Rejection] = [:]
        fileprivate var accepted: [(index: Int, change: Change, stamp: Stamp)] = []
        package fileprivate(set) var count = 0

        fileprivate init(count: Int) {
            self.count = count
        }

        /// Rejects every change of a caller that may only read. Each change gets its own rejection, so that the app can
        /// report which changes were refused.
        fileprivate init(refusing count: Int) {
            self.count = count
            let refusal = Rejection(code: .readOnly, detail: "You may read the space, and not change it.")
            for index in 0..<count { rejections[index] = refusal }
        }
    }

    /// Reads each change against the version that it was written in.
    ///
    /// - Parameter unreadable: the errors of changes that are not JSON, by index in the request.
    /// - Throws: `SyncError.malformed`, `SyncError.tooManyChanges`, `SyncError.unknownVersion`,
    ///   `SyncError.ambiguousVersion`, `SyncError.outboxClosed`.
    package func read(
        _ changes: JSONNode, unreadable: [Int: JSONError] = [:], as caller: Caller
    ) throws -> ReadChanges {
        guard let elements = changes.elements else { throw SyncError.malformed("‘changes’ must be an array.") }
        guard elements.count <= SyncEngine.changesMax else {
            throw SyncError.tooManyChanges(count: elements.count, max: SyncEngine.changesMax)
        }
        if !caller.mayWrite { return ReadChanges(refusing: elements.count) }
        let reader = ChangeReader(
            plan: plan, version: caller.version, mode: caller.mode, hasDevice: caller.device != nil,
            statesFingerprint: caller.statesFingerprint)
        var read = ReadChanges(count: elements.count)
        read.accepted.reserveCapacity(elements.count)
        var writtenIn: Set<Int> = []
        var unknown: (index: Int, name: ShapeName)?
        var mistaken: (index: Int, version: Int)?
        for (index, element) in elements.enumerated() {
            if !unreadable.isEmpty, let fault = unreadable[index] {
                read.rejections[index] = Rejection(
                    code: .malformedChange, detail: "The change cannot be read. \(fault)")
                continue
            }
            switch reader.read(element) {
            case .failure(let rejection):
                read.rejections[index] = rejection
                if unknown == nil { unknown = reader.versionUnknown(in: element).map { (index, $0) } }
                if mistaken == nil { mistaken = reader.versionMistaken(in: element).map { (index, $0) } }
            case .success(let change):
                if PlantedBug.oldOutboxDropped.isPlanted,
                    lifecycles.state(of: change.projection.version, at: clock.time).hasEnded
                {
                    continue
                }
                read.accepted.append((index, change, change.stamp ?? clock.next()))
                if !change.isInRequestVersion { writtenIn.insert(change.projection.version) }
            }
        }
        // Noted even if the push fails, because the device still has changes in these versions.
        for shape in writtenIn {
            census?.note(shape, by: caller.device, of: caller.subject, outboxAge: nil, at: clock.time)
        }
        for shape in writtenIn where lifecycles.state(of: shape, at: clock.time) == .closed {
            let changes = read.accepted.filter {
                !$0.change.isInRequestVersion && $0.change.projection.version == shape
            }
            throw SyncError.outboxClosed(changes: changes.map(\.index), version: names[shape])
        }
        // The whole push is refused, because a rejection of one change is final: the client would drop the user's edit.
        if let unknown {
            throw SyncError.unknownVersion(
                index: unknown.index, absence: plan.absence(of: unknown.name),
                known: plan.schemas.map(\.version.description))
        }
        if let mistaken {
            throw SyncError.ambiguousVersion(
                index: mistaken.index, version: names[mistaken.version], known: statedNames(of: mistaken.version))
        }
        return read
    }

    /// Returns the names of all shapes (sets of entities and attributes) that were shipped under one version number,
    /// each with its fingerprint.
    ///
    /// - Parameter version: the version, as an index in `plan.shapes`.
    private func statedNames(of version: Int) -> [String] {
        plan.shapes.indices.filter { plan.version(of: $0) == version }.map { shape in
            "\(plan.shapes[shape].version);fp=\(plan.shapes[shape].fingerprint)"
        }
    }

    /// Merges changes into the caller's space, in one transaction.
    ///
    /// - Parameters:
    ///   - isMassDeletion: true if the device states that its deletions are intended, however many they are.
    ///   - texts: returns the JSON bytes of the changes at some indices in the request, by index. It is called for
    ///     changes that must be put into quarantine.
    /// - Throws: `SyncError`, `PGError`. Either every change has its verdict and all is committed, or nothing was
    ///   stored.
    package func push(
        _ changes: ReadChanges, cursor: Cursor?, isMassDeletion: Bool = false, as caller: Caller,
        texts: ([Int]) -> [Int: [UInt8]]
    ) async throws -> PushResult {
        let push = Push(
            space: caller.space, revocations: caller.revocations, device: caller.device, mode: caller.mode,
            repeatsNothing: caller.repeatsNothing,
            count: changes.count, changes: changes.accepted, latestAccepted: clock.latestAccepted,
            clampedTo: clock.next(), cursor: cursor,
            reading: cursor.map { cursors.reading(of: $0, caller) } ?? .nothing,
            massDeletions: isMassDeletion ? nil : massDeletions, quarantine: PushQuarantine(plan, mode: caller.mode))
        let outcome = try await database(of: caller.space).pushes.run(push, texts: texts)
        var verdicts = outcome.verdicts.enumerated().map { index, verdict in
            verdict ?? changes.rejections[index].map { .rejected($0) } ?? .unchanged
        }
        if plan.hub.hasTextIDs { verdicts = try await naming(verdicts, for: caller) }
        return PushResult(
            verdicts: verdicts, stamps: outcome.stamps, cursor: cursors.advanced(cursor, by: outcome, caller),
            head: outcome.head)
    }
}
