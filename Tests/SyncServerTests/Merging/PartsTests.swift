import SyncTestSupport
import Testing
import WireFormats

/// Tests of a stage that links one attribute with several, each with its own stamp. 0.0.7 has a quantity in words,
/// 0.0.8 as a number and a unit.
@Suite struct PartsTests {
    private let id = ID.random()

    /// H6: nobody contradicts the unit.
    @Test(arguments: [[0, 1], [1, 0]])
    func editsOfTwoPartsBothStand(order: [Int]) async throws {
        try await withItem { server in
            let edits: [JSONValue] = [
                .update("SDMealLogItem", id, ["unit": "g"], at: moment(1000)),
                .update("SDMealLogItem", id, ["quantity": 3], at: moment(2000)),
            ]
            for index in order {
                #expect(try await server.device("0.0.8").push([edits[index]]).verdicts == ["applied"])
            }
            // However often they arrive.
            for edit in edits { #expect(try await server.device("0.0.8").push([edit]).verdicts == ["unchanged"]) }
            let item = try await server.view("0.0.8")["SDMealLogItem"]?[id.description]
            #expect(item?["quantity"] == 3 && item?["unit"] == "g")
            #expect(try await server.view("0.0.7")["SDMealLogItem"]?[id.description]?["quantity"] == "3 g")
        }
    }

    /// The words are the later word on the unit only.
    @Test(arguments: [[0, 1], [1, 0]])
    func wordsStandInThePartThatNobodyHasSaidLater(order: [Int]) async throws {
        try await withItem { server in
            let old = server.device("0.0.7")
            let edits: [(TestDevice, JSONValue)] = [
                (old, .update("SDMealLogItem", id, ["quantity": "2 kg"], at: moment(1000))),
                (server.device("0.0.8"), .update("SDMealLogItem", id, ["quantity": 3], at: moment(2000))),
            ]
            for index in order { try await edits[index].0.push([edits[index].1]) }
            let item = try await server.view("0.0.8")["SDMealLogItem"]?[id.description]
            #expect(item?["quantity"] == 3 && item?["unit"] == "kg")
            try await old.pullAll()
            #expect(await old.value("SDMealLogItem", id, "quantity") == "3 kg")
        }
    }

    /// P4. As a part the number goes before what the words convert to, and as a whole the words before the number.
    @Test(arguments: [[0, 1], [1, 0]])
    func wordsAndANumberWithOneStampDoNotReplaceEachOther(order: [Int]) async throws {
        try await withTestServer { server in
            let edits: [(TestDevice, JSONValue)] = [
                (server.device("0.0.8"), .create("SDMealLogItem", id, ["quantity": 1], at: moment(1))),
                (server.device("0.0.7"), .create("SDMealLogItem", id, ["quantity": "some"], at: moment(1))),
            ]
            try await edits[order[0]].0.send([edits[order[0]].1])
            for index in [order[1], 0, 1, 1, 0] {
                try await edits[index].0.send([edits[index].1])
                #expect(try await server.view("0.0.7")["SDMealLogItem"]?[id.description]?["quantity"] == "1")
            }
        }
    }

    /// P4. The winner of two equal edits of all parts was decided by the number; once a later number is there, the
    /// unit alone must not decide it again.
    @Test(arguments: [false, true])
    func whatLostAgainstAnEqualStampLosesAfterALaterEditOfAPart(isWordsFirst: Bool) async throws {
        try await withTestServer { server in
            let (winner, loser) = (2, 1)
            let words = isWordsFirst ? "\(winner) a" : "\(loser) mm"
            let number: JSONValue = isWordsFirst ? .int(Int64(loser)) : .int(Int64(winner))
            let equals: [(TestDevice, JSONValue)] = [
                (server.device("0.0.7"), .create("SDMealLogItem", id, ["quantity": .string(words)], at: moment(1))),
                (
                    server.device("0.0.8"),
                    .create(
                        "SDMealLogItem", id, ["quantity": number, "unit": isWordsFirst ? "mm" : "a"], at: moment(1))
                ),
            ]
            for (device, edit) in equals { try await device.send([edit]) }
            let later = JSONValue.update("SDMealLogItem", id, ["quantity": 3], at: moment(2000))
            try await server.device("0.0.8").send([later])
            for (device, edit) in equals + equals {
                try await device.send([edit])
                #expect(try await server.view("0.0.7")["SDMealLogItem"]?[id.description]?["quantity"] == "3 a")
            }
        }
    }

    /// With the earlier of the two stamps, with which a pull sends the words.
    @Test func wordsThatAreReadAsTheyAreSaidAreNothingNew() async throws {
        try await withItem { server in
            try await server.device("0.0.8").push([.update("SDMealLogItem", id, ["quantity": 3], at: moment(2000))])
            let echo = JSONValue.update("SDMealLogItem", id, ["quantity": "3 cups"], at: moment(1))
            #expect(try await server.device("0.0.7").push([echo]).verdicts == ["unchanged"])
        }
    }

    /// P4. The unit was repeated since, so that the words stand as they were written; they stand when they come again.
    @Test func wordsThatArriveOnceMoreChangeNothing() async throws {
        try await withTestServer { server in
            let (old, new) = (server.device("0.0.7"), server.device("0.0.8"))
            let words = JSONValue.create("SDMealLogItem", id, ["quantity": "some"], at: moment(1000))
            try await old.push([words])
            try await new.pullAll()
            let unit = try #require(await new.value("SDMealLogItem", id, "unit"))
            #expect(
                try await new.push([.update("SDMealLogItem", id, ["unit": unit], at: moment(2000))]).verdicts
                    == ["unchanged"])
            try await old.send([words])
            #expect(try await server.view("0.0.7")["SDMealLogItem"]?[id.description]?["quantity"] == "some")
        }
    }

    /// 0.0.8 would make "1.5 cups" of what it reads of "1 1/2 cups", so that says more, though it is the less of two.
    @Test(arguments: [["1 1/2 cups", "1.5 cups"], ["1.5 cups", "1 1/2 cups"]])
    func ofTwoWordsWithOneStampThoseStandThatSayMore(order: [String]) async throws {
        try await withTestServer { server in
            for words in order {
                let edit = JSONValue.update("SDMealLogItem", id, ["quantity": .string(words)], at: moment(1000))
                try await server.device("0.0.7").push([edit])
            }
            let item = try await server.view("0.0.7")["SDMealLogItem"]?[id.description]
            #expect(item?["quantity"] == "1 1/2 cups")
        }
    }

    /// Devices that have read nothing make four edits, or two with one stamp. (Of three, two of which have one stamp,
    /// the order may decide.)
    @Test(arguments: 0..<12)
    func everyOrderOfArrivalEndsTheSame(round: Int) async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix64(seed: seed)
        let texts = ["1 1/2 cups", "1.5 cups", "2 kg", "25 aa", "some", "2"]
        let (numbers, units): ([JSONValue], [JSONValue]) = ([1.5, 2, 25, 0], ["cups", "kg", "aa", ""])
        let stamps: [Int64] = round % 3 == 0 ? [1000, 1000] : [1000, 2000, 3000, 4000]
        let edits = stamps.map { stamp -> (String, [String: JSONValue], Int64) in
            let (number, unit) = (numbers.randomElement(using: &random)!, units.randomElement(using: &random)!)
            switch random.below(4) {
            case 0, 1: return ("0.0.7", ["quantity": .string(texts.randomElement(using: &random)!)], stamp)
            case 2: return ("0.0.8", random.below(2) == 0 ? ["quantity": number] : ["unit": unit], stamp)
            default: return ("0.0.8", ["quantity": number, "unit": unit], stamp)
            }
        }
        try await withTestServer { server in
            var outcomes: Set<[JSONValue?]> = []
            for order in permutations(of: Array(edits.indices)) {
                let item = ID.random()
                for index in order {
                    let (version, fields, stamp) = edits[index]
                    try await server.device(version).push([
                        .update("SDMealLogItem", item, fields, at: moment(stamp))
                    ])
                }
                let (old, new) = (
                    try await server.view("0.0.7")["SDMealLogItem"]?[item.description],
                    try await server.view("0.0.8")["SDMealLogItem"]?[item.description]
                )
                outcomes.insert([old?["quantity"], new?["quantity"], new?["unit"]])
            }
            #expect(outcomes.count == 1, "seed \(seed): \(edits) end as \(outcomes)")
        }
    }

    private func permutations(of indices: [Int]) -> [[Int]] {
        if indices.count < 2 { return [indices] }
        return indices.flatMap { first in
            permutations(of: indices.filter { $0 != first }).map { [first] + $0 }
        }
    }

    private func withItem(_ body: (TestServer) async throws -> Void) async throws {
        try await withTestServer { server in
            let fields: [String: JSONValue] = ["quantity": 1.5, "unit": "cups"]
            try await server.device("0.0.8").push([.create("SDMealLogItem", id, fields, at: moment(1))])
            try await body(server)
        }
    }
}
