import SyncModel
import Testing
import WireFormats

/// Tests of parts and policies in the model: the winner does not depend on the order in which changes arrive.
@Suite struct ModelOrderTests {
    // MARK: Parts

    @Test func aWholeThatWinsInAllPartsIsKeptAsItWasWritten() throws {
        var grocery = try Grocery()
        grocery.edit(["number": .double(1), "unit": .string("g")], at: 10, in: 2)
        grocery.edit(["amount": .string("02 cups")], at: 20, in: 1)
        #expect(grocery.reads("amount", in: 1) == .string("02 cups"))
        #expect(grocery.reads("number", in: 3) == .decimal("2") && grocery.reads("unit", in: 2) == .string("cups"))
    }

    @Test func aWholeThatWinsInSomePartsIsMadeOfThem() throws {
        var grocery = try Grocery()
        grocery.edit(["number": .decimal("1.50000000000000000001")], at: 30, in: 3)
        grocery.edit(["amount": .string("02 cups")], at: 20, in: 1)
        #expect(grocery.reads("amount", in: 1) == .string("1.5 cups"))
        #expect(grocery.reads("number", in: 3) == .decimal("1.50000000000000000001"))
        // A whole wins over the parts that are earlier, and only there.
        grocery.edit(["amount": .string("7 g")], at: 25, in: 1)
        #expect(grocery.reads("amount", in: 1) == .string("1.5 g"))
    }

    @Test func ofWholesWithOneStampTheGreaterWinsInAllParts() throws {
        let edits = [
            Grocery.change(["amount": .string("2 a")], at: 10, in: 1),
            Grocery.change(["number": .double(1), "unit": .string("b")], at: 10, in: 2),
        ]
        try expectOneEnd(edits, "two wholes")
        var grocery = try Grocery()
        for edit in edits { grocery.take(edit) }
        #expect(grocery.reads("amount", in: 1) == .string("2 a"))
    }

    @Test(arguments: [1, 2, UInt64.random(in: 3 ... .max)])
    func noOrderOfEditsOfAnAmountMatters(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for _ in 0..<60 {
            let stamps: [Int64] = [10, 20, 30, 40].shuffled(using: &random)
            try expectOneEnd(stamps.map { ModelOrderTests.edit(at: $0, using: &random) }, "seed \(seed)")
        }
    }

    /// After others; but where a third edit of a part is later it does, says the page.
    @Test(arguments: [1, 2, UInt64.random(in: 3 ... .max)])
    func norDoesThatOfTwoWithOneStamp(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for _ in 0..<300 {
            let before = [10, 12].map { ModelOrderTests.edit(at: $0, using: &random) }
            let tied = [15, 15].map { ModelOrderTests.edit(at: $0, using: &random) }
            try expectOneEnd(tied, after: before, "seed \(seed)")
        }
    }

    /// P4, in any order of the three.
    @Test(arguments: [1, 2, UInt64.random(in: 3 ... .max)])
    func whichOfTwoWithOneStampWinsIsNotDecidedAgain(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for _ in 0..<300 {
            let changes = [15, 15, 20].map { ModelOrderTests.edit(at: $0, using: &random) }
            for order in ModelOrderTests.orders(of: changes) {
                var grocery = try Grocery()
                for change in order { grocery.take(change) }
                let end = grocery.views
                for change in order + order.reversed() {
                    grocery.take(change)
                    let said = order.map { "\($0.operation) \($0.version) \($0.stamp?.rawValue ?? 0) \($0.fields)" }
                    #expect(grocery.views == end, "seed \(seed): \(said), \(change.fields) again")
                }
            }
        }
    }

    /// By a device that holds nothing: what is repeated depends on what is there.
    private static func edit(at stamp: Int64, using random: inout SplitMix64) -> ModelChange {
        let version = Int.random(in: 1...3, using: &random)
        var fields: [String: Value] = [:]
        if version == 1 {
            fields["amount"] = .string(["2 cups", "02 cups", "2.0 g", "g", "1.5 cups"].randomElement(using: &random)!)
        } else {
            let parts = Int.random(in: 1...3, using: &random)
            let number = ["2", "1.5", "0", "1.50000000000000000001"].randomElement(using: &random)!
            if parts & 1 > 0 { fields["number"] = version == 2 ? .double(Double(number)!) : .decimal(number) }
            if parts & 2 > 0 { fields["unit"] = .string(["cups", "g", ""].randomElement(using: &random)!) }
        }
        let operation: ModelChange.Operation = Int.random(in: 0..<4, using: &random) == 0 ? .create : .update
        return Grocery.change(operation, fields, at: stamp, in: version)
    }

    /// Every order of the changes, and of what each says again, ends the same in every version.
    private func expectOneEnd(
        _ changes: [ModelChange], after before: [ModelChange] = [], _ about: String
    ) throws {
        var empty = try Grocery()
        for change in before { empty.take(change) }
        var first: Grocery?
        for order in ModelOrderTests.orders(of: changes) {
            var grocery = empty
            for change in order { grocery.take(change) }
            let said = (before + order).map { "\($0.operation) \($0.version) \($0.stamp?.rawValue ?? 0) \($0.fields)" }
            if let first {
                #expect(grocery.views == first.views, "\(about): \(said)")
                if grocery.views != first.views { return }
            }
            first = first ?? grocery
            for change in order.reversed() { grocery.take(change) }
            #expect(grocery.views == first?.views, "\(about), sent again: \(said)")
        }
    }

    private static func orders(of changes: [ModelChange]) -> [[ModelChange]] {
        if changes.count < 2 { return [changes] }
        return changes.indices.flatMap { index in
            var rest = changes
            let next = rest.remove(at: index)
            return orders(of: rest).map { [next] + $0 }
        }
    }

    // MARK: Policies

    @Test func theGreatestAndTheLeastAreOfAllThatWereWritten() throws {
        let edits = [
            Grocery.change(["best": .int(4), "cheapest": .int(7)], at: 30, in: 1),
            Grocery.change(["best": .int(6), "cheapest": .null], at: 10, in: 2),
            Grocery.change(["best": .int(5), "cheapest": .int(3)], at: 20, in: 3, isHeld: true),
        ]
        try expectOneEnd(edits, "the greatest and the least")
        var grocery = try Grocery()
        grocery.take(edits[0])
        // A default is nothing that anyone wrote.
        #expect(grocery.reads("best", in: 1) == .int(4))
        for edit in edits { grocery.take(edit) }
        #expect(grocery.reads("best", in: 2) == .int(6) && grocery.reads("cheapest", in: 1) == .int(3))
    }

    @Test func aUnionIsOfAllElements() throws {
        let edits = [
            Grocery.change(["tags": .json(#"["b","a","b"]"#)], at: 30, in: 1),
            Grocery.change(["tags": .json("[]")], at: 40, in: 2, isHeld: true),
            Grocery.change(["tags": .json(#"["c"]"#)], at: 20, in: 3),
        ]
        try expectOneEnd(edits, "the union")
        var grocery = try Grocery()
        for edit in edits { grocery.take(edit) }
        #expect(grocery.reads("tags", in: 1) == .json(#"["a","b","c"]"#))
    }

    @Test func incrementsCountOnce() throws {
        var grocery = try Grocery()
        grocery.add(2, at: 30, device: 1)
        grocery.add(3, at: 20, device: 1)
        grocery.add(4, at: 30, device: 2)
        for _ in 1...2 { grocery.add(2, at: 30, device: 1) }
        #expect(grocery.reads("opened", in: 1) == .int(9))
    }

    @Test func whatACreationBeginsWithIsOfNobody() throws {
        var grocery = try Grocery()
        for device in [1, 2] as [UInt64] {
            var change = Grocery.change(.create, ["opened": .int(5)], at: 10, in: 2)
            change.device = ID(high: 2, low: device)
            grocery.take(change)
        }
        #expect(grocery.reads("opened", in: 2) == .int(5))
        grocery.take(Grocery.change(.create, ["opened": .int(1)], at: 11, in: 3))
        grocery.add(1, at: 11, device: 1)
        #expect(grocery.reads("opened", in: 2) == .int(7))
    }

    @Test func aVersionThatKnowsNoCounterSetsIt() throws {
        var grocery = try Grocery()
        grocery.add(2, at: 30, device: 1)
        // An echo.
        grocery.edit(["opened": .int(2)], at: 31, in: 1)
        #expect(grocery.reads("opened", in: 2) == .int(2))
        grocery.edit(["opened": .int(7)], at: 40, in: 1)
        grocery.add(1, at: 35, device: 1)
        #expect(grocery.reads("opened", in: 2) == .int(8))
        // Made before the latest; and a retry, which counts once.
        grocery.edit(["opened": .int(100)], at: 39, in: 1)
        grocery.edit(["opened": .int(7)], at: 40, in: 1)
        #expect(grocery.reads("opened", in: 1) == .int(8))
    }
}
