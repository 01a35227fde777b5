import Testing

@testable import WireFormats

@Suite struct SchemaJSONTests {
    private static let plans: [any SchemaMigrationPlan.Type] = [KitchenPlan.self, ConversionsPlan.self, TypesPlan.self]

    @Test("S5_09: a version is data, and is read back as it was written", arguments: plans.indices)
    func aSchemaIsReadBackAsItWasWritten(_ index: Int) throws {
        for schema in try Plan(Self.plans[index]).schemas {
            let read = try Schema(json: schema.json)
            #expect(read == schema)
            #expect(read.json == schema.json)
        }
    }

    @Test func anEditedSchemaIsNotRead() throws {
        let text = try Plan(KitchenPlan.self).schemas[0].json
        let edited = text.replacing("\"label\"", with: "\"title2\"")
        #expect(edited != text)
        #expect(throws: SchemaReadingError.self) { try Schema(json: edited) }
    }

    @Test(arguments: ["", "{}", "[]", "{\"version\":\"1\"}", "{\"version\":\"0.0.1\",\"entities\":[{}]}"])
    func whatIsNoSchemaIsRefused(_ text: String) {
        #expect(throws: SchemaReadingError.self) { try Schema(json: text) }
    }
}
