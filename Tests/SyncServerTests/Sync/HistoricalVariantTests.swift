import DemoApps
import SyncTestSupport
import Testing
import WireFormats

/// Tests of several shapes under one version number, distinguished by fingerprint, over HTTP.
@Suite struct HistoricalVariantTests {
    private let meal = ID.random()
    private let item = ID.random()
    private let night = ID.random()

    @Test("S3_12: clients of the first cut of a version, of the version and of its neighbours lose nothing")
    func shapesOfOneNumberEditTheSameRecords() async throws {
        try await withTestServer { server in
            let devices = ["0.0.9", "0.1.0", try server.name(ofVariant: 0), "0.1.1"].map { server.device($0) }
            let (old, restored, first, new) = (devices[0], devices[1], devices[2], devices[3])
            let day: JSONValue = "2026-01-31T08:00:00Z"
            try await first.push([
                .create("SDMeal", meal, ["date": day, "name": "Breakfast", "notes": "late"], at: moment(1)),
                .create(
                    "SDMealLogItem", item, ["foodName": "Oats", "proteinG": 7, "quantity": 1.5, "unit": "cups"],
                    at: moment(1)),
                .create("SDSleepSession", night, ["startDate": day, "endDate": "2026-01-31T16:00:00Z"], at: moment(1)),
            ])
            for device in [old, restored, new] {
                try await device.pullAll()
                #expect(await device.value("SDMeal", meal, "loggedAt") == day)
                #expect(await device.value("SDMeal", meal, "status") == "pending")
                #expect(await device.value("SDMealLogItem", item, "name") == "Oats")
                #expect(await device.value("SDMealLogItem", item, "protein") == 7)
                #expect(await device.value("SDMealLogItem", item, "foodType") == "food")
                #expect(await device.value("SDSleepSession", night, "startTime") == day)
                #expect(await device.value("SDSleepSession", night, "date") == "2026-01-31T16:00:00Z")
            }
            try await old.push([
                .update("SDMeal", meal, ["status": "done"], at: moment(2)),
                .update("SDMealLogItem", item, ["parsingNotes": "seen", "carbs": 30], at: moment(2)),
            ])
            try await new.push([.update("SDMealLogItem", item, ["foodType": "drink", "fat": 4], at: moment(3))])
            // It sends whole records, as it reads them.
            try await first.pullAll()
            let whole = await first.store
            try await first.push([
                .update("SDMeal", meal, whole["SDMeal"]?[meal.description] ?? [:], at: moment(4)),
                .update("SDMealLogItem", item, whole["SDMealLogItem"]?[item.description] ?? [:], at: moment(4)),
            ])
            try await restored.push([.update("SDMeal", meal, ["notes": "early"], at: moment(5))])
            try await first.push([.update("SDMeal", meal, ["name": "Brunch"], at: moment(6))])
            for device in devices { try await device.pullAll() }
            for device in [old, restored, new] {
                #expect(await device.value("SDMeal", meal, "status") == "done")
                #expect(await device.value("SDMeal", meal, "notes") == "early")
                #expect(await device.value("SDMealLogItem", item, "parsingNotes") == "seen")
                #expect(await device.value("SDMealLogItem", item, "carbs") == 30)
                #expect(await device.value("SDMealLogItem", item, "fat") == 4)
                #expect(await device.value("SDMealLogItem", item, "foodType") == "drink")
            }
            #expect(await first.value("SDMeal", meal, "name") == "Brunch")
            #expect(await first.value("SDMeal", meal, "notes") == "early")
            #expect(await first.value("SDMealLogItem", item, "carbsG") == 30)
            #expect(await first.value("SDMealLogItem", item, "fatG") == 4)
            for device in devices { #expect(await device.store == (try await server.view(device.version))) }
        }
    }

    @Test("S3_01: a build without a version number is known by the fingerprint of its store")
    func aFingerprintAloneNamesAShape() async throws {
        try await withTestServer(KeepTrackPlan.self) { server in
            let stores = try server.name(ofVariant: 0)
            let alone = server.device(";fp=\(try #require(stores.split(separator: "=").last))")
            let goal: [String: JSONValue] = [
                "name": "Water", "goalDescription": "", "dates": [], "isActive": true, "isCompleted": false,
                "dosage": 2, "units": "l", "frequency": "daily",
            ]
            #expect(try await alone.push([.create("SDGoal", meal, goal, at: moment(1))]).verdicts == ["applied"])
            try await alone.pullAll()
            for (version, entity) in [("0.0.0", "SDGoalV0"), ("1.0.0", "SDGoalV1"), ("2.0.0", "SDGoal")] {
                let device = server.device(version)
                try await device.pullAll()
                #expect(await device.value(entity, meal, "name") == "Water")
            }
            let reply = try await alone.request(alone.version, server)
            #expect(reply["schema-version"] == stores)
            // Without the header it is the baseline's, which calls it by another name.
            let unnamed = try await alone.request(nil, server)
            #expect(unnamed["schema-version"] == "0.0.0")
            #expect(unnamed.json["changes"].elements.map { $0["entity"] } == ["SDGoalV0"])
        }
    }

    @Test(arguments: ["0.1.0;fp=0123456789abcdef", ";fp=0123456789abcdef", ";fp=", "0.1.1;fp={variant}"])
    func aShapeThatIsNotKnownIsRefusedAndStoresNothing(version: String) async throws {
        try await withTestServer { server in
            let before = try await server.contents()
            let variant = try server.name(ofVariant: 0).suffix(16)
            let reply = try await server.client().request(
                "POST", server.path(),
                headers: [
                    "Authorization: Bearer \(server.token)", "Content-Type: application/json",
                    "Schema-Version: \(version.replacing("{variant}", with: variant))",
                ],
                body: JSONValue.object(["changes": [.create("SDMeal", meal, at: moment(1))]]).bytes)
            #expect(reply.status == 409 && reply.json["code"] == "schema-unknown", "\(reply)")
            #expect(reply["retry-after"] != nil)
            #expect(try await server.contents() == before)
        }
    }

    /// As of an app that went back to an older version, after edits that no server knew the newer one of.
    @Test(arguments: ["99.0.0", "0.1.0;fp=0123456789abcdef", ";fp=0123456789abcdef"])
    func aChangeOfAVersionThatIsNotKnownIsLeftInTheOutboxWithThePush(version: String) async throws {
        try await withTestServer { server in
            let before = try await server.contents()
            let reply = try await server.client().request(
                "POST", server.path(),
                headers: [
                    "Authorization: Bearer \(server.token)", "Content-Type: application/json",
                    "Schema-Version: 0.1.1",
                ],
                body: JSONValue.object([
                    "changes": [
                        .create("SDMeal", meal, at: moment(1)), .create("SDMeal", night, at: moment(1), in: version),
                    ]
                ]).bytes)
            #expect(reply.status == 409 && reply.json["code"] == "schema-unknown", "\(reply)")
            #expect(reply["retry-after"] != nil)
            #expect(reply.json["detail"].string?.contains("Change 1 ") == true, "\(reply)")
            #expect(try await server.contents() == before)
        }
    }

    /// A text that cannot be a version's name is the only fault: no newer server would know it.
    @Test(arguments: [";fp=", "0.0.4;fp=x", "0.0.4;fp=", ";fp=0123456789ABCDEF", "99.0.0;fp=0123456789abcde", "9", ""])
    func aChangeOfWhatIsNoVersionIsRejectedByItself(version: String) async throws {
        try await withTestServer { server in
            let device = server.device("0.1.1")
            let answer = try await device.send([
                .create("SDMeal", meal, at: moment(1)), .create("SDMeal", night, at: moment(1), in: version),
            ])
            #expect(answer.codes == [1: "unknown-version"], "\(answer)")
            #expect(try await server.view("0.1.1").count == 1)
        }
    }

    @Test func whatWasWrittenInAVariantIsReadInItAfterTheUpdate() async throws {
        try await withTestServer { server in
            let variant = try server.name(ofVariant: 0)
            let device = server.device("0.1.1")
            let answer = try await device.send([
                .create("SDMeal", meal, ["name": "Soup", "notes": "hot"], at: moment(1), in: variant),
                .create("SDMeal", item, ["name": "Soup"], at: moment(1)),
                .create("SDMeal", night, [:], at: moment(1), in: "soon"),
            ])
            #expect(answer.codes == [1: "unknown-attribute", 2: "unknown-version"])
            let first = server.device(variant)
            try await first.pullAll()
            #expect(await first.value("SDMeal", meal, "name") == "Soup")
        }
    }

    /// Between every two shapes of an app of which one is a variant, in pages of one and in large ones.
    @Test(arguments: [0, 2], [7, UInt64.random(in: 8 ... .max)])
    func anUpdateFromOrToAVariantEqualsAReinstall(app: Int, seed: UInt64) async throws {
        try await withTestServer(DemoApps.all[app]) { server in
            let plan = server.plan
            var fleet = RandomFleet(plan, seed: seed)
            func write(rounds: Int) async throws {
                for _ in 0..<rounds {
                    let index = plan.shapes.indices.randomElement(using: &fleet.random)!
                    try await server.device("\(plan.name(of: index))").send(fleet.changes(by: index, count: 5))
                }
            }
            try await write(rounds: 20)
            var olds: [TestDevice] = []
            for index in plan.shapes.indices {
                let old = server.device("\(plan.name(of: index))")
                try await old.pullAll()
                if index % 2 == 0 { try await old.push(fleet.changes(by: index, count: 4)) }
                olds.append(old)
            }
            try await write(rounds: 6)
            for newer in plan.shapes.indices {
                let name = "\(plan.name(of: newer))"
                let fresh = try await server.view(name).withoutEmpty
                for older in plan.shapes.indices where older != newer {
                    guard plan.isVariant(older) || plan.isVariant(newer) else { continue }
                    guard plan.isUpdate(from: older, to: newer) else { continue }
                    for limit in [1, 5000] {
                        let device = server.device(name, id: olds[older].id)
                        await device.take(over: await olds[older].ruined(as: newer, plan), cursor: olds[older].cursor)
                        try await device.pullAll(limit: limit)
                        let differences = await device.store.withoutEmpty.differences(from: fresh)
                        let about = "\(plan.app), seed \(seed), \(older) to \(newer), pages of \(limit)"
                        #expect(differences == [], "\(about)")
                    }
                }
            }
        }
    }

    @Test func theAppListsItsVariants() async throws {
        try await withTestServer { server in
            let reply = try await server.client().request("GET", "/v1/apps/fitiq")
            #expect(reply.json["versions"].elements.count == 11)
            let variants = reply.json["variants"].elements
            #expect(variants.map { $0["version"] } == ["0.1.0"])
            #expect(variants.map { $0["fingerprint"] } == [.string(server.plan.shapes[11].fingerprint)])
            #expect(variants.map { $0["variantOf"] } == [.string(server.plan.shapes[9].fingerprint)])
            let other = try await server.client().request("GET", "/v1/apps/easitopen")
            #expect(other.json["variants"].isNull)
        }
    }
}

extension TestServer {
    /// Returns the version's name that a device of a variant sends.
    fileprivate func name(ofVariant ordinal: Int) throws -> String {
        let index = plan.schemas.count + ordinal
        try #require(plan.shapes.indices.contains(index))
        return "\(plan.name(of: index))"
    }
}

extension TestDevice {
    /// Its records under the names of another shape and without anything in them: the least that a migration leaves.
    fileprivate func ruined(as newer: Int, _ plan: Plan) -> Store {
        guard let index = ShapeName(version).flatMap({ plan.index(of: $0) }) else { return [:] }
        var result: Store = [:]
        for case (let before?, let after?) in zip(plan.projections[index], plan.projections[newer]) {
            result[after.name] = store[before.name]?.mapValues { _ in [:] }
        }
        return result
    }

    /// A pull with this `Schema-Version`, or with none.
    fileprivate func request(_ version: String?, _ server: TestServer) async throws -> TestReply {
        try await server.client().request(
            "GET", server.path(),
            headers: ["Authorization: Bearer \(server.token)"] + (version.map { ["Schema-Version: \($0)"] } ?? []))
    }
}
