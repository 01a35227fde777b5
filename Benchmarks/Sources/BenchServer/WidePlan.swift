import WireFormats

/// A large app: 200 entities and 50 versions, each of which adds one attribute to twenty of the entities.
enum WidePlan: SchemaMigrationPlan {
    static let app = "wide"
    static let entityCount = 200
    static let schemas: [any VersionedSchema.Type] = [
        Version<0>.self, Version<1>.self, Version<2>.self, Version<3>.self, Version<4>.self, Version<5>.self,
        Version<6>.self, Version<7>.self, Version<8>.self, Version<9>.self, Version<10>.self, Version<11>.self,
        Version<12>.self, Version<13>.self, Version<14>.self, Version<15>.self, Version<16>.self, Version<17>.self,
        Version<18>.self, Version<19>.self, Version<20>.self, Version<21>.self, Version<22>.self, Version<23>.self,
        Version<24>.self, Version<25>.self, Version<26>.self, Version<27>.self, Version<28>.self, Version<29>.self,
        Version<30>.self, Version<31>.self, Version<32>.self, Version<33>.self, Version<34>.self, Version<35>.self,
        Version<36>.self, Version<37>.self, Version<38>.self, Version<39>.self, Version<40>.self, Version<41>.self,
        Version<42>.self, Version<43>.self, Version<44>.self, Version<45>.self, Version<46>.self, Version<47>.self,
        Version<48>.self, Version<49>.self,
    ]
    static var stages: [MigrationStage] {
        zip(schemas, schemas.dropFirst()).map { .lightweight(fromVersion: $0, toVersion: $1) }
    }

    enum Version<let number: Int>: VersionedSchema {
        static var versionIdentifier: Schema.Version { Schema.Version(1, number, 0) }
        static var models: Models {
            Models {
                return (0..<WidePlan.entityCount).flatMap {
                    ModelsBuilder.buildExpression(WidePlan.model($0, in: number))
                }
            }
        }
    }

    private static func model(_ entity: Int, in version: Int) -> Model {
        let added = (0...version).filter { $0 > 0 && ($0 + entity) % 10 == 0 }
        return Model("Entity\(entity)") {
            return ModelBuilder.buildBlock(
                ModelBuilder.buildExpression(Attribute("title", .string)),
                ModelBuilder.buildExpression(Attribute("amount", .decimal.optional)),
                ModelBuilder.buildExpression(Attribute("count", .int, default: 0)),
                ModelBuilder.buildExpression(Attribute("at", .date.optional)),
                ModelBuilder.buildExpression(Attribute("isDone", .bool, default: false)),
                ModelBuilder.buildExpression(Relationship("parent", toOne: "Entity\(entity / 2)")))
                + added.flatMap { ModelBuilder.buildExpression(Attribute("added\($0)", .string.optional)) }
        }
    }
}
