import DemoApps
import Operations
import SyncCommands
import SyncEngine
import SyncServer
import SyncTestSupport
import Testing
import WireFormats

/// Files that Alles-Teurer wrote: its records have no ids there, and its numbers were written in three ways.
@Suite struct AllesTeurerImportTests {
    private let files: LegacyFiles

    init() throws {
        files = try LegacyFiles(of: AllesTeurerPlan.self, in: "AllesTeurer")
    }

    private static let readable = [
        "backup-1.0.json", "planned-rest-dto.json", "rechnungszeilen.csv", "v1-rows-double.json",
    ]

    private func fields(_ records: [JSONValue], _ entity: String, _ name: String, _ value: String) -> JSONValue {
        records.map { $0["entity"].string == entity ? $0["fields"] : .null }.first { $0[name].string == value } ?? .null
    }

    private func decimal(_ value: JSONValue) throws -> DecimalText {
        try #require(value.string.flatMap { DecimalText($0) })
    }

    @Test("S4_01: prices of the first version are, in the second, the numbers that people saw")
    func pricesOfTheFirstVersionBecomeExact() async throws {
        let expected = try JSONValue(parsing: files.bytes("v2-expected-decimal.json"))["rows"]
        try await files.withEngine { engine in
            let space = ID.random()
            let reports = try await files.bring(["v1-rows-double.json"], into: space, engine)
            #expect(reports.map(\.imported) == [12])
            let records = try await files.records(engine, space, in: 1)
            #expect(expected["products"].elements.count == 6 && expected["purchases"].elements.count == 6)
            for product in expected["products"].elements {
                let name = try #require(product["normalizedName"].string)
                let price = try decimal(product["pricePerQuantity_from_converted_double"])
                let read = fields(records, "Product", "normalizedName", name)
                #expect(try decimal(read["bestPricePerQuantity"]) == price)
                #expect(try decimal(read["highestPricePerQuantity"]) == price)
            }
            for purchase in expected["purchases"].elements {
                let name = try #require(purchase["actualProductName"].string)
                let read = fields(records, "Purchase", "actualProductName", name)
                #expect(try decimal(read["totalPrice"]) == decimal(purchase["totalPrice_shortest"]))
                #expect(try decimal(read["quantity"]) == decimal(purchase["quantity"]))
                #expect(!read["product"].isNull)
            }
            // And what the first version wrote, it reads.
            let first = try await files.records(engine, space, in: 0)
            #expect(
                fields(first, "PurchaseV1", "actualProductName", "Karotten lose")["totalPrice"] == .double(0.1 + 0.2))
        }
    }

    @Test func aNumberOfABackupKeepsItsDigits() async throws {
        try await files.withEngine { engine in
            let space = ID.random()
            try await files.bring(["backup-1.0.json"], into: space, engine)
            func price(_ text: String) async throws -> JSONValue {
                let row =
                    #"{"normalizedName":"A","bestPricePerQuantity":\#(text),"bestPriceStore":"","unit":"","#
                    + #""highestPricePerQuantity":0.07,"highestPriceStore":"","lastUpdated":"2025-11-01T10:00:00Z"}"#
                let space = ID.random()
                let content = try files.content(of: #"{"version":"1.0","products":[\#(row)]}"#)
                try await files.bring(content, into: space, engine)
                let read = fields(try await files.records(engine, space, in: 1), "Product", "normalizedName", "A")
                #expect(read["highestPricePerQuantity"] == "0.07")
                return read["bestPricePerQuantity"]
            }
            let records = try await files.records(engine, space)
            let best = fields(records, "Product", "normalizedName", "Semmeln")["bestPricePerQuantity"]
            #expect(best == "1.6666666666666666666666666666666666667")
            #expect(
                try await price("12345678901234567890123456789012345678") == "12345678901234567890123456789012345678")
            #expect(
                try await price("-0.10000000000000000000000000000000000001")
                    == "-0.10000000000000000000000000000000000001")
            #expect(try await price("1.5E-30") == "0.0000000000000000000000000000015")
            #expect(try await price("1e400") == .string("1" + String(repeating: "0", count: 400)))
        }
    }

    @Test func productsWhoseNamesDifferInCaseStayApartAndPurchasesFindTheirs() async throws {
        let records = try await files.withEngine { engine in
            let space = ID.random()
            try await files.bring(["backup-1.0.json"], into: space, engine)
            return try await files.records(engine, space)
        }
        #expect(records.count { $0["entity"] == "Product" } == 3)
        let eggs = try #require(records.first { $0["fields"]["normalizedName"] == "Eier" })
        let purchase = fields(records, "Purchase", "shopName", "Markt B")
        #expect(purchase["actualProductName"] == #"Freilandeier 10 Stk, Gr. "M""#)
        #expect(purchase["product"] == eggs["id"])
    }

    @Test("S3_07: importing Alles-Teurer's files twice, or after a deletion, neither duplicates nor resurrects")
    func importingAgainNeitherDuplicatesNorResurrects() async throws {
        try await files.expectNeitherDuplicatesNorResurrection(AllesTeurerImportTests.readable)
    }

    @Test func theOrderInWhichFilesAreImportedDoesNotMatter() async throws {
        try await files.withEngine { engine in
            let (one, other) = (ID.random(), ID.random())
            try await files.bring(AllesTeurerImportTests.readable, into: one, engine)
            try await files.bring(AllesTeurerImportTests.readable.reversed(), into: other, engine)
            let records = try await files.records(engine, one)
            #expect(try await files.records(engine, other) == records)
            // The backup's, its namesake of the first version; the purchases differ.
            let names = records.compactMap { $0["fields"]["normalizedName"].string }.sorted()
            #expect(names.count { $0 == "Semmeln" } == 2, "one of the planned exchange has an id of its own: \(names)")
        }
    }

    private func product(_ name: String, _ unit: String, _ price: String = "1") -> String {
        #"{"normalizedName":"\#(name)","bestPricePerQuantity":\#(price),"bestPriceStore":"","unit":"\#(unit)","#
            + #""highestPricePerQuantity":1,"highestPriceStore":"","lastUpdated":"2025-11-01T10:00:00Z"}"#
    }

    private func purchase(_ product: String, _ unit: String = "", price: String = "1") -> String {
        #"{"shopName":"S","date":"2025-11-01T10:00:00Z","totalPrice":\#(price),"quantity":1,"unit":"\#(unit)","#
            + #""actualProductName":"P"\#(product)}"#
    }

    private func backup(_ products: [String], _ purchases: [String], at date: String = "2025-11-03T20:10:00Z") throws
        -> ImportContent
    {
        try files.content(
            of: #"{"version":"1.0","exportDate":"\#(date)","products":[\#(products.joined(separator: ","))],"#
                + #""purchases":[\#(purchases.joined(separator: ","))]}"#)
    }

    private func ids(_ content: ImportContent) throws -> [String?] {
        try content.items.map { try JSONValue(parsing: $0.change)["id"].string }
    }

    @Test func productsOfOneNameAreOneOnlyIfTheySayTheSame() throws {
        let same = try backup([product("A", "kg"), product("A", "kg")], [])
        #expect(Set(try ids(same)).count == 1)
        let different = try backup([product("A", "kg"), product("A", "kg", "2"), product("A", "l")], [])
        #expect(Set(try ids(different)).count == 3)
        // To the letter: the same name in another Unicode form is another.
        #expect(Set(try ids(backup([product("\u{E9}", ""), product("e\u{301}", "")], []))).count == 2)
    }

    @Test func aPurchaseGoesToTheProductThatItNamesAndIsNeverGuessedAt() throws {
        let named = #","productNormalizedName":"A""#
        func reference(of content: ImportContent) throws -> JSONValue? {
            try content.items.map { try JSONValue(parsing: $0.change) }.last?["fields"]["product"]
        }
        let one = try backup([product("A", "kg")], [purchase(named, "l")])
        #expect(try reference(of: one)?.string == ids(one)[0])
        // A product that is in another file may come later.
        #expect(try reference(of: backup([], [purchase(named)]))?.string == ids(one)[0])
        for nobody in ["", #","productNormalizedName":null"#, #","productNormalizedName":"""#] {
            let content = try backup([], [purchase(nobody)])
            #expect(content.faults.isEmpty && content.items.count == 1)
            #expect(try reference(of: content) == .null)
        }
        let byUnit = try backup([product("A", "kg"), product("A", "l")], [purchase(named, "l")])
        #expect(try reference(of: byUnit)?.string == ids(byUnit)[1])
        let unclear = try backup([product("A", "kg"), product("A", "l")], [purchase(named, "Stk")])
        #expect(unclear.faults.map(\.position) == [3] && unclear.items.count == 2)
    }

    @Test func equalPurchasesAreTwoAndACorrectedPriceIsAChange() async throws {
        let (cheap, dear) = (purchase("", price: "1"), purchase("", price: "2.5"))
        #expect(Set(try ids(backup([], [cheap, cheap]))).count == 2)
        try await files.withEngine { engine in
            let space = ID.random()
            try await files.bring(backup([], [dear], at: "2025-12-01T00:00:00Z"), into: space, engine)
            try await files.bring(backup([], [cheap]), into: space, engine)
            #expect(try await files.records(engine, space).map { $0["fields"]["totalPrice"] } == ["2.5"])
        }
    }

    @Test func decimalCommasWithoutQuotesAreReadWhereTheyCanBeTold() throws {
        let content = try files.content("rechnungszeilen.csv")
        #expect(content.faults.isEmpty && content.positionUnit == "line")
        #expect(content.items.map(\.position) == [2, 2, 3, 3, 4, 4])
        let purchases = try content.items.map { try JSONValue(parsing: $0.change) }.filter {
            $0["entity"] == "Purchase"
        }
        #expect(purchases.map { $0["fields"]["totalPrice"] } == ["7.58", "3.79", "0.49"])
        #expect(
            purchases.map { $0["fields"]["actualProductName"] } == [
                "Bio Süßkartoffel", "Äpfel, 2kg", #"Joghurt "natur""#,
            ])
        #expect(purchases[0]["id"].string == "9c40fc43-0a4a-55c0-ba7c-28e9bf95d2f5")
        #expect(purchases[0]["fields"]["date"] == "2025-09-27T08:50:00Z")
        #expect(purchases[0]["fields"]["shopName"] == "Markt A")
    }

    @Test func aLineWhoseCommasCannotBeToldIsReportedAndTheRestIsRead() throws {
        let header = "\u{FEFF}Datum,Produktname,Normalisierter Name,Preis,Preis pro Einheit,Kategorie,Geschäft,ID\r\n"
        let id = "9C40FC43-0A4A-55C0-BA7C-28E9BF95D2F5"
        let end = "K,S,\(id)"
        let lines = [
            // Good: as exported, an empty line, numbers in quotes, a discount.
            "2025-09-27 08:50:00,A,,7,58,4,99,\(end)\r", "", "2025-09-27 08:50:00,A,,\"7,58\",\"0,00\",\(end)",
            "2025-09-27 08:50:00,A,,-0,50,0,00,\(end)",
            // One comma too few, too many, none.
            "2025-09-27 08:50:00,A,,7,58,0,\(end)", "2025-09-27 08:50:00,A, B,,7,58,0,00,\(end)",
            "2025-09-27 08:50:00,A,,7,0,\(end)",
            // The right count, and no number in its place.
            "2025-09-27 08:50:00,A,,7,5,0,00,\(end)", "2025-09-27 08:50:00,A,B,C,7,58,\"0,00\",\(end)",
            "27.9.2025,A,,7,58,0,00,\(end)", "2025-09-27 08:50:00,A,,7,58,0,00,K,S,7", "\"2025-09-27 08:50:00,A",
            "2025-09-27 08:50:00,A\u{0},,7,58,0,00,\(end)", "\"2025\"-09-27 08:50:00,A,,7,58,0,00,\(end)",
            "2025-09-27 08:50:00,A,,1.234,58,0,00,\(end)",
        ]
        // Each is another purchase.
        let others = lines.enumerated().map { place, line in
            line.replacing("\(id)", with: "\(id.dropLast(2))\(place + 10)")
        }
        let content = try files.content(of: header + others.joined(separator: "\n"))
        #expect(content.items.map(\.position) == [2, 4, 5])
        #expect(content.faults.map(\.position) == Array(6...16))
        #expect(content.faults.allSatisfy { !$0.reason.isEmpty })
    }

    @Test func whatIsNoFileOfTheAppIsRefusedWithTheReason() throws {
        for (text, reason) in [
            (String(decoding: try files.bytes("receipt.txt"), as: UTF8.self), "receipt"),
            (String(decoding: try files.bytes("v2-expected-decimal.json"), as: UTF8.self), "neither ‘products’"),
            ("bvx2…", "LZFSE"), (#"{"version":"2.0","products":[]}"#, "only 1.0 is known"), ("", "neither a JSON"),
            (#"{"products":[}"#, "Unexpected '}' at byte 13"), (#"{"products":7}"#, "not a list"),
            (#"{"products":[{"a":0.1234567890123456789,}]}"#, "at byte 40"),
        ] {
            let error = #expect(throws: TransferError.self) { try files.content(of: text) }
            #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
        }
    }

    @Test func aRowThatCannotBeReadIsReportedByItsPlaceAndTheRestIsRead() throws {
        let content = try backup(
            [product("A", "kg"), "7", product("B", "", "true"), product("C", "", "\"x\""), #"{"id":"?"}"#],
            [purchase(""), "{}", purchase("", price: String(repeating: "7", count: 1001))])
        #expect(content.items.map(\.position) == [1, 6])
        #expect(content.faults.map(\.position) == [2, 3, 4, 5, 7, 8])
    }
}
