import DemoApps
import SyncEngine
import SyncServer
import SyncTestSupport
import Testing
import WireFormats

/// A family whose phones have prices as Double and as Decimal.
@Suite struct AllesTeurerHistoryTests {
    private static let conversion = DoubleToDecimal()

    private func entity(_ device: TestDevice) -> String { device.version == "1.0.0" ? "PurchaseV1" : "Purchase" }

    @Test(
        "S4_04: phones of Double and of Decimal edit the same purchases, and all end with the latest prices",
        arguments: [1, UInt64.random(in: 2 ... .max)])
    func aFamilyOfTwoArithmeticsConverges(seed: UInt64) async throws {
        try await withTestServer(AllesTeurerPlan.self) { server in
            var random = SplitMix64(seed: seed)
            let purchases = (0..<3).map { _ in ID.random(using: &random) }
            try await server.device("2.0.0").send(purchases.map { .create("Purchase", $0, at: moment(1)) })
            let family = ["1.0.0", "2.0.0", "3.0.0", "1.0.0", "2.0.0"].map { server.device($0) }
            for device in family { try await device.pullAll() }
            var latest: [String: DecimalText] = [:]
            for round in 2..<80 {
                let device = family[Int(random.next() % 5)]
                let id = purchases[Int(random.next() % 3)]
                let name = random.next() % 2 == 0 ? "totalPrice" : "quantity"
                // No two are equal, so each edit is one.
                let number = Double(round * 1000 + Int(random.next() % 1000)) / 70
                let exact = try #require(
                    device.version == "1.0.0"
                        ? AllesTeurerHistoryTests.conversion.up(number)
                        : DecimalText("\(round)\(random.next() % 1000).\(random.next())\(random.next())"))
                let value = device.version == "1.0.0" ? JSONValue.double(number) : .string(exact.text)
                latest["\(id) \(name)"] = exact
                await device.make([.update(entity(device), id, [name: value], at: moment(Int64(round)))])
                if random.next() % 4 == 0 { try await device.sync() }
            }
            for device in family { try await device.sync() }
            for device in family {
                try await device.pullAll()
                #expect(await device.store == (try await server.view(device.version)), "seed \(seed)")
                for (key, exact) in latest {
                    let id = try #require(ID(String(key.prefix(36))))
                    let seen = await device.value(entity(device), id, String(key.dropFirst(37)))
                    let expected =
                        device.version == "1.0.0"
                        ? JSONValue(number: AllesTeurerHistoryTests.conversion.down(exact)) : .string(exact.text)
                    #expect(seen == expected, "seed \(seed), \(device.version) \(key)")
                }
            }
        }
    }

    @Test("S4_05, S4_09: prices that a Double cannot hold survive phones of Double that send everything again")
    func untouchedPricesSurviveWholeRecords() async throws {
        try await withTestServer(AllesTeurerPlan.self) { server in
            var random = SplitMix64(seed: 7)
            let exact = server.device("2.0.0")
            try await exact.push(
                (0..<100).map { _ in
                    let third = "0.\(String(repeating: "3", count: 37))"
                    let price = "\(random.next() % 1000).\(random.next())\(random.next())7"
                    return .create(
                        "Purchase", .random(), ["totalPrice": .string(price), "quantity": .string(third)], at: moment(1)
                    )
                })
            let before = try await server.view("2.0.0")
            for (id, fields) in before["Purchase"] ?? [:] {
                let written = try #require(await exact.store["Purchase"]?[id])
                for name in ["totalPrice", "quantity"] {
                    #expect(fields[name] == written[name] && written[name]?.string.map { $0.count > 25 } == true)
                }
            }
            for hours in 1...2 {
                let old = server.device("1.0.0")
                try await old.pullAll()
                let echo = await old.store["PurchaseV1"]?.compactMap { id, fields in
                    ID(id).map { JSONValue.update("PurchaseV1", $0, fields, at: moment(Int64(hours) * 1000)) }
                }
                #expect(try await old.push(echo ?? []).verdicts == Array(repeating: "unchanged", count: 100))
            }
            #expect(try await server.view("2.0.0") == before)
        }
    }

    @Test("S4_06: phones that upload their own migrated copies change nothing that anybody sees")
    func migratedCopiesChangeNothing() async throws {
        try await withTestServer(AllesTeurerPlan.self) { server in
            let id = ID.random()
            let prices: [Double] = [0.07, 3.133, 0.1 + 0.2, 5 / 3]
            try await server.device("1.0.0").push(
                prices.map { price in
                    .create(
                        "PurchaseV1", price == 0.07 ? id : .random(),
                        [
                            "shopName": "S", "date": "2026-01-31T08:00:00Z", "totalPrice": .double(price),
                            "quantity": .double(1 / price), "actualProductName": "P", "unit": "kg",
                        ], at: moment(1))
                })
            let before = try await server.view("2.0.0")
            for hours in 1...3 {
                let phone = server.device("2.0.0")
                let copy = before["Purchase"]?.compactMap { id, fields in
                    ID(id).map { JSONValue.create("Purchase", $0, fields, at: moment(Int64(hours) * 1000)) }
                }
                #expect(try await phone.push(copy ?? []).verdicts == Array(repeating: "unchanged", count: 4))
            }
            #expect(try await server.view("2.0.0") == before)
            #expect(before["Purchase"]?[id.description]?["totalPrice"] == "0.07")
        }
    }

    @Test("S4_10: a number without a counterpart is refused by itself or shown as the nearest, and never lost")
    func numbersWithoutCounterpart() async throws {
        try await withTestServer(AllesTeurerPlan.self) { server in
            let new = server.device("2.0.0")
            let strange: [JSONValue] = ["NaN", "Infinity", "-Infinity", "", "1e99999999", 1.5, nil]
            let changes = (strange + ["1e400", "-0", "1e-400"]).map { value in
                JSONValue.create("Purchase", .random(), ["totalPrice": value], at: moment(1))
            }
            let answer = try await new.push(changes)
            #expect(answer.verdicts == strange.map { _ in "rejected" } + ["applied", "applied", "applied"])
            #expect(Set(answer.codes.values) == ["wrong-type"])
            func prices(_ version: String, _ entity: String) async throws -> Set<JSONValue?> {
                Set((try await server.view(version)[entity] ?? [:]).values.map { $0["totalPrice"] })
            }
            #expect(try await prices("1.0.0", "PurchaseV1") == [.double(.greatestFiniteMagnitude), 0])
            let kept = ["1e400", "0", "1e-400"].map { DecimalText($0).map { JSONValue.string($0.text) } }
            #expect(try await prices("2.0.0", "Purchase") == Set(kept))

            let old = server.device("1.0.0")
            var fields: [String: JSONValue] = [
                "shopName": "S", "date": "2026-01-31T08:00:00Z", "quantity": 1, "actualProductName": "P", "unit": "kg",
            ]
            let olds = ([1e300, 1e-300, "NaN", nil] as [JSONValue]).map { value in
                fields["totalPrice"] = value
                return JSONValue.create("PurchaseV1", .random(), fields, at: moment(2))
            }
            #expect(try await old.push(olds).codes == [2: "wrong-type", 3: "wrong-type"])
            #expect(try await prices("1.0.0", "PurchaseV1").isSuperset(of: [1e300, 1e-300]))
        }
    }
}
