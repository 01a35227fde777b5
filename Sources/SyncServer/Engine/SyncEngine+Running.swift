import PGStore
import WireFormats

extension SyncEngine {
    /// Runs the push without what cannot be; each time that is found, there is less of it.
    ///
    /// - Parameter texts: the bytes of changes, by place in the request.
    func run(_ push: Push, in space: ID, texts: ([Int]) -> [Int: [UInt8]]) async throws -> Push.Outcome {
        var (push, rejections) = (push, [Int: Rejection]())
        var isolation = FaultIsolation()
        while true {
            do {
                var outcome = try await once(push, in: space)
                if !push.isTrial, outcome.head > outcome.headBefore {
                    recentHeads.note(space, head: outcome.head)
                    moved?.note(
                        SpaceName(app: plan.app, space: space), Standing(epoch: outcome.epoch, head: outcome.head))
                }
                for (index, rejection) in rejections { outcome.verdicts[index] = .rejected(rejection) }
                return outcome
            } catch let refusal as Push.Refusal {
                rejections.merge(refusal.rejections) { $1 }
                push.leaveOut(refusal, texts: texts(Array(refusal.holdings.keys)))
            } catch let error where push.trustsCreations && Push.isDoubt(error) {
                push.trustsCreations = false
            } catch let error as PGError where error.refusesData {
                let open = push.open
                if open.isEmpty { throw error }
                let culprits = try await isolation.culprits(among: open, refusedBy: error) { [push] in
                    try await refusedRecords(of: push, in: space)
                } refusal: { [push] places in
                    try await refusal(of: push.trial(of: places), in: space)
                }
                push.holdings.hold(culprits, texts: texts(Array(culprits.keys)))
            }
        }
    }

    /// The records of the push that PostgreSQL does not take by themselves.
    private func refusedRecords(of push: Push, in space: ID) async throws -> [WorkingSet.Key: PGError] {
        var push = push
        push.isTrial = true
        push.isIsolating = true
        do {
            _ = try await once(push, in: space)
            return [:]
        } catch let isolation as Push.Isolation {
            return isolation.refused
        } catch is Push.Refusal {
            // Somebody has pushed in between.
            return [:]
        }
    }

    /// What PostgreSQL says to a trial; `nil` where it takes it.
    private func refusal(of trial: Push, in space: ID) async throws -> PGError? {
        var trial = trial
        while true {
            do {
                _ = try await once(trial, in: space)
                return nil
            } catch let refusal as Push.Refusal {
                trial.leaveOut(refusal, texts: [:])
            } catch let error as PGError where error.refusesData {
                return error
            }
        }
    }

    private func once(_ push: Push, in space: ID) async throws -> Push.Outcome {
        do {
            return try await groups.run(push) { [self] pushes in
                try await transaction(in: space) { session in try Push.run(pushes, on: session) }
            }
        } catch let trial as Push.Trial {
            return trial.outcome
        }
    }
}

extension Push {
    /// What is not held, by place in the request.
    fileprivate var open: [(index: Int, key: WorkingSet.Key)] {
        changes.filter { holdings.reasons[$0.index] == nil }.map { ($0.index, $0.change.key) }
    }

    /// Whether what a push ended with may come from a creation that was taken for new.
    fileprivate static func isDoubt(_ error: any Error) -> Bool {
        error is Doubt || (error as? PGError)?.refusesData ?? false
    }

    /// A trial of these alone, and of what is held.
    fileprivate func trial(of places: [Int]) -> Push {
        var trial = self
        let wanted = Set(places)
        trial.changes.removeAll { !wanted.contains($0.index) && holdings.reasons[$0.index] == nil }
        trial.isTrial = true
        return trial
    }

    fileprivate mutating func leaveOut(_ refusal: Refusal, texts: [Int: [UInt8]]) {
        holdings.hold(refusal.holdings, texts: texts)
        if refusal.rejections.values.contains(where: { $0.code == .unique }) { uniqueRounds += 1 }
        if holdings.isReplay {
            holdings.hold(refusal.rejections.mapValues { Holding($0) }, texts: [:])
        } else {
            refused += changes.compactMap { sent in refusal.rejections[sent.index].map { (sent, $0) } }
            changes.removeAll { refusal.rejections[$0.index] != nil }
        }
    }
}
