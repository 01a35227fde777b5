import Operations
import PGStore
import StrictJSON
import SyncEngine
import SyncServer
import WireFormats

/// `syncserver member`: lets operators show and change the members of a space.
struct MemberCommand {
    static let spec = CommandSpec(
        "member", "Show who is in a space, and say who is",
        subcommands: [
            CommandSpec(
                "list", "List the members of a space", options: shared
            ) { options in
                let members = try await run(options) { try await $0.list() }
                if options.has("json") {
                    print(members)
                } else {
                    for member in members {
                        Terminal.print("\(member.role.padded(to: 6))  since \(member.since)  \(member.subject)")
                    }
                }
                return 0
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
                AuditCommand.report(try await run(options) { try await $0.set(subject, to: role) })
                return 0
            },
            CommandSpec(
                "remove", "Take a member out of a space", options: [subject] + shared
            ) { options in
                let subject = try options.subject()
                AuditCommand.report(try await run(options) { try await $0.remove(subject) })
                return 0
            },
        ])

    private static let subject = OptionSpec.value("subject", "NAME", "whom tokens speak for", isRequired: true)
    private static let shared: [OptionSpec] = [
        .app, .value("space", "UUID", "the space", isRequired: true), .database, .migrations, .json,
    ]

    private static func run<Value>(
        _ options: Options, _ operation: (SpaceMembers) async throws -> Value
    ) async throws -> Value {
        let plan = try Environment.plan(options)
        let space = try Environment.space(options)
        return try await Environment.withEngines([plan], options) { open in
            do {
                return try await operation(SpaceMembers(of: space, open.engines[0], owner: open.owner))
            } catch let error as SharingError {
                throw CommandError(text(of: error))
            }
        }
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
