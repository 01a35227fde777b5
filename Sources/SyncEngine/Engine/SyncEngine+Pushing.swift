import PlantedBugs
package import WireFormats

/// What changes go through before and after `Push`.
extension SyncEngine {
    /// What became of a push.
    package struct PushResult: Sendable {
        /// By place in the request.
        package let verdicts: [Verdict]
        /// What counts instead of stamps that were too far ahead, by place in the request.
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
        ) { places in
            let nodes = changes.elements.map(Array.init) ?? []
            return Dictionary(uniqueKeysWithValues: places.map { ($0, Array(nodes[$0].canonicalText().utf8)) })
        }
    }

    /// What of an array of changes could be read. It holds nothing of the document, which is many times as large.
    package struct ReadChanges: Sendable {
        /// By place in the request; those to be merged have none yet.
        fileprivate var rejections: [Int: Rejection] = [:]
        fileprivate var accepted: [(index: Int, change: Change, stamp: Stamp)] = []
        package fileprivate(set) var count = 0

        fileprivate init(count: Int) {
            self.count = count
        }

        /// Nothing of what a reader sends: each change is told so, and the app can say which.
        fileprivate init(refusing count: Int) {
            self.count = count
            let refusal = Rejection(code: .readOnly, detail: "You may read the space, and not change it.")
            for place in 0..<count { rejections[place] = refusal }
        }
    }

    /// Reads each change against the version that it was written in.
    ///
    /// - Parameter unreadable: what is wrong with changes that are no JSON, by place in the request.
    /// - Throws: `SyncError.malformed`, `SyncError.tooManyChanges`, `SyncError.unknownVersion`,
    ///   `SyncError.ambiguousVersion`.
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
                    lives.state(of: change.projection.version, at: clock.time).hasEnded
                {
                    continue
                }
                read.accepted.append((index, change, change.stamp ?? clock.next()))
                if !change.isInRequestVersion { writtenIn.insert(change.projection.version) }
            }
        }
        // Whatever becomes of the push, the device still has changes in these.
        for shape in writtenIn {
            census?.note(shape, by: caller.device, of: caller.subject, outboxAge: nil, at: clock.time)
        }
        for shape in writtenIn where lives.state(of: shape, at: clock.time) == .closed {
            let changes = read.accepted.filter {
                !$0.change.isInRequestVersion && $0.change.projection.version == shape
            }
            throw SyncError.outboxClosed(changes: changes.map(\.index), version: names[shape])
        }
        // A rejection is final, and the client would drop what its user did.
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

    /// The shapes that have a version's number, each as its clients state it beyond doubt.
    private func statedNames(of version: Int) -> [String] {
        plan.shapes.indices.filter { plan.version(of: $0) == version }.map { place in
            "\(plan.shapes[place].version);fp=\(plan.shapes[place].fingerprint)"
        }
    }

    /// Merges changes into the caller's space, in one transaction.
    ///
    /// - Parameters:
    ///   - isMassDeletion: whether the device says that it means to delete however much it deletes.
    ///   - texts: the bytes of changes, by place in the request, for what must be held.
    /// - Throws: `SyncError`, `PGError`. Either everything has its verdict and is committed, or nothing was stored.
    package func push(
        _ changes: ReadChanges, cursor: Cursor?, isMassDeletion: Bool = false, as caller: Caller,
        texts: ([Int]) -> [Int: [UInt8]]
    ) async throws -> PushResult {
        let push = Push(
            space: caller.space, rights: caller.rights, device: caller.device, mode: caller.mode,
            repeatsNothing: caller.repeatsNothing,
            count: changes.count, changes: changes.accepted, latestAccepted: clock.latestAccepted,
            clampedTo: clock.next(), cursor: cursor,
            reading: cursor.map { cursors.reading(of: $0, caller) } ?? .nothing,
            massDeletions: isMassDeletion ? nil : massDeletions, quarantine: PushQuarantine(plan, mode: caller.mode))
        let outcome = try await run(push, texts: texts)
        var verdicts = outcome.verdicts.enumerated().map { index, verdict in
            verdict ?? changes.rejections[index].map { .rejected($0) } ?? .unchanged
        }
        if plan.hub.hasTextIDs { verdicts = try await naming(verdicts, for: caller) }
        return PushResult(
            verdicts: verdicts, stamps: outcome.stamps, cursor: cursors.advanced(cursor, by: outcome, caller),
            head: outcome.head)
    }

    /// Runs a push to its end, and says that the space moved.
    ///
    /// - Parameter texts: the bytes of changes, by place in the request, for what must be held.
    func run(_ push: Push, texts: ([Int]) -> [Int: [UInt8]]) async throws -> Push.Outcome {
        let outcome = try await pushes.run(push, texts: texts)
        if push.purpose == .commit, outcome.head > outcome.headBefore {
            recentHeads.note(push.space, head: outcome.head)
            moved?.note(
                SpaceName(app: plan.app, space: push.space), SpaceHead(epoch: outcome.epoch, head: outcome.head))
        }
        return outcome
    }
}
