import DemoApps
import Testing

@testable import WireFormats

/// A client with Double prices and a client with Decimal prices that edit the same records.
@Suite struct AllesTeurerTranslationTests {
    private let family: PlanClient

    init() throws {
        family = PlanClient(plan: try Plan(AllesTeurerPlan.self))
    }

    private func decimal(_ text: String) throws -> Value {
        .decimal(try #require(DecimalText(text)))
    }

    /// The rows of the app's first version with their floating-point noise, as text.
    @Test(
        "S4_02: a price is the number that people saw, and zero is a price",
        arguments: [
            (0.07, "0.07"), (3.133, "3.133"), (0.1 + 0.2, "0.30000000000000004"),
            (0.0900900900900901, "0.0900900900900901"),
            (5 / 3, "1.6666666666666667"), (0, "0"), (-0.5, "-0.5"), (1e21, "1000000000000000000000"),
        ] as [(Double, String)])
    func priceOfVersion1IsItsShortestTextInVersion2(price: Double, text: String) throws {
        let row = try family.create("PurchaseV1", in: 0, ["totalPrice": .double(price)])
        #expect(try family.read("Purchase", in: 1, row, "totalPrice") == [try decimal(text)])
        #expect(try family.read("PurchaseV1", in: 0, row, "totalPrice") == [.double(price)])
    }

    @Test("S4_05: an untouched price of many digits survives a client that sends whole records")
    func untouchedPriceOfManyDigitsSurvivesAClientThatSendsWholeRecords() throws {
        let exact = try decimal("1.6666666666666666666666666666666666667")
        var row = try family.create("Product", in: 2, ["bestPricePerQuantity": exact])
        let seen = try family.read("ProductV1", in: 0, row, "bestPricePerQuantity")[0]
        #expect(seen == .double(1.6666666666666667))
        try family.put("ProductV1", in: 0, ["bestPricePerQuantity": seen, "unit": .string("Stk")], &row)
        #expect(try family.read("Product", in: 2, row, "bestPricePerQuantity", "unit") == [exact, .string("Stk")])
    }

    @Test func priceChangedInVersion1IsThatPriceInVersion3() throws {
        var row = try family.create("Product", in: 2, ["bestPricePerQuantity": try decimal("1.19")])
        try family.put("ProductV1", in: 0, ["bestPricePerQuantity": .double(0.99)], &row)
        #expect(try family.read("Product", in: 2, row, "bestPricePerQuantity") == [try decimal("0.99")])
    }

    @Test func decimalsBeyondEveryDoubleReadAsTheLargestAndStay() throws {
        for (text, seen) in [
            ("1e400", Double.greatestFiniteMagnitude), ("-1e400", -.greatestFiniteMagnitude), ("1e-400", 0),
            ("-1e-400", 0),
        ] {
            let exact = try decimal(text)
            var row = try family.create("Purchase", in: 1, ["quantity": exact])
            #expect(try family.read("PurchaseV1", in: 0, row, "quantity") == [.double(seen)])
            try family.put("PurchaseV1", in: 0, ["quantity": .double(seen)], &row)
            #expect(try family.read("Purchase", in: 1, row, "quantity") == [exact])
        }
    }

    @Test("S4_09: each number has one column, and it is exact")
    func eachNumberHasOneColumnAndItIsExact() throws {
        #expect(
            try family.plan.hub.columns(of: "purchase_v1") == [
                "shop_name text not null 1-3", "date timestamp with time zone not null 1-3",
                "total_price numeric not null 1-3", "quantity numeric not null 1-3",
                "actual_product_name text not null 1-3", "unit text not null 1-3", "product uuid 1-3",
            ])
    }

    @Test func purchasesGoWithTheirProductInEveryVersion() throws {
        let reference = try #require(family.plan.hub.entities[1].references.first)
        #expect(reference.diesWithTarget && reference.target == 0)
    }

    @Test func nothingOfVersion3CrossesTheWireThatVersion2DoesNotHave() throws {
        for (old, new) in zip(family.plan.projections[1], family.plan.projections[2]) {
            #expect(old?.fields.map(\.name) == new?.fields.map(\.name))
        }
        #expect(family.plan.projections[2].map { $0?.identity } == ["id", "id"])
        #expect(try family.projection("Product", 2).localNames.contains("lastSynced"))
    }
}
