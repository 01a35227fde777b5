import SyncModel
import WireFormats

extension Episode {
    /// Sees an answer, and gives it to the device or not.
    func learn(_ reply: HTTPReply, _ request: Request, isGiven: Bool) throws {
        defer { numbersBefore = nil }
        switch reply.status {
        case 200:
            guard isOfEpoch(request.cursor) else {
                throw Breach("device \(request.device) was answered although the epoch is another than its cursor's")
            }
            let root = try root(of: reply)
            let reader = AnswerReader(vocabulary: vocabulary(request.version))
            if let changes = request.changes {
                let answer = try reader.push(root, count: changes.count)
                cursors.insert(answer.cursor)
                readings.push(changes.map(\.key.id), from: request.cursor, to: answer.cursor)
                try accept(changes, answer, of: request, isGiven: isGiven)
                if isGiven { devices[request.device].settle(changes, answer, vocabulary(request.version)) }
            }
            if request.pulls {
                let page = try reader.page(root)
                cursors.insert(page.cursor)
                readings.page(
                    page, from: request.cursor, pushing: request.changes, to: page.cursor, in: request.version)
                try checkStamps(of: page, in: root)
                tally.records += page.records.count
                if isGiven {
                    for record in page.records { story.tell(record, to: request.device) }
                    try devices[request.device].take(page, wasPlain: request.isPlain)
                }
            }
        case 410 where hasCollected && (try? root(of: reply))?["code"]?.string == "cursor-expired":
            if isGiven { devices[request.device].dropCursor() }
        case 410 where !isOfEpoch(request.cursor) && (try? root(of: reply))?["code"]?.string == "epoch-changed":
            if isGiven { try beginAnew(request.device) }
        case 409 where !isServed(request.version) && (try? root(of: reply))?["code"]?.string == "schema-unknown":
            break
        case 500... where patience > 0:
            patience -= 1
            try learnAgain(request, wasAccepted: false)
        default: throw Breach("device \(request.device) was answered \(reply)\n\(site.lastWords)")
        }
    }

    /// The network delivers the request once more: the answer says what became of it the first time.
    func learnAgain(_ request: Request, wasAccepted: Bool) throws {
        guard let changes = request.changes else { return }
        // It may have been merged the first time, and have given numbers.
        numbersBefore = nil
        for _ in 0...patience {
            let reply = try control.exchange(request.bytes)
            if reply.status >= 500, patience > 0 { continue }
            if reply.status == 200 {
                let answer = try AnswerReader(vocabulary: vocabulary(request.version))
                    .push(try root(of: reply), count: changes.count)
                for (change, result) in zip(changes, answer.results) {
                    if wasAccepted, result.verdict == "applied" {
                        throw Breach("a retry of what had been stored was ‘applied’ again: \(change)")
                    }
                    quarantined.suspect(change, at: result.stamp ?? change.stamp, of: request.sender)
                }
            }
            return try learn(reply, request, isGiven: false)
        }
    }

    /// Nothing that anybody is told is said to be from far ahead of the server.
    func checkStamps(of page: PageAnswer, in root: JSONNode) throws {
        let now = root["serverTime"]?.withUTF8 { text in try? Timestamp(utf8: text) }
        guard let now = now.flatMap(\.self) else { throw Breach("a page lacks ‘serverTime’") }
        let latest = now.microseconds / 1000 + Episode.aheadMaxMilliseconds
        for record in page.records where record.stamp.milliseconds > latest {
            throw Breach("\(record.key.shown) is told of \(record.stamp.timestamp), and the server has \(now)")
        }
    }

    /// What the protocol allows, and one second.
    private static let aheadMaxMilliseconds: Int64 = 301_000

    func root(of reply: HTTPReply) throws -> JSONNode {
        do {
            return try JSONDocument(parsing: reply.body).root
        } catch {
            throw Breach("an answer is not JSON: \(reply)")
        }
    }

    /// Every verdict but `rejected` means that the change is the server's now, and `held` that it will be merged.
    private func accept(
        _ changes: [Change], _ answer: PushAnswer, of request: Request, isGiven: Bool
    ) throws {
        for (change, result) in zip(changes, answer.results) {
            tally.verdicts[result.verdict, default: 0] += 1
            story.answer(change, result.verdict, to: request.device, isGiven: isGiven)
            switch result.verdict {
            case "rejected":
                guard !accepted.contains(change.number) else {
                    throw Breach("a retry was rejected (\(result.code ?? ""): \(result.detail ?? "")): \(change)")
                }
                guard isRejectable(change, result) else {
                    throw Breach("rejected as ‘\(result.code ?? "")’ (\(result.detail ?? "")): \(change)")
                }
                continue
            case "applied":
                guard !accepted.contains(change.number) else {
                    throw Breach("a retry was ‘applied’ again: \(change)")
                }
            case "held":
                guard isHoldable(change, result, among: changes) else {
                    throw Breach("held as ‘\(result.code ?? "")’: \(change)")
                }
            case "merged", "superseded", "unchanged": break
            default: throw Breach("there is no verdict ‘\(result.verdict)’: \(change)")
            }
            guard change.fields[Episode.unknownAttribute] == nil else {
                throw Breach("an attribute that no version has was \(result.verdict): \(change)")
            }
            let stamp = result.stamp ?? change.stamp
            if result.verdict == "held" {
                quarantined.take(change, at: stamp, of: request.sender)
            } else if accepted.insert(change.number).inserted {
                try judge.take(
                    change, at: stamp, of: request.sender,
                    isHeld: readings.isHeld(
                        change.key.id, from: request.cursor, in: request.version, numbers: numbersBefore))
            }
        }
    }

    private func isRejectable(_ change: Change, _ result: PushAnswer.Result) -> Bool {
        switch result.code {
        case "unique": true
        case "denied", "mass-deletion": change.operation == .delete
        case "unknown-attribute": change.fields[Episode.unknownAttribute] != nil
        default: false
        }
    }
}
