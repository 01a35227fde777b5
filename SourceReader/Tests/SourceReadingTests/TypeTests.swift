import SourceFacts
import Testing

import struct SourceFacts.SourceLocation

@Suite struct TypeTests {
    @Test(
        arguments: [
            ("class A {}", .class), ("struct A {}", .struct), ("enum A {}", .enum), ("actor A {}", .actor),
            ("extension A {}", .extension), ("typealias A = B", .typealias), ("protocol A {}", .protocol),
        ] as [(String, TypeFact.Kind)])
    func everyKindOfTypeIsRead(text: String, kind: TypeFact.Kind) throws {
        let type = try type("import Foundation\n\n\(text)")
        #expect(type.kind == kind)
        #expect(type.name == "A")
        #expect(type.location == SourceLocation(file: "a.swift", line: 3))
    }

    @Test func aModelHasItsAttributesModifiersAndAncestors() throws {
        let type = try type(
            """
            @Model
            @available(iOS 17, *)
            public final class `Trip`<Of: P, Else>: Base<Int>, Codable, @unchecked Sendable where Of: Q {}
            """
        )
        #expect(type.name == "Trip")
        #expect(type.attributes.map(\.name) == ["Model", "available"])
        #expect(type.attributes.map(\.location.line) == [1, 2])
        #expect(type.modifiers == ["public", "final"])
        #expect(type.genericParameters == ["Of", "Else"])
        #expect(
            type.inherited == [
                .named("Base", arguments: [named("Int")]), named("Codable"), named("Sendable"),
            ])
        #expect(type.location.line == 3)
    }

    @Test func typesWithinTypesAndExtensionsAreMembers() throws {
        let type = try type(
            """
            extension SchemaV1.Nested {
              @Model final class Trip { struct Leg { enum Kind {} } }
              typealias T = Trip
            }
            """
        )
        #expect(type.name == "SchemaV1.Nested")
        #expect(type.types.map(\.name) == ["Trip", "T"])
        #expect(type.types.first?.types.first?.types.first?.name == "Kind")
        #expect(type.types.first?.attributes.map(\.name) == ["Model"])
        #expect(type.types.last?.target == named("Trip"))
    }

    @Test func initializersAndMethodsAreNamed() throws {
        let type = try type(
            """
            struct Trip {
              init() {}
              init?(_ text: String, `in` place: Int = 1) { nil }
              func encode(to encoder: any Encoder) throws {}
              static func make<T>(with x: T) -> Trip { Trip() }
              #if DEBUG
              init(from decoder: any Decoder) throws {}
              #endif
            }
            """
        )
        #expect(type.functions == ["init()", "init(_:in:)", "encode(to:)", "make(with:)", "init(from:)"])
    }

    @Test func anExtensionOfWhatIsNoNameIsReadAsWritten() throws {
        #expect(try type("extension [Int] {}").name == "[Int]")
    }

    @Test func aTypealiasHasItsTarget() throws {
        let type = try type("/// Now.\npublic typealias Trip<A> = SchemaV2.Trip<A>")
        #expect(type.target == .named("SchemaV2.Trip", arguments: [named("A")]))
        #expect(type.modifiers == ["public"])
        #expect(type.genericParameters == ["A"])
        #expect(type.comment == "Now.")
    }

    @Test func casesHaveRawAndAssociatedValues() throws {
        let type = try type(
            "indirect enum Kind: String {\n case `default` = \"d\", home\n case work(Int, of: Kind), sum = -1\n}")
        #expect(type.cases.map(\.name) == ["default", "home", "work", "sum"])
        #expect(type.cases.map(\.rawValue) == [.string("d"), nil, nil, .integer("-1")])
        #expect(type.cases.map(\.hasAssociatedValues) == [false, false, true, false])
        #expect(type.cases.map(\.location.line) == [2, 2, 3, 3])
        #expect(type.inherited == [named("String")])
        #expect(type.modifiers == ["indirect"])
    }

    @Test func macrosOfAModelAreRead() throws {
        let type = try type(
            """
            class Trip {
              #Unique<Trip>([\\.name], [\\.start, \\.end])
              #Index<Trip, A.B>([\\.name]) { 1 }
              #unknown
            }
            """
        )
        #expect(type.macros.map(\.name) == ["Unique", "Index", "unknown"])
        #expect(type.macros.map(\.location.line) == [2, 3, 4])
        #expect(type.macros.map(\.genericArguments) == [[named("Trip")], [named("Trip"), named("A.B")], []])
        #expect(
            type.macros[0].arguments == [
                ArgumentFact(value: .array([.keyPath(".name")])),
                ArgumentFact(value: .array([.keyPath(".start"), .keyPath(".end")])),
            ])
        #expect(type.macros[1].arguments.last == ArgumentFact(value: .closure("{ 1 }")))
    }

    @Test func whatIsNoTypeIsPassedOver() throws {
        let text =
            """
            import A
            let a = 1
            func f() { class Inner {} }
            #Preview { View() }
            print(a)
            struct S {}
            infix operator +++
            """
        #expect(try type(text).name == "S")
    }

    @Test func newSyntaxIsRead() throws {
        let text = """
            @concurrent func f() async {}
            nonisolated struct S: ~Copyable {
                var a: [3 of Int] = [1, 2, 3]
                func `is a test`() throws(E) {}
                weak let b: A?
                let c: InlineArray<3, Int>
            }
            """
        #expect(try type(text).properties.map(\.name) == ["a", "b", "c"])
    }
}
