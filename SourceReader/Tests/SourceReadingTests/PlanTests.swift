import SourceFacts
import Testing

/// The facts of a SwiftData migration plan.
@Suite struct PlanTests {
    private let text = """
        enum Plan: SchemaMigrationPlan {
            static var schemas: [any VersionedSchema.Type] { [SchemaV1.self, SchemaV2.self] }
            static var stages: [MigrationStage] {
                [migrateV1toV2, .lightweight(fromVersion: SchemaV2.self, toVersion: SchemaV3.self)]
            }
            static let migrateV1toV2 = MigrationStage.custom(
                fromVersion: SchemaV1.self, toVersion: SchemaV2.self, willMigrate: nil,
                didMigrate: { context in
                    try context.save()
                })
        }
        """

    @Test func schemasAndStagesAreLists() throws {
        let plan = try type(text)
        #expect(plan.inherited == [named("SchemaMigrationPlan")])
        #expect(plan.properties.map(\.name) == ["schemas", "stages", "migrateV1toV2"])
        #expect(plan.properties[0].type == .array(.other("any VersionedSchema.Type")))
        #expect(plan.properties[0].value == .array([metatype("SchemaV1"), metatype("SchemaV2")]))
        #expect(
            plan.properties[1].value
                == .array([
                    .member(base: nil, name: "migrateV1toV2", isImplicit: false),
                    .call(
                        function: ".lightweight",
                        arguments: [
                            ArgumentFact(label: "fromVersion", value: metatype("SchemaV2")),
                            ArgumentFact(label: "toVersion", value: metatype("SchemaV3")),
                        ]),
                ]))
    }

    @Test func aStageOfItsOwnHasItsClosureWhole() throws {
        let stage = try type(text).properties[2]
        #expect(stage.isConstant)
        guard case .call(function: "MigrationStage.custom", let arguments) = stage.value else {
            Issue.record("\(String(describing: stage.value))")
            return
        }
        #expect(arguments.map(\.label) == ["fromVersion", "toVersion", "willMigrate", "didMigrate"])
        #expect(arguments[2].value == .null)
        #expect(arguments[3].value == .closure("{ context in\n            try context.save()\n        }"))
    }

    @Test func aVersionIsACall() throws {
        let schema = try type(
            """
            enum V1: VersionedSchema { static let versionIdentifier = Schema.Version(1, 0, 2)
             static var models: [any PersistentModel.Type] { [Trip.self] } }
            """
        )
        #expect(
            schema.properties.map(\.value) == [
                .call(
                    function: "Schema.Version",
                    arguments: ["1", "0", "2"].map { ArgumentFact(value: .integer($0)) }),
                .array([metatype("Trip")]),
            ])
    }
}
