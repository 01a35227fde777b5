import BenchSupport
import Foundation

/// The data that the workloads need: spaces with a profile and a meal each, records to update and to pull, and the same
/// rows in a copy of the table for plain SQL.
struct Stage: Sendable {
    let server: ServerProcess
    /// The profile and the meal that the records of every space belong to.
    let profile = "00000000-0000-4000-8000-000000000001"
    let meal = "00000000-0000-4000-8000-000000000002"
    /// The ids of the records that are updated, for each of `updating`.
    let knownIDs: [[[UInt8]]]

    static let clients = 8
    static let pushedAtOnce = 100
    static let pulledCount = 50_000
    private static let knownCount = 1000

    /// Returns eight spaces for pushes, by number of the workload.
    func pushing(_ workload: Int) -> ArraySlice<UUID> {
        server.spaces[workload * Self.clients..<(workload + 1) * Self.clients]
    }

    private static let updatingWorkload = 4
    var updating: ArraySlice<UUID> { pushing(Self.updatingWorkload) }
    /// Spaces with `pulledCount` activities, and with as many items.
    var pulledActivities: UUID { server.spaces[ServerProcess.spacesCount - 2] }
    var pulledItems: UUID { server.spaces[ServerProcess.spacesCount - 1] }

    init(server: ServerProcess) throws {
        note("Filling the tables")
        self.server = server
        var known: [[[UInt8]]] = []
        for space in server.spaces { try Self.makeOwners(server, space, profile: profile, meal: meal) }
        let updating = server.spaces[Self.updatingWorkload * Self.clients..<(Self.updatingWorkload + 1) * Self.clients]
        for space in updating {
            known.append(try Self.push(.activity("0.0.1"), Self.knownCount, owner: profile, to: space, of: server))
        }
        knownIDs = known
        _ = try Self.push(.activity("0.0.1"), Self.pulledCount, owner: profile, to: pulledActivities, of: server)
        _ = try Self.push(.oldItem, Self.pulledCount, owner: meal, to: pulledItems, of: server)
        try PlainSQL.prepare(server, copying: updating + [pulledActivities])
    }

    /// Returns the path of requests to a space.
    static func path(_ space: UUID) -> String { "/v1/apps/fitiq/spaces/\(space)/changes" }

    static func headers(_ server: ServerProcess, _ version: String) -> [String] {
        ["Authorization: Bearer \(server.token)", "Schema-Version: \(version)", "Device-Id: \(UUID())"]
    }

    func postgresVersion() throws -> String {
        try Database(server.database).text("SHOW server_version")
    }

    private static func makeOwners(_ server: ServerProcess, _ space: UUID, profile: String, meal: String) throws {
        let body =
            #"{"changes":[{"entity":"SDUserProfile","id":"\#(profile)","op":"create","fields":{"name":"Ada"}},"#
            + #"{"entity":"SDMeal","id":"\#(meal)","op":"create","fields":{"userProfile":"\#(profile)"}}]}"#
        let request = Request(post: path(space), headers: headers(server, "0.0.6"), json: body)
        let answer = try HTTPConnection(port: server.port).send(request)
        guard answer.contains(#""applied":2,"#) else { throw Failure(String(decoding: answer.body, as: UTF8.self)) }
    }

    /// Pushes new records, and returns their ids.
    private static func push(
        _ records: Records, _ count: Int, owner: String, to space: UUID, of server: ServerProcess
    ) throws -> [[UInt8]] {
        let connection = try HTTPConnection(port: server.port)
        var request = Request(
            post: path(space), headers: headers(server, records.version), json: records.creation(1000, owner: owner))
        let indices = request.indices(of: Mark.id)
        var source = IDSource()
        var ids: [[UInt8]] = []
        while ids.count < count {
            for index in indices {
                ids.append(source.next())
                request.overwrite(index, with: ids[ids.count - 1])
            }
            let answer = try connection.send(request)
            guard answer.contains(#""applied":1000,"#) else {
                throw Failure(String(decoding: answer.body, as: UTF8.self))
            }
        }
        return ids
    }
}
