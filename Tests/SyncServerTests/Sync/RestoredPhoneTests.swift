import SyncTestSupport
import Testing
import WireFormats

/// A phone is put back from its backup, or another begins with a copy of it: store, cursor and `Device-Id`.
@Suite struct RestoredPhoneTests {
    private let device = ID.random()

    @Test func aPhoneIsSentWhatItPushedAfterItsBackup() async throws {
        try await withTestServer { server in
            let (phone, known, new) = (server.device("0.0.7", id: device), ID.random(), ID.random())
            try await phone.push([.create("SDMeal", known, ["notes": "A"], at: moment(1))])
            // So that the phone's cursor is not at the head, and what it pushes lies in its ranges.
            try await server.device().push([.create("SDMeal", .random(), ["notes": "other"], at: moment(1))])
            let (store, cursor) = (await phone.store, await phone.cursor)
            try await phone.push([
                .update("SDMeal", known, ["notes": "B"], at: moment(2)),
                .create("SDMeal", new, ["notes": "new"], at: moment(2)),
            ])
            let restored = server.device("0.0.7", id: device)
            await restored.take(over: store, cursor: cursor)
            try await restored.pullAll()
            #expect(await restored.store == (try await server.view("0.0.7")))
            #expect(await restored.holds("SDMeal", new))
        }
    }

    /// Each is sent what the other pushes, whoever pushes first and whether or not they push in turn.
    @Test func twoCopiesOfAPhoneReceiveEachOthersChanges() async throws {
        try await withTestServer { server in
            let (one, id) = (server.device("0.0.7", id: device), ID.random())
            try await one.push([.create("SDMeal", id, ["notes": "A", "rawInput": "a"], at: moment(1))])
            let copy = server.device("0.0.7", id: device)
            await copy.take(over: await one.store, cursor: await one.cursor)
            try await server.device().push([.create("SDMeal", .random(), ["notes": "other"], at: moment(1))])
            for round in 1...3 as ClosedRange<Int64> {
                try await one.push([.update("SDMeal", id, ["notes": .string("\(round)")], at: moment(10 * round))])
                let input: JSONValue = .string("\(round)")
                try await copy.push([.update("SDMeal", id, ["rawInput": input], at: moment(10 * round + 1))])
                try await one.push([.create("SDMeal", .random(), ["notes": "one"], at: moment(10 * round))])
                try await one.pullAll()
                try await copy.pullAll()
                let view = try await server.view("0.0.7")
                #expect(await one.store == view)
                #expect(await copy.store == view)
            }
        }
    }
}
