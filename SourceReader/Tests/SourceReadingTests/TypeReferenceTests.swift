import SourceFacts
import Testing

@Suite struct TypeReferenceTests {
    @Test(
        arguments: [
            ("Trip", named("Trip")), ("SchemaV1.Trip", named("SchemaV1.Trip")), ("A.`B`.C", named("A.B.C")),
            ("Int?", .optional(named("Int"))), ("Int!", .optional(named("Int"))),
            ("Int??", .optional(.optional(named("Int")))),
            ("Optional<Int>", .named("Optional", arguments: [named("Int")])),
            ("[Int]", .array(named("Int"))), ("Array<Int>", .named("Array", arguments: [named("Int")])),
            ("[Trip]?", .optional(.array(named("Trip")))),
            ("[String: [Int]]", .dictionary(key: named("String"), value: .array(named("Int")))),
            ("Swift.Set<String>", .named("Swift.Set", arguments: [named("String")])),
            ("Pair<A, B?>", .named("Pair", arguments: [named("A"), .optional(named("B"))])), ("(Int)", named("Int")),
            ("(any P)?", .optional(.other("any P"))),
            ("Vector<3, Int>", .named("Vector", arguments: [.other("3"), named("Int")])),
            ("(Int, b: Int)", .other("(Int, b: Int)")), ("(Int) -> Void", .other("(Int) -> Void")),
            ("any P", .other("any P")), ("some P", .other("some P")), ("A<B>.C", .other("A<B>.C")),
            ("[Int].Index", .other("[Int].Index")), ("Trip.Type", .other("Trip.Type")), ("A & B", .other("A & B")),
            ("[3 of Int]", .other("[3 of Int]")), ("@Sendable () -> Void", .other("@Sendable () -> Void")),
            ("Foundation::Date", .other("Foundation::Date")),
        ] as [(String, TypeReference)])
    func typesAreReadAsWritten(text: String, expected: TypeReference) throws {
        #expect(try reference(text) == expected)
    }
}
