import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// Who is in a space, and how one comes into it and out of it.
@Suite struct SharingTests {
    @Test func aSubjectHasASpaceOfItsOwnFromItsFirstRequestOn() async throws {
        try await withTestServer { server in
            let anna = try await Person("anna", server)
            let device = anna.device()
            let meal = ID.random()
            try await device.push([.create("SDMeal", meal, ["notes": "mine"], at: moment(1))])
            let spaces = try await anna.request("GET", "spaces").json["spaces"].elements
            #expect(spaces.count == 1 && spaces[0]["personal"] == true && spaces[0]["role"] == "owner")
            // The same for whoever has another token of hers, and no one else's.
            let other = try await Person("anna", server).device("0.0.8")
            try await other.pullAll()
            #expect(await other.store["SDMeal"]?[meal.description]?["notes"] == "mine")
            let bela = try await Person("bela", server).device()
            try await bela.pullAll()
            #expect(await bela.store["SDMeal"] == nil)
        }
    }

    /// Whoever comes first makes it.
    @Test func manyFirstRequestsMakeOneSpace() async throws {
        try await withTestServer { server in
            let persons = try await (0..<8).asyncMap { _ in try await Person("anna", server) }
            try await withThrowingTaskGroup { group in
                for person in persons {
                    group.addTask {
                        try await person.device().push([.create("SDMeal", .random(), at: moment(1))])
                    }
                }
                try await group.waitForAll()
            }
            let spaces = try await persons[0].request("GET", "spaces").json["spaces"].elements
            #expect(spaces.count == 1)
            let device = persons[0].device()
            try await device.pullAll()
            #expect(await device.store["SDMeal"]?.count == 8)
        }
    }

    @Test func whoIsInvitedJoinsAndBothEditAtTwoVersions() async throws {
        try await withTestServer { server in
            let (anna, bela) = (try await Person("anna", server), try await Person("bela", server))
            let space = try await anna.makeSpace()
            #expect(try await bela.status(in: space).isProblem(403, "not-a-member"))
            try await anna.bring(bela, to: space)
            let (old, new) = (anna.device("0.0.8", in: "\(space)"), bela.device("0.1.1", in: "\(space)"))
            let (one, other) = (ID.random(), ID.random())
            try await old.push([.create("SDMeal", one, ["notes": "anna's"], at: moment(1))])
            try await new.push([.create("SDMeal", other, ["notes": "bela's"], at: moment(2))])
            for device in [old, new] {
                try await device.pullAll()
                let meals = await device.store["SDMeal"] ?? [:]
                #expect(meals[one.description]?["notes"] == "anna's")
                #expect(meals[other.description]?["notes"] == "bela's")
            }
            let members = try await bela.request("GET", "spaces/\(space)/members").json["members"].elements
            #expect(members.map { $0["subject"] } == ["anna", "bela"] && members.map { $0["you"] } == [false, true])
        }
    }

    @Test func aReadersChangesAreRefusedOneByOne() async throws {
        try await withTestServer { server in
            let (anna, bela) = (try await Person("anna", server), try await Person("bela", server))
            let space = try await anna.makeSpace()
            try await anna.bring(bela, to: space, as: "reader")
            let (writer, reader) = (anna.device(in: "\(space)"), bela.device(in: "\(space)"))
            let meal = ID.random()
            try await writer.push([.create("SDMeal", meal, ["notes": "read me"], at: moment(1))])
            let changes: JSONValue = [
                "changes": [
                    .update("SDMeal", meal, ["notes": "changed"], at: moment(2)),
                    .create("SDMeal", .random(), at: moment(2)), "no change at all",
                ]
            ]
            for path in ["changes", "sync"] {
                let reply = try await bela.request("POST", "spaces/\(space)/\(path)", changes)
                #expect(reply.status == 200)
                #expect(reply.json["results"].elements.map { $0["code"] } == ["read-only", "read-only", "read-only"])
            }
            try await reader.pullAll()
            #expect(await reader.store["SDMeal"]?.values.map { $0["notes"] } == ["read me"])
            // Once she may, the same change is taken.
            let change = try await anna.request("PUT", "spaces/\(space)/members/bela", ["role": "editor"])
            #expect(change.status == 200, "\(change)")
            try await eventually("what bela may has reached her requests") {
                try await bela.request("POST", "spaces/\(space)/changes", changes).json["applied"] == 2
            }
        }
    }

    /// Within 5 s by the look-up of tokens, which `IdentityTests` times; streams are ended by the next review.
    @Test func whoIsRemovedIsInformedAndReceivesNothingMore() async throws {
        try await withTestServer { server in
            let (anna, bela) = (try await Person("anna", server), try await Person("bela", server))
            let space = try await anna.makeSpace()
            try await anna.bring(bela, to: space)
            let stream = try await server.listen(space: space, token: bela.token)
            #expect(try await stream.next() == 0)
            let removal = try await anna.request("DELETE", "spaces/\(space)/members/bela")
            #expect(removal.status == 204, "\(removal)")
            try await eventually("she is told") {
                try await bela.status(in: space).isProblem(403, "not-a-member")
            }
            try await server.service.reviewEvents()
            #expect(await stream.ends())
            // As for a space that is none.
            let absent = try await bela.status(in: .random())
            #expect(try await bela.status(in: space).body == absent.body)
        }
    }

    @Test func aSpaceKeepsAnOwner() async throws {
        try await withTestServer { server in
            let (anna, bela) = (try await Person("anna", server), try await Person("bela", server))
            let space = try await anna.makeSpace()
            try await anna.bring(bela, to: space)
            #expect(
                try await anna.request("DELETE", "spaces/\(space)/members/anna").isProblem(409, "last-owner"))
            #expect(
                try await anna.request("PUT", "spaces/\(space)/members/anna", ["role": "editor"])
                    .isProblem(409, "last-owner"))
            #expect(try await anna.request("PUT", "spaces/\(space)/members/bela", ["role": "owner"]).status == 200)
            // Both want to go at the same time: one stays.
            let server = server
            let statuses = try await withThrowingTaskGroup { group in
                for subject: Subject in ["anna", "bela"] {
                    group.addTask {
                        let sharing = SpaceSharing(app: server.plan.app, databases: server.service.databases)
                        do {
                            try await sharing.remove(subject, from: space)
                            return true
                        } catch SharingError.lastOwner {
                            return false
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count { $0 } == 1)
        }
    }

    @Test func onlyAnOwnerRemovesOthersAndAnybodyLeaves() async throws {
        try await withTestServer { server in
            let (anna, bela) = (try await Person("anna", server), try await Person("bela", server))
            let space = try await anna.makeSpace()
            try await anna.bring(bela, to: space)
            #expect(try await bela.request("DELETE", "spaces/\(space)/members/anna").isProblem(403, "forbidden"))
            #expect(try await bela.request("PUT", "spaces/\(space)/members/bela", ["role": "owner"]).status == 403)
            #expect(try await bela.request("DELETE", "spaces/\(space)/members/bela").status == 204)
            #expect(try await bela.status(in: space).isProblem(403, "not-a-member"))
            #expect(try await anna.request("DELETE", "spaces/\(space)/members/bela").isProblem(404, "not-found"))
        }
    }
}
