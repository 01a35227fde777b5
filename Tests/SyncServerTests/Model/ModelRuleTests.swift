import SyncModel
import Testing
import WireFormats

/// The rules of `docs/internals/cursors.md` as the model has them.
@Suite struct ModelRuleTests {
    // MARK: Repetitions (R4)

    @Test func whatADeviceHoldsAndReadsItRepeats() throws {
        var grocery = try Grocery()
        grocery.edit(["amount": .string("02 cups")], at: 10, in: 1)
        grocery.edit(["number": .double(2), "unit": .string("cups")], at: 20, in: 2, isHeld: true)
        #expect(grocery.reads("amount", in: 1) == .string("02 cups"))
        // Its stamp is the latest all the same.
        grocery.edit(["amount": .string("3 g")], at: 15, in: 1)
        #expect(grocery.reads("amount", in: 1) == .string("02 cups"))
        grocery.edit(["unit": .string("g")], at: 19, in: 2)
        #expect(grocery.reads("unit", in: 3) == .string("cups"))
    }

    @Test func whatADeviceDoesNotHoldItWrites() throws {
        var grocery = try Grocery()
        grocery.edit(["amount": .string("02 cups")], at: 10, in: 1)
        grocery.edit(["unit": .string("cups")], at: 20, in: 2)
        #expect(grocery.reads("amount", in: 1) == .string("2 cups"))
        grocery.edit(["number": .decimal("1.66666666666666666667")], at: 30, in: 3)
        guard case .double(let near)? = grocery.reads("number", in: 2) else { throw Missing() }
        grocery.edit(["number": .double(near)], at: 40, in: 2, isHeld: true)
        #expect(grocery.reads("number", in: 3) == .decimal("1.66666666666666666667"))
        grocery.edit(["number": .double(near)], at: 50, in: 2)
        #expect(grocery.reads("number", in: 3) == .decimal("\(near)"))
    }

    private struct Missing: Error {}

    @Test func anEarlierRepetitionChangesNothing() throws {
        var grocery = try Grocery()
        grocery.edit(["amount": .string("02 cups")], at: 10, in: 1)
        grocery.edit(["number": .double(2)], at: 9, in: 2)
        #expect(grocery.reads("amount", in: 1) == .string("02 cups"))
    }

    @Test func whatIsEqualAtOneStampIsLeftAlone() throws {
        for isHeld in [false, true] {
            var grocery = try Grocery()
            grocery.edit(["amount": .string("02 cups")], at: 10, in: 1)
            grocery.edit(["number": .double(2), "unit": .string("cups")], at: 10, in: 2, isHeld: isHeld)
            #expect(grocery.reads("amount", in: 1) == .string("02 cups"))
        }
    }

    /// A device that was sent a deletion holds nothing of the record that could be repeated, no reference either.
    @Test func ofADeletedRecordNothingIsRepeated() throws {
        var grocery = try Grocery()
        grocery.edit(["amount": .string("02 cups")], at: 10, in: 1)
        grocery.putOnShelf(at: 10)
        grocery.take(Grocery.change(.delete, [:], at: 20, in: 1))
        grocery.edit(["number": .double(2), "unit": .string("cups"), "shelf": .null], at: 30, in: 2, isHeld: true)
        grocery.take(Grocery.change(.create, [:], at: 40, in: 1))
        grocery.shelf(.create, at: 41)
        #expect(grocery.reads("amount", in: 1) == .string("2 cups"))
        #expect(grocery.reads("shelf", in: 1) == .null)
    }

    @Test func aReferenceThatLeadsToNothingIsReadAsNull() throws {
        var grocery = try Grocery()
        grocery.putOnShelf(at: 10)
        grocery.edit(["shelf": .null], at: 20, in: 2, isHeld: true)
        grocery.shelf(.create, at: 21)
        #expect(grocery.reads("shelf", in: 2) == .uuid(Grocery.shelf))
        // It leads somewhere now, so null says something else.
        grocery.edit(["shelf": .null], at: 30, in: 2, isHeld: true)
        #expect(grocery.reads("shelf", in: 2) == .null)
        grocery.putOnShelf(at: 40)
        grocery.shelf(.delete, at: 41)
        grocery.edit(["shelf": .null], at: 50, in: 2)
        grocery.shelf(.create, at: 51)
        #expect(grocery.reads("shelf", in: 2) == .null)
    }

    /// A target that came with the same push was not read by its device.
    @Test func aTargetOfTheSamePushIsNotRead() throws {
        var grocery = try Grocery()
        grocery.putOnShelf(at: 10)
        grocery.beginPush()
        grocery.shelf(.create, at: 20)
        grocery.edit(["shelf": .null], at: 30, in: 2, isHeld: true)
        #expect(grocery.reads("shelf", in: 2) == .uuid(Grocery.shelf))
        grocery.beginPush()
        grocery.edit(["shelf": .null], at: 40, in: 2, isHeld: true)
        #expect(grocery.reads("shelf", in: 2) == .null)
    }

    // MARK: Whole records (R5, R6)

    @Test func whatAWholeRecordLeavesAsItIsItDoesNotSay() throws {
        var grocery = try Grocery()
        grocery.edit(["amount": .string("02 cups"), "best": .int(3)], at: 10, in: 1)
        grocery.putOnShelf(at: 11)
        grocery.save(
            ["number": .double(2), "unit": .string("g"), "shelf": .null, "best": .int(3)], at: 20, in: 2)
        #expect(grocery.reads("amount", in: 1) == .string("2 g"))
        // The number was not said, so an earlier edit of it that comes later wins.
        grocery.edit(["number": .double(5)], at: 15, in: 2)
        #expect(grocery.reads("amount", in: 1) == .string("5 g"))
        grocery.shelf(.create, at: 30)
        #expect(grocery.reads("shelf", in: 1) == .uuid(Grocery.shelf))
    }

    @Test func aCreationSaysWhatNobodyHasSaidYet() throws {
        var grocery = try Grocery()
        grocery.edit(["number": .double(3)], at: 40, in: 2)
        var creation = Grocery.change(.create, ["number": .double(3), "unit": .string("")], at: 50, in: 2)
        creation.isWhole = true
        grocery.take(creation)
        grocery.edit(["unit": .string("g")], at: 30, in: 2)
        grocery.edit(["number": .double(2)], at: 45, in: 2)
        #expect(grocery.reads("amount", in: 1) == .string("2 "))
    }

    @Test func aWholeRecordIsJudgedOnce() throws {
        var grocery = try Grocery()
        grocery.save(["number": .double(0), "unit": .string("g")], at: 20, in: 2)
        grocery.edit(["number": .double(5)], at: 15, in: 2)
        grocery.save(["number": .double(0), "unit": .string("g")], at: 20, in: 2)
        #expect(grocery.reads("number", in: 2) == .double(5))
        // Another device's is another one.
        grocery.save(["number": .double(0), "unit": .string("g")], at: 20, in: 2, device: 2)
        #expect(grocery.reads("number", in: 2) == .double(0))
    }

    // MARK: Stamps (R2, R3)

    @Test func aChangeWithoutAStampComesAfterAllThatTheRecordHas() throws {
        var grocery = try Grocery()
        grocery.edit(["unit": .string("g")], at: 100, in: 2)
        var change = Grocery.change(["number": .double(1)], at: nil, in: 2)
        change.serverTime = Stamp(unchecked: 50)
        grocery.take(change)
        grocery.edit(["number": .double(2)], at: 100, in: 2)
        #expect(grocery.reads("number", in: 2) == .double(1))
        grocery.edit(["number": .double(3)], at: 102, in: 2)
        #expect(grocery.reads("number", in: 2) == .double(3))
        change.serverTime = Stamp(unchecked: 200)
        grocery.take(change)
        grocery.edit(["number": .double(4)], at: 199, in: 2)
        #expect(grocery.reads("number", in: 2) == .double(1))
    }

    @Test func aCreationWithoutAStampIsLaterThanTheDeletion() throws {
        var grocery = try Grocery()
        grocery.take(Grocery.change(.delete, [:], at: 100, in: 1))
        var change = Grocery.change(.create, [:], at: nil, in: 2)
        change.serverTime = Stamp(unchecked: 50)
        grocery.take(change)
        #expect(grocery.reads("unit", in: 2) == .string(""))
    }

    @Test func replacedStampsAreInTheOrderOfThoseSent() {
        let (one, two) = (ID(high: 0, low: 1), ID(high: 0, low: 2))
        var replaced = ReplacedStamps()
        func isInOrder(_ sent: Int64, _ counts: Int64, of device: ID, in record: ID = Grocery.item) -> Bool {
            replaced.note(Stamp(unchecked: sent), as: Stamp(unchecked: counts), of: device, in: record) == nil
        }
        #expect(isInOrder(900, 20, of: one))
        #expect(isInOrder(900, 20, of: one))
        #expect(isInOrder(950, 21, of: one))
        #expect(isInOrder(920, 10, of: two))
        #expect(isInOrder(910, 30, of: one, in: Grocery.shelf))
        #expect(!isInOrder(910, 22, of: one))
        #expect(!isInOrder(1000, 10, of: two))
        #expect(!isInOrder(950, 30, of: one))
    }

    /// A record gets the least stamp after all that it has, which may be the next that its device gives.
    @Test func aStampThatWasGivenIsNotTakenForOneThatWasSent() throws {
        var grocery = try Grocery()
        var unstamped = Grocery.change(["unit": .string("cups")], at: 11, in: 2)
        unstamped.sentStamp = .never
        unstamped.isWhole = true
        unstamped.device = ID(high: 2, low: 1)
        grocery.take(unstamped)
        grocery.save(["unit": .string("kg")], at: 11, in: 2)
        #expect(grocery.reads("unit", in: 2) == .string("kg"))
    }

    // MARK: What is not known

    @Test func whatIsDoubtfulIsBothUntilSomebodyLooks() throws {
        var models = SpaceModels(try Grocery().model)
        models.take(Grocery.change(["amount": .string("02 cups")], at: 10, in: 1), isHeld: nil)
        #expect(models.isCertain)
        models.take(Grocery.change(["unit": .string("cups")], at: 20, in: 2), isHeld: nil)
        let key = ModelKey(entity: "Item", id: Grocery.item)
        let amounts = models.all.map { $0.records(in: Grocery.name(1))[key]?["amount"] }
        #expect(Set(amounts) == [.string("02 cups"), .string("2 cups")])
        let neverSo = models.keep { _ in false }
        #expect(!neverSo && !models.isCertain)
        let isSo = models.keep { $0.records(in: Grocery.name(1))[key]?["amount"] == .string("2 cups") }
        #expect(isSo && models.isCertain)
    }

    /// An attribute that is an edit in one reading is none in the other.
    @Test func whatAHeldChangeRepeatsIsLookedAtInEachCaseByItself() throws {
        var models = SpaceModels(try Grocery().model)
        models.take(Grocery.change(["unit": .string("cups")], at: 10, in: 2), isHeld: false)
        models.beginPush()
        let echo = Grocery.change(["unit": .string("cups")], at: 30, in: 2)
        let readings = models.readings(of: echo, isHeld: nil)
        #expect(readings.count == 2)
    }
}
