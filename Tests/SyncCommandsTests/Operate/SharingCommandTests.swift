import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// `syncserver member` and `syncserver erase`, as an operator uses them.
@Suite struct SharingCommandTests {
    private func run(_ words: [String], _ server: TestServer) async throws -> CommandRun {
        try await CommandRun(words, database: server.database.connectionString)
    }

    @Test func anOperatorSaysWhoIsInASpace() async throws {
        try await withTestServer { server in
            let space = ["--app", "fitiq", "--space", "\(server.space)"]
            for (subject, role) in [("anna", "owner"), ("bela", "reader")] {
                let set = try await run(["member", "set", "--subject", subject, "--role", role] + space, server)
                #expect(set.status == 0, "\(set)")
            }
            let bela = try await Person("bela", server)
            #expect(try await bela.status(in: server.space).status == 200)
            let list = try await run(["member", "list"] + space, server)
            #expect(list.output.contains("owner") && list.output.contains("bela"), "\(list)")
            let last = try await run(["member", "remove", "--subject", "anna"] + space, server)
            #expect(last.status != 0 && last.errors.contains("no owner"), "\(last)")
            #expect(try await run(["member", "remove", "--subject", "bela"] + space, server).status == 0)
            let nobody = try await run(["member", "remove", "--subject", "bela"] + space, server)
            #expect(nobody.errors.contains("member list"), "\(nobody)")
            let json = try await run(["member", "list", "--json"] + space, server)
            #expect(
                try JSONValue(parsing: Array(json.output.utf8))["members"].elements.map { $0["subject"] } == ["anna"])
        }
    }

    @Test func anOperatorErasesASpaceOrASubject() async throws {
        try await withTestServer { server in
            try await server.device().push([.create("SDMeal", .random(), at: moment(1))])
            let space = ["erase", "--app", "fitiq", "--space", "\(server.space)"]
            // Nobody is there to be asked.
            let unsure = try await run(space, server)
            #expect(unsure.status != 0 && unsure.errors.contains("--yes"), "\(unsure)")
            let sure = try await run(space + ["--yes"], server)
            #expect(sure.status == 0 && sure.output.contains("fitiq.sd_meal"), "\(sure)")
            #expect(try await server.send("GET").isProblem(410, "space-erased"))

            let (anna, bela) = (try await Person("anna", server), try await Person("bela", server))
            let shared = try await anna.makeSpace()
            try await anna.bring(bela, to: shared)
            let subject = ["erase", "--app", "fitiq", "--subject", "anna", "--yes"]
            let refused = try await run(subject, server)
            #expect(refused.status != 0 && refused.errors.contains("\(shared)"), "\(refused)")
            _ = try await run(
                ["member", "set", "--app", "fitiq", "--space", "\(shared)", "--subject", "bela", "--role", "owner"],
                server)
            let erased = try await run(subject + ["--json"], server)
            #expect(erased.status == 0, "\(erased)")
            #expect(try JSONValue(parsing: Array(erased.output.utf8))["rows"]["sync.token"] == 1)
            #expect(try await run(["erase", "--app", "fitiq"], server).errors.contains("--subject"))
        }
    }

    /// Who misspells what is to be erased must not believe that it is gone.
    @Test func whatIsNotThereIsNotSaidToBeErased() async throws {
        try await withTestServer { server in
            try await server.device().push([.create("SDMeal", .random(), at: moment(1))])
            for (app, space) in [("keeptrack", server.space), ("fitiq", ID.random())] {
                let erased = try await run(["erase", "--app", app, "--space", "\(space)", "--yes"], server)
                #expect(erased.status != 0 && erased.errors.contains("There is no space \(space)"), "\(erased)")
                // No mark is left: somebody may still make the space.
                let member = ["member", "set", "--subject", "anna", "--role", "owner", "--app", app]
                #expect(try await run(member + ["--space", "\(space)"], server).status == 0)
            }
            #expect(try await server.send("GET").status == 200)
            let ghost = try await run(["erase", "--app", "fitiq", "--subject", "ghost", "--yes"], server)
            #expect(ghost.output.contains("nothing is kept of this subject"), "\(ghost)")
            for subject in ["an\u{FFFD}na", "an\nna"] {
                let unclear = try await run(["erase", "--app", "fitiq", "--subject", subject, "--yes"], server)
                #expect(unclear.status != 0 && unclear.errors.contains("‘--subject’"), "\(unclear)")
            }
        }
    }
}
