import DemoApps
import HTTPServer
import PGStore
import Postgres
import SyncEngine
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

    /// A text that only the owner of the foreign space may read.
    private static let secret = "a word that nobody else may read"
    /// A member of the callers' own space whom they ask about.
    private static let guest = "a guest"

    /// Somebody who asks.
    private struct Caller {
        let name: String
        /// The `Authorization` header.
        let authorization: String?
        var mayWrite = true
        /// In the own space, and in every other.
        let own: AccessRule.Relation
        let other: AccessRule.Relation

        /// The status that an endpoint answers this caller.
        func status(_ rule: AccessRule, _ space: Space) -> Int {
            let relation = space == .own ? own : other
            if relation >= rule.least, mayWrite || !rule.needsWriting { return rule.success }
            return relation == .unauthenticated ? 401 : 403
        }
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
        let app = server.plan.app
        let own = ID.random()
        spaces = [.own: own, .foreign: server.space, .absent: .random()]
        let sharing = SpaceSharing(app: app, databases: server.service.databases)
        for (subject, role) in [
            (Subject("owner"), SpaceRole.owner), ("editor", .editor), ("reader", .reader), ("gone", .editor),
        ] {
            try await sharing.set(subject, to: role, in: own)
        }
        try await sharing.set(Subject(AccessMatrix.guest), to: .reader, in: own)
        try await sharing.remove("gone", from: own)
        func address(
            _ subject: String, in app: String = FitIQPlan.app, _ role: Grant.Role = .write, _ spaces: [ID] = []
        ) async throws -> String {
            "Bearer \(try await server.makeToken(app: app, role: role, spaces: spaces, subject: subject))"
        }
        let revoked = try await address("revoked", .write, [own, server.space])
        let session = try await server.database.session()
        try await session.execute("UPDATE sync.token SET revoked_at = now() WHERE subject = 'revoked'")
        await session.close()
        let nowhere = AccessRule.Relation.outsider
        callers = [
            Caller(name: "nobody", authorization: nil, own: .unauthenticated, other: .unauthenticated),
            Caller(
                name: "who guesses a secret", authorization: "Bearer \(Secret().text)", own: .unauthenticated,
                other: .unauthenticated
            ),
            Caller(
                name: "who sends nonsense", authorization: "Bearer nonsense", own: .unauthenticated,
                other: .unauthenticated),
            Caller(
                name: "who has a revoked token", authorization: revoked, own: .unauthenticated,
                other: .unauthenticated),
            // The same spaces, and a subject of the same name that owns one, in another app.
            Caller(
                name: "who has another app's token",
                authorization: try await address("owner", in: KeepTrackPlan.app, .write, [own, server.space]),
                own: .elsewhere, other: .elsewhere),
            Caller(
                name: "a token that may read the space", authorization: try await address("a", .read, [own]),
                mayWrite: false, own: .reader, other: nowhere),
            Caller(
                name: "a token that may write the space", authorization: try await address("b", .write, [own]),
                own: .editor, other: nowhere),
            Caller(
                name: "a reader", authorization: try await address("reader"), own: .reader, other: nowhere),
            Caller(
                name: "an editor", authorization: try await address("editor"), own: .editor, other: nowhere),
            Caller(
                name: "an owner's token that may only read", authorization: try await address("owner", .read),
                mayWrite: false, own: .reader, other: nowhere),
            Caller(name: "who was removed", authorization: try await address("gone"), own: nowhere, other: nowhere),
            Caller(
                name: "who was never in it", authorization: try await address("other"), own: nowhere, other: nowhere),
            Caller(name: "an owner", authorization: try await address("owner"), own: .owner, other: nowhere),
        ]
        let device = server.device()
        _ = try await device.push(
            [.create("SDMeal", .random(), ["notes": .string(AccessMatrix.secret)], at: moment(1))])
    }

    /// A line for each answer that is not as the rules say; none where the server keeps them all.
    func breaches() async throws -> [String] {
        var breaches: [String] = []
        let before = try await contents()
        var rules: [(route: Route, rule: AccessRule)] = []
        for route in RouteTable.all {
            if let rule = AccessRule.all[Self.name(of: route)] {
                rules.append((route, rule))
            } else {
                breaches.append("\(Self.name(of: route)) has no rule: say in AccessRule who may call it")
            }
        }
        // Who may not, first: nothing comes of that.
        for (route, rule) in rules {
            for caller in callers {
                breaches += try await self.breaches(of: route, rule, by: caller) { [401, 403].contains($0) }
            }
        }
        if try await contents() != before { breaches.append("Something was stored") }
        for (route, rule) in rules where !rule.isLast {
            for caller in callers {
                breaches += try await self.breaches(of: route, rule, by: caller) { ![401, 403].contains($0) }
            }
        }
        for (route, rule) in rules.filter(\.rule.isLast).sorted(by: { Self.isBefore($0.route, $1.route) }) {
            guard let owner = callers.last else { continue }
            breaches += try await self.breaches(of: route, rule, by: owner, in: [.own]) { ![401, 403].contains($0) }
        }
        return breaches
    }

    private static func name(of route: Route) -> String { "\(route.method.token) \(route.path)" }

    /// The longer path first: a member goes before the space, and that before the account.
    private static func isBefore(_ one: Route, _ other: Route) -> Bool {
        one.path.description.utf8.count > other.path.description.utf8.count
    }

    /// - Parameter isAsked: whether to ask where this status is expected.
    private func breaches(
        of route: Route, _ rule: AccessRule, by caller: Caller, in asked: [Space] = Space.allCases,
        where isAsked: (Int) -> Bool
    ) async throws -> [String] {
        var breaches: [String] = []
        var answers: [Space: TestReply] = [:]
        let name = Self.name(of: route)
        // A route that is about no space is asked once.
        for space in route.path.parameters.contains(.space) ? asked : [.own] {
            let expected = caller.status(rule, space)
            guard isAsked(expected) else { continue }
            let answer = try await answer(of: route, rule, to: caller, space)
            answers[space] = answer
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
        return breaches
    }

    private func answer(
        of route: Route, _ rule: AccessRule, to caller: Caller, _ space: Space
    ) async throws -> TestReply {
        var headers = ["Schema-Version: 0.1.1", "Content-Type: application/json", "Device-Id: \(ID.random())"]
        if let authorization = caller.authorization { headers.append("Authorization: \(authorization)") }
        // A stream has no end: its head says all that is asked here.
        let method = route.operation == .space(.events) ? "HEAD" : route.method.token
        return try await TestClient(port: port).request(
            method, route.path.filled { value(of: $0, space) }, headers: headers,
            body: rule.body.map { Array($0.utf8) })
    }

    private func value(of parameter: PathTemplate.Parameter, _ space: Space) -> String {
        switch parameter {
        case .app: server.plan.app
        case .version: "0.1.1"
        case .space: spaces[space]?.description ?? ""
        case .subject: AccessMatrix.guest.replacing(" ", with: "%20")
        case .invitation: ID.random().description
        }
    }

    /// The rows that a refused request must not change.
    private func contents() async throws -> [String] {
        let session = try await Session.open(server.database.superuserConnectionString)
        let rows = try await session.execute(
            """
            SELECT concat_ws(' ', 'member', space_id, subject, role) FROM sync.member
            UNION ALL SELECT concat_ws(' ', 'invitation', space_id, role) FROM sync.invitation
            UNION ALL SELECT concat_ws(' ', 'token', subject, revoked_at) FROM sync.token
            UNION ALL SELECT concat_ws(' ', 'space', space_id, head, level) FROM sync.space
            """)
        await session.close()
        return try await server.contents() + (0..<rows.count).map { rows.string($0, 0) }.sorted()
    }
}
