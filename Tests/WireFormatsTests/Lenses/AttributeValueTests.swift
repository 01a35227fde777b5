import FoundationEssentials
import Testing

@testable import WireFormats

/// The Swift types that a conversion may have.
@Suite struct AttributeValueTests {
    struct Address: CodableValue {
        var street: String
        var number: Int?
    }

    /// A type with a member whose name the protocol uses, too.
    struct Ratio: CodableValue {
        var value: Double
    }

    struct Opening: CodableValue {
        static let codableName = "OpeningHours"
        static var decoder: JSONDecoder {
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .iso8601
            return decoder
        }
        static var encoder: JSONEncoder {
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = .iso8601
            return encoder
        }
        var from: Date
    }

    enum Mood: String, CaseIterable, AttributeValue, AttributeElement {
        case happy
        case sad = "très triste"
    }

    private static func expect<T: AttributeValue>(
        _ value: T, is stored: Value, as type: AttributeType, location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(T.attributeType == type, sourceLocation: location)
        #expect(try value.value == stored, sourceLocation: location)
        #expect(try T(reading: stored) == value, sourceLocation: location)
    }

    @Test func arraysAreCanonicalJSON() throws {
        let suite = Self.self
        try suite.expect(["a", "é\"", ""], is: .json(#"["a","é\"",""]"#), as: .array(of: .string))
        try suite.expect([1, -5, .max], is: .json("[1,-5,9223372036854775807]"), as: .array(of: .int))
        try suite.expect([true, false], is: .json("[true,false]"), as: .array(of: .bool))
        try suite.expect([Timestamp(microseconds: 0)], is: .json(#"["1970-01-01T00:00:00Z"]"#), as: .array(of: .date))
        try suite.expect([try #require(DecimalText("0.1"))], is: .json(#"["0.1"]"#), as: .array(of: .decimal))
        try suite.expect([[1], []], is: .json("[[1],[]]"), as: .array(of: .array(of: .int)))
        try suite.expect([String](), is: .json("[]"), as: .array(of: .string))
        try suite.expect([1.5] as [Double]?, is: .json("[1.5]"), as: .array(of: .double).optional)
        try suite.expect(nil as [Double]?, is: .null, as: .array(of: .double).optional)
    }

    @Test func bytesAreData() throws {
        try Self.expect([0, 255] as [UInt8], is: .data([0, 255]), as: .data)
        try Self.expect(Data([0, 255]), is: .data([0, 255]), as: .data)
        try Self.expect([[0]] as [[UInt8]], is: .json(#"["AA=="]"#), as: .array(of: .data))
        try Self.expect([Data([0])], is: .json(#"["AA=="]"#), as: .array(of: .data))
    }

    @Test func aStructIsTheJSONThatItsCodersMake() throws {
        try Self.expect(
            Address(street: "a/b", number: 5), is: .json(#"{"number":5,"street":"a/b"}"#), as: .codable("Address"))
        try Self.expect(
            [Address(street: "", number: nil)], is: .json(#"[{"street":""}]"#), as: .array(of: .codable("Address")))
        try Self.expect(nil as Address?, is: .null, as: .codable("Address").optional)
        try Self.expect(
            Opening(from: Date(timeIntervalSince1970: 0)), is: .json(#"{"from":"1970-01-01T00:00:00Z"}"#),
            as: .codable("OpeningHours"))
    }

    @Test func anEnumerationHasTheSchemasCases() throws {
        try Self.expect(Mood.sad, is: .string("très triste"), as: .enumeration("Mood", ["happy", "très triste"]))
        try Self.expect(
            [Mood.happy], is: .json(#"["happy"]"#), as: .array(of: .enumeration("Mood", ["happy", "très triste"])))
        // Two texts that Unicode counts as equal, with different bytes.
        #expect(throws: LensFailure.self) { try Mood(reading: .string("tre\u{300}s triste")) }
    }

    @Test(arguments: [#"{"street":5}"#, "{}", "[]", "null", "0", #""street""#])
    func jsonThatIsNoSuchStructIsAFailureThatSaysWhy(json: String) {
        let failure = #expect(throws: LensFailure.self) { try Address(reading: .json(json)) }
        #expect(failure?.reason.contains("Address") == true)
        #expect(throws: LensFailure.self) { try [Address](reading: .json("[\(json)]")) }
    }

    @Test func whatIsMissingIsNamed() {
        let failure = #expect(throws: LensFailure.self) { try Address(reading: .json(#"{"number":1}"#)) }
        #expect(failure?.reason.hasSuffix("does not decode as Address: there is no ‘street’") == true)
    }

    @Test func whatNoAttributeCanHaveIsAFailure() {
        #expect(throws: LensFailure.self) { try [Double.nan].value }
        #expect(throws: LensFailure.self) { try [1, Double.infinity].value }
        #expect(throws: LensFailure.self) { try (Ratio(value: .nan) as any AttributeValue).value }
        #expect(throws: LensFailure.self) { try ["a\0"].value }
    }

    @Test func anArrayOfAnotherTypeIsAFailure() {
        #expect(throws: LensFailure.self) { try [Int](reading: .json(#"["1"]"#)) }
        #expect(throws: LensFailure.self) { try [String](reading: .json("[null]")) }
        #expect(throws: LensFailure.self) { try [String](reading: .json("{}")) }
        #expect(throws: LensFailure.self) { try [String](reading: .string("a")) }
        #expect(throws: LensFailure.self) { try [UInt8](reading: .json("[1]")) }
    }
}
