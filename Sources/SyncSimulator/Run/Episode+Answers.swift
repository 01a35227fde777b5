import StrictJSON
import SyncModel
import WireFormats

extension Episode {
    /// The parsed content of the server's answer to one request.
    struct Answer {
        var push: PushReply?
        var page: PageReply?
        /// The code of the server's refusal, if the server refused the whole request because of its cursor; otherwise
        /// `nil`.
        var refusal: ProblemCode?
    }

    /// Checks an answer against the model, and delivers it to the request's device if `isGiven` is true.
    func learn(_ reply: HTTPReply, _ request: Request, isGiven: Bool) throws {
        let answer = try see(reply, request, isGiven: isGiven)
        if isGiven { try give(answer, to: request) }
    }

    /// Checks an answer against the model, and returns its parsed content. Answers must be passed in the order in which
    /// the server committed their requests.
    ///
    /// - Parameter isGiven: true if the device will receive the answer.
    func see(_ reply: HTTPReply, _ request: Request, isGiven: Bool) throws -> Answer {
        defer { numbersBefore = nil }
        var answer = Answer()
        switch reply.status {
        case 200:
            guard isOfEpoch(request.cursor) else {
                throw Breach("device \(request.device) was answered although the epoch is another than its cursor's")
            }
            let root = try root(of: reply)
            let reader = AnswerReader(vocabulary: vocabulary(request.version))
            if let changes = request.changes {
                let push = try reader.push(root, count: changes.count)
                cursors.insert(push.cursor)
                readings.push(changes.map(\.key.id), from: request.cursor, to: push.cursor, in: request.version, plan)
                try accept(changes, push, of: request, isGiven: isGiven)
                note(request)
                answer.push = push
            }
            if request.pulls {
                let page = try reader.page(root)
                cursors.insert(page.cursor)
                readings.page(
                    page, from: request.cursor, pushing: request.changes, to: page.cursor, in: request.version,
                    plan)
                try checkStamps(of: page, in: root)
                tally.records += page.records.count
                answer.page = page
            }
        // A device that receives text ids from now on begins anew, too.
        case 410 where (hasCollected || plan.hub.hasTextIDs) && code(of: reply) == .cursorExpired:
            answer.refusal = .cursorExpired
        case 410 where !isOfEpoch(request.cursor) && code(of: reply) == .epochChanged:
            answer.refusal = .epochChanged
        case 409 where !isServed(request) && code(of: reply) == .schemaUnknown: break
        case 426 where ended[request.version] != nil && code(of: reply) == .versionRetired: break
        case 409 where !areServed(request.changes ?? []) && code(of: reply) == .outboxClosed: break
        case 500... where patience > 0:
            patience -= 1
            try learnAgain(request, wasAccepted: false)
        default: throw Breach("device \(request.device) was answered \(reply)\n\(site.lastWords)")
        }
        return answer
    }

    /// Returns the problem code in an error response; `nil` for any other response.
    func code(of reply: HTTPReply) -> ProblemCode? {
        (try? root(of: reply))?[BodyMember.code]?.string.flatMap(ProblemCode.init(rawValue:))
    }

    /// Delivers an answer to the request's device. The device ignores the answer if its id, version or cursor is no
    /// longer that of the request.
    func give(_ answer: Answer, to request: Request) throws {
        let device = devices[request.device]
        guard device.id == request.sender, device.version == request.version, device.cursor == request.cursor else {
            return
        }
        if let push = answer.push, let changes = request.changes {
            devices[request.device].settle(changes, push, vocabulary(request.version))
        }
        if let page = answer.page {
            for record in page.records { story.receive(record, to: request.device) }
            try devices[request.device].take(page, wasPlain: request.isPlain)
        }
        switch answer.refusal {
        case .cursorExpired: devices[request.device].dropCursor()
        case .epochChanged: try beginAnew(request.device)
        default: break
        }
    }

    /// Sends a push again after its first answer was lost, as a network may do. The model learns the verdicts on the
    /// first delivery from the second answer.
    ///
    /// - Parameter wasAccepted: true if the server has certainly stored the first delivery. Then no change may have the
    ///   verdict `applied` this time.
    func learnAgain(_ request: Request, wasAccepted: Bool) throws {
        guard let changes = request.changes else { return }
        // The first delivery may have been merged, and have given new numbers to records.
        numbersBefore = nil
        for _ in 0...patience {
            let reply = try control.exchange(request.bytes)
            if reply.status >= 500, patience > 0 { continue }
            if reply.status == 200 {
                let answer = try AnswerReader(vocabulary: vocabulary(request.version))
                    .push(try root(of: reply), count: changes.count)
                // A change with an attribute that no version has is rejected, and the model cannot read it.
                let known = zip(changes, answer.results).filter { $0.0.fields[Episode.unknownAttribute] == nil }
                for (change, result) in known where change.isStamped {
                    if wasAccepted, result.verdict == .applied {
                        throw Breach("a retry of what had been stored was ‘applied’ again: \(change)")
                    }
                    let stamp = result.stamp ?? change.stamp
                    let readings = try judge.readings(
                        of: change, at: stamp, of: request.sender, isWhole: request.isWhole, isHeld: nil)
                    quarantined.suspect(change, at: stamp, of: request, readings)
                }
            }
            return try learn(reply, request, isGiven: false)
        }
    }

    /// Checks that no stamp on a page is far ahead of the server's time.
    ///
    /// - Parameter root: the JSON of the page, which contains the server's time.
    func checkStamps(of page: PageReply, in root: JSONNode) throws {
        let now = root[BodyMember.serverTime]?.withUTF8 { text in try? Timestamp(utf8: text) }
        guard let now = now.flatMap(\.self) else { throw Breach("a page lacks ‘serverTime’") }
        let latest = now.microseconds / 1000 + Episode.stampLeadMaxMilliseconds
        for record in page.records where record.stamp.milliseconds > latest {
            throw Breach("\(record.key.shown) is told of \(record.stamp.timestamp), and the server has \(now)")
        }
    }

    /// The most by which a stamp in an answer may be ahead of the server's time, in milliseconds. It is the protocol's
    /// limit of five minutes plus one second.
    private static let stampLeadMaxMilliseconds: Int64 = 301_000

    func root(of reply: HTTPReply) throws -> JSONNode {
        do {
            return try JSONDocument(parsing: reply.body).root
        } catch {
            throw Breach("an answer is not JSON: \(reply)")
        }
    }
}
