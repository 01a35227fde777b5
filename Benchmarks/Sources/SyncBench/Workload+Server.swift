import BenchSupport
import Foundation

extension Workload {
    static func all(on stage: Stage) -> [Workload] {
        let (old, new) = (Records.activity("0.0.1"), Records.activity("0.1.1"))
        return [
            push("push 100 new, 8 clients", .older, old, owner: stage.profile, to: stage.pushing(0), stage),
            push("push 100 new, 8 clients", .newer, new, owner: stage.profile, to: stage.pushing(1), stage),
            PlainSQL.push("push 100 new, 8 clients", stage),
            push("push 100 new by a lens", .older, .oldItem, owner: stage.meal, to: stage.pushing(2), stage),
            push("push 100 new by a lens", .newer, .newItem, owner: stage.meal, to: stage.pushing(3), stage),
            update(.older, old, stage), update(.newer, new, stage), PlainSQL.update(updateTitle, stage),
            pull("pull 50,000, 1 client", .older, "0.0.1", stage.pulledActivities, stage),
            pull("pull 50,000, 1 client", .newer, "0.1.1", stage.pulledActivities, stage),
            PlainSQL.pull("pull 50,000, 1 client", stage),
            pull("pull 50,000 by a lens", .older, "0.0.6", stage.pulledItems, stage),
            pull("pull 50,000 by a lens", .newer, "0.1.1", stage.pulledItems, stage),
            poll(.older, old, stage), poll(.newer, new, stage), PlainSQL.poll(pollTitle, stage),
        ]
    }

    private static let updateTitle = "update one, 8 clients"
    private static let pollTitle = "poll, nothing new, 8 clients"

    /// Returns a workload in which each client pushes a hundred new records, again and again.
    private static func push(
        _ title: String, _ side: Side, _ records: Records, owner: String, to spaces: ArraySlice<UUID>, _ stage: Stage
    ) -> Workload {
        let server = stage.server
        return Workload(title: title, side: side, unit: "records/s", clients: Stage.clients) { number in
            let connection = try HTTPConnection(port: server.port)
            var request = Request(
                post: Stage.path(spaces[spaces.startIndex + number]), headers: Stage.headers(server, records.version),
                json: records.creation(Stage.pushedAtOnce, owner: owner))
            let indices = request.indices(of: Mark.id)
            var source = IDSource()
            return {
                for index in indices { request.overwrite(index, with: source.next()) }
                let answer = try connection.send(request)
                guard answer.contains(#""applied":100,"results":[]"#) else { throw unexpected(answer) }
                return Stage.pushedAtOnce
            }
        }
    }

    /// Returns a workload in which each client changes two attributes of one of its records, again and again.
    private static func update(_ side: Side, _ records: Records, _ stage: Stage) -> Workload {
        let server = stage.server
        return Workload(title: updateTitle, side: side, unit: "updates/s", clients: Stage.clients) { number in
            let connection = try HTTPConnection(port: server.port)
            let body =
                #"{"changes":[{"entity":"\#(records.entity)","id":"\#(Mark.id)","op":"update","#
                + #""stamp":\#(Mark.stamp),"fields":{"steps":\#(Mark.value),"caloriesBurned":\#(Mark.value).5}}]}"#
            var request = Request(
                post: Stage.path(stage.updating[stage.updating.startIndex + number]),
                headers: Stage.headers(server, records.version), json: body)
            let (id, stamp) = (request.indices(of: Mark.id)[0], request.indices(of: Mark.stamp)[0])
            // Each client has a start of its own, so that no update finds both values unchanged.
            let values = request.indices(of: Mark.value).map { (index: $0, start: Int.random(in: 0..<90_000)) }
            var step = 0
            let first = stampNow()
            return {
                step += 1
                request.overwrite(id, with: stage.knownIDs[number][step % stage.knownIDs[number].count])
                request.overwrite(stamp, with: String(first + Int64(step)).utf8)
                for (index, start) in values {
                    request.overwrite(index, with: String(10_000 + (start + step) % 90_000).utf8)
                }
                let answer = try connection.send(request)
                guard answer.contains(#""applied":1,"#) else { throw unexpected(answer) }
                return 1
            }
        }
    }

    /// Returns a workload in which a new device reads the whole space, page by page.
    private static func pull(
        _ title: String, _ side: Side, _ version: String, _ space: UUID, _ stage: Stage
    ) -> Workload {
        let server = stage.server
        return Workload(title: title, side: side, unit: "records/s", clients: 1) { _ in
            let connection = try HTTPConnection(port: server.port)
            let headers = Stage.headers(server, version)
            var isCounted = false
            return {
                var path = Stage.path(space)
                var seen = 0
                while true {
                    let answer = try connection.send(Request(get: path, headers: headers))
                    guard answer.status == 200, let cursor = answer.lastText(after: #""cursor":""#) else {
                        throw unexpected(answer)
                    }
                    if !isCounted { seen += answer.body.count(of: Array(#"{"entity":""#.utf8)) }
                    if answer.body.suffix(80).firstIndex(of: Array(#""more":false"#.utf8)) != nil { break }
                    path = Stage.path(space) + "?cursor=\(cursor)"
                }
                // The owners come on top.
                guard isCounted || (Stage.pulledCount...Stage.pulledCount + 2).contains(seen) else {
                    throw Failure("A pull had \(seen) records, not \(Stage.pulledCount).")
                }
                isCounted = true
                return Stage.pulledCount
            }
        }
    }

    /// Returns a workload in which each client polls a space without news.
    private static func poll(_ side: Side, _ records: Records, _ stage: Stage) -> Workload {
        let server = stage.server
        return Workload(title: pollTitle, side: side, unit: "polls/s", clients: Stage.clients) { _ in
            let connection = try HTTPConnection(port: server.port)
            let headers = Stage.headers(server, records.version)
            var path = Stage.path(stage.pulledActivities)
            var isAtEnd = false
            while !isAtEnd {
                let answer = try connection.send(Request(get: path, headers: headers))
                guard let cursor = answer.lastText(after: #""cursor":""#) else { throw unexpected(answer) }
                path = Stage.path(stage.pulledActivities) + "?cursor=\(cursor)"
                isAtEnd = answer.contains(#""changes":[]"#)
            }
            let request = Request(get: path, headers: headers)
            return {
                let answer = try connection.send(request)
                guard answer.contains(#"{"changes":[]"#) else { throw unexpected(answer) }
                return 1
            }
        }
    }

    private static func unexpected(_ answer: HTTPConnection.Answer) -> Failure {
        Failure("Answered \(answer.status): \(String(decoding: answer.body.prefix(500), as: UTF8.self))")
    }
}
