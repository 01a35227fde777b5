import PGStore
import SyncEngine
import SyncServer
import WireFormats

/// `syncserver member`: shows and changes the members of a space, for operators.
struct MemberCommand {
    static let spec = CommandSpec(
        "member", "Show who is in a space, and say who is",
        subcommands: [
            CommandSpec(
                "list", "List the members of a space", options: shared
            ) { options in
                return try await run(options, listing: true) { sharing, space in
                    let members = try await sharing.members(of: space)
                    if options.has("json") { return print(members) }
                    for member in members {
                        Terminal.print("\(member.role.padded(to: 6))  since \(member.since)  \(member.subject)")
                    }
                }
            },
            CommandSpec(
                "set", "Add a member, or give one another role",
                options: [
                    subject,
                    .value(
                        "role", "ROLE", "reader, editor or owner", kind: .words(SpaceRole.allCases.map(\.rawValue)),
                        isRequired: true),
                ] + shared
            ) { options in
                guard let role = SpaceRole(rawValue: try options.required("role")) else {
                    throw UsageError("‘--role’ takes reader, editor or owner.")
                }
                let subject = try options.subject()
                _ = try await run(options) { sharing, space in try await sharing.set(subject, to: role, in: space) }
                try await note("member set", "a member is \(role.rawValue)", options)
                return 0
            },
            CommandSpec(
                "remove", "Take a member out of a space", options: [subject] + shared
            ) { options in
                let subject = try options.subject()
                _ = try await run(options) { sharing, space in try await sharing.remove(subject, from: space) }
                try await note("member remove", "a member is out", options)
                return 0
            },
        ])

    private static let subject = OptionSpec.value("subject", "NAME", "whom tokens speak for", isRequired: true)
    private static let shared: [OptionSpec] = [
        .app, .value("space", "UUID", "the space", isRequired: true), .database, .migrations, .json,
    ]

    private static func run(
        _ options: Options, listing isListed: Bool = false, _ action: (SpaceSharing, ID) async throws -> Void
    ) async throws -> Int32 {
        let plan = try Environment.plan(options)
        let space = try Environment.space(options)
        try await Environment.withEngines([plan], options) { engines, _ in
            if isListed { try await Environment.check(space, of: engines[0]) }
            do {
                try await action(engines[0].sharing, space)
            } catch let error as SharingError {
                throw CommandError(text(of: error))
            }
        }
        return 0
    }

    private static func note(_ action: String, _ what: String, _ options: Options) async throws {
        let space = try Environment.space(options)
        try await AuditCommand.note(action, app: options.appName(), "space \(space): \(what)", options)
    }

    private static func text(of error: SharingError) -> String {
        switch error {
        case .noSuchMember: "The space has no such member. See ‘\(Terminal.naming("syncserver member list"))’."
        case .lastOwner: "The space would have no owner. Make another member one first."
        case .tooManyMembers(let most): "A space has at most \(most) members."
        case .erased: "The space was erased, and nobody can come into it. Make another."
        case .notAMember, .takesARole, .tokenEnded, .noSuchInvitation, .tooManyInvitations, .tooManySpaces,
            .sharedSpaces:
            "\(error)"
        }
    }

    private static func print(_ members: [Members.Row]) {
        Terminal.print(
            JSONWriter.text { writer in
                writer.beginObject()
                writer.member("members", each: members) { writer, member in
                    writer.beginObject()
                    writer.member("subject", member.subject.text)
                    writer.member("role", member.role)
                    writer.member("personal", member.isPersonal)
                    writer.key("since")
                    writer.timestamp(member.since)
                    writer.endObject()
                }
                writer.endObject()
            })
    }
}
