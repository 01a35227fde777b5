import DemoApps
import HTTPServer
import PGStore
import SyncServer
import SyncTestSupport
import SyncTesting
import WireFormats

/// Every endpoint, asked by everybody who there may be, about every space that there may be.
struct AccessMatrix {
    private let server: TestServer
    private let port: Int
    private let callers: [Caller]
    private let spaces: [Space: ID]

    /// What only the owner of the foreign space may read.
    private static let secret = "a word that nobody else may read"

    /// Somebody who asks.
    private struct Caller {
        let name: String
        /// The `Authorization` header.
        let authorization: String?
        let standing: @Sendable (Space) -> AccessRule.Standing
    }

    private enum Space: String, CaseIterable {
        /// The callers' own.
        case own
        /// Somebody else's, with records.
        case foreign
        /// One that was never used.
        case absent
    }

    /// - Parameter port: of the server that is asked, over the database of `server`.
    init(_ server: TestServer, port: Int) async throws {
        self.server = server
        self.port = port
        let own = ID.random()
        spaces = [.own: own, .foreign: server.space, .absent: .random()]
        let reader = try await server.makeToken(role: .read, spaces: [own], subject: "reader")
        let editor = try await server.makeToken(role: .write, spaces: [own], subject: "editor")
        // The same space, in another app.
        let elsewhere = try await server.makeToken(
            app: KeepTrackPlan.app, role: .write, spaces: [own, server.space], subject: "elsewhere")
        let revoked = try await server.makeToken(role: .write, spaces: [own, server.space], subject: "revoked")
        let session = try await server.database.session()
        try await session.execute("UPDATE sync.token SET revoked_at = now() WHERE subject = 'revoked'")
        await session.close()
        func member(_ standing: AccessRule.Standing) -> @Sendable (Space) -> AccessRule.Standing {
            { $0 == .own ? standing : .outsider }
        }
        callers = [
            Caller(name: "nobody", authorization: nil, standing: { _ in .stranger }),
            Caller(name: "who guesses a secret", authorization: "Bearer \(Secret().text)") { _ in .stranger },
            Caller(name: "who sends nonsense", authorization: "Bearer nonsense", standing: { _ in .stranger }),
            Caller(name: "who has a revoked token", authorization: "Bearer \(revoked)", standing: { _ in .stranger }),
            Caller(name: "who has another app's", authorization: "Bearer \(elsewhere)", standing: { _ in .outsider }),
            Caller(name: "a reader", authorization: "Bearer \(reader)", standing: member(.reader)),
            Caller(name: "an editor", authorization: "Bearer \(editor)", standing: member(.editor)),
        ]
        let device = server.device()
        _ = try await device.push(
            [.create("SDMeal", .random(), ["notes": .string(AccessMatrix.secret)], at: moment(1))])
    }

    /// A line for each answer that is not as the rules say; none where the server keeps them all.
    func breaches() async throws -> [String] {
        var breaches: [String] = []
        let before = try await server.contents()
        for route in RouteTable.all {
            let name = "\(route.method.token) \(route.path)"
            guard let rule = AccessRule.all[name] else {
                breaches.append("\(name) has no rule: say in AccessRule who may call it")
                continue
            }
            for caller in callers {
                let answers = try await answers(of: route, rule, to: caller)
                for space in Space.allCases {
                    guard let answer = answers[space] else { continue }
                    let standing = caller.standing(space)
                    let expected = standing >= rule.least ? rule.success : standing == .stranger ? 401 : 403
                    if answer.status != expected {
                        breaches.append("\(name), \(space) space: \(caller.name) got \(answer), not \(expected)")
                    }
                    if space != .own, answer.text.contains(AccessMatrix.secret) {
                        breaches.append("\(name), \(space) space: \(caller.name) was told what is in it")
                    }
                }
                // Who is not in a space cannot find out whether it exists.
                if let foreign = answers[.foreign], let absent = answers[.absent], foreign.body != absent.body {
                    breaches.append("\(name): \(caller.name) can tell a foreign space from none")
                }
            }
        }
        if try await server.contents() != before { breaches.append("Something was stored") }
        return breaches
    }

    /// By the space that was asked about; a route that is about none is asked once.
    private func answers(of route: Route, _ rule: AccessRule, to caller: Caller) async throws -> [Space: TestReply] {
        var answers: [Space: TestReply] = [:]
        for space in route.path.parameters.contains(.space) ? Space.allCases : [.own] {
            var headers = [
                "Schema-Version: 0.1.1", "Content-Type: application/json", "Device-Id: \(ID.random())",
            ]
            if let authorization = caller.authorization { headers.append("Authorization: \(authorization)") }
            // A stream has no end: its head says all that is asked here.
            let method = route.operation == .space(.events) ? "HEAD" : route.method.token
            answers[space] = try await TestClient(port: port).request(
                method, route.path.filled { value(of: $0, space) }, headers: headers,
                body: rule.body.map { Array($0.utf8) })
        }
        return answers
    }

    private func value(of parameter: PathTemplate.Parameter, _ space: Space) -> String {
        switch parameter {
        case .app: server.plan.app
        case .version: "0.1.1"
        case .space: spaces[space]?.description ?? ""
        }
    }
}
