import DemoApps
import Foundation
import SyncTestSupport
import Testing
import WireFormats

/// S4.8: a product's best price follows from its purchases, and every phone works it out anew after it synced, in
/// the arithmetic of its version: 5.72 for 3 are 1.9066666666666665 by Double and 1.90666666666666666667 by Decimal.
@Suite struct BestPriceTests {
    /// When a phone writes what it worked out.
    enum Habit: CaseIterable {
        case whenPurchasesCame
        /// Each corrects the other for ever. No server can distinguish that from two people who disagree.
        case afterEverySync
    }

    @Test(
        "S4_08: phones of two arithmetics that work out a price when purchases came agree on one, and come to rest",
        arguments: Habit.allCases)
    func phonesComeToRest(habit: Habit) async throws {
        try await withTestServer(AllesTeurerPlan.self) { server in
            let product = ID.random()
            let phones = ["1.0.0", "2.0.0"].map {
                Phone(device: server.device($0), product: product, habit: habit)
            }
            try await server.device("2.0.0").push([
                .create("Product", product, at: moment(1)),
                purchase(product, "9.70", "1.5", at: moment(2)), purchase(product, "5.72", "3", at: moment(3)),
            ])
            let rounds = 10
            var heads: [[String]] = []
            for round in 1...rounds {
                for (index, phone) in phones.enumerated() {
                    try await phone.round(at: moment(Int64(100 * round + index)))
                }
                heads.append(try await server.contents())
            }
            let resting = heads.suffix(rounds - 3)
            if habit == .afterEverySync {
                #expect(Set(resting).count == resting.count, "if this rests, say so in docs/versioning.md")
                return
            }
            #expect(Set(resting).count == 1)
            for phone in phones {
                #expect(await phone.device.store == (try await server.view(phone.device.version)))
            }
        }
    }

    private func purchase(_ product: ID, _ price: String, _ quantity: String, at stamp: Int64) -> JSONValue {
        .create(
            "Purchase", .random(),
            ["product": .id(product), "totalPrice": .string(price), "quantity": .string(quantity)], at: stamp)
    }

    private struct Phone {
        let device: TestDevice
        let product: ID
        let habit: Habit
        private var isDouble: Bool { device.version == "1.0.0" }
        private var productEntity: String { isDouble ? "ProductV1" : "Product" }
        private var purchaseEntity: String { isDouble ? "PurchaseV1" : "Purchase" }

        func round(at now: Int64) async throws {
            let received = try await device.pullAll()
            let best = await worked
            guard best != (await device.value(productEntity, product, "bestPricePerQuantity")) else { return }
            if habit == .whenPurchasesCame, !received.contains(where: { $0["entity"] == .string(purchaseEntity) }) {
                return
            }
            try await device.push([.update(productEntity, product, ["bestPricePerQuantity": best], at: now)])
            try await device.pullAll()
        }

        private var worked: JSONValue {
            get async {
                let purchases = await device.store[purchaseEntity]?.values.map { $0 } ?? []
                if isDouble {
                    let prices = purchases.map { number($0["totalPrice"]) / number($0["quantity"]) }
                    return JSONValue(number: prices.min() ?? 0)
                }
                let prices = purchases.map { decimal($0["totalPrice"]) / decimal($0["quantity"]) }
                return .string("\(prices.min() ?? 0)")
            }
        }

        private func number(_ value: JSONValue?) -> Double {
            switch value {
            case .int(let x): Double(x)
            case .double(let x): x
            default: .nan
            }
        }

        private func decimal(_ value: JSONValue?) -> Decimal {
            value?.string.flatMap { Decimal(string: $0) } ?? .nan
        }
    }
}
