import WireFormats

/// Conversions between any types and numbers of attributes, beside whole apps: arrays, bytes, structs, enumerations.
///
/// For the simulator, which changes its tables by the files of `Migrations/trips` while it is served.
enum TripsPlan: SchemaMigrationPlan {
    static let app = "trips"
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self, V3.self]
    static let stages: [MigrationStage] = [
        .custom(fromVersion: V1.self, toVersion: V2.self) {
            Convert("Trip.mood", to: "labels", using: MoodLabels())
            Convert("Trip.street", "number", "city", to: "address", using: TripAddress())
            Convert("Trip.starts", "ends", to: "starts", "minutes", using: StartAndLength())
            Convert("Trip.photo", to: "format", "pixels", using: PhotoFormat())
            Convert("Trip.red", "green", "blue", to: "color", using: Channels())
            Convert("Trip.weather", to: "skies", using: Skies())
        },
        .custom(fromVersion: V2.self, toVersion: V3.self) {
            Convert("Trip.address", to: "lines", "town", using: AddressLines())
            Convert("Trip.home", to: "homes", using: Homes())
            Convert("Trip.labels", "minutes", to: "note", "labels", "hours", using: Notes())
        },
    ]

    enum V1: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static let models = Models {
            Model("Trip") {
                Attribute("name", .string, default: "trip")
                Attribute("mood", .string, default: "happy")
                Attribute("street", .string, default: "")
                Attribute("number", .int, default: 1)
                Attribute("city", .string.optional)
                Attribute("starts", .date, default: .creation)
                Attribute("ends", .date.optional)
                Attribute("photo", .data)
                Attribute("red", .int, default: 0)
                Attribute("green", .int, default: 0)
                Attribute("blue", .int, default: 0)
                Attribute("weather", .enumeration("Weather", ["sun", "rain", "neve é"]))
                Attribute("home", .codable("Address").optional)
            }
        }
    }

    enum V2: VersionedSchema {
        static let versionIdentifier = Schema.Version(2, 0, 0)
        static let models = Models {
            Inherits(V1.self)
            Model("Trip") {
                Removed("mood", "street", "number", "city", "ends", "photo", "red", "green", "blue", "weather")
                Attribute("labels", .array(of: .string), default: [])
                Attribute("address", .codable("Address"), default: .json(#"{"number":0,"street":"nowhere"}"#))
                Attribute("starts", .date)
                Attribute("minutes", .int.optional)
                Attribute("format", .string, default: "")
                Attribute("pixels", .data.optional)
                Attribute("color", .array(of: .int), default: [])
                Attribute("skies", .array(of: .enumeration("Weather", ["sun", "rain", "neve é"])), default: [])
            }
        }
    }

    enum V3: VersionedSchema {
        static let versionIdentifier = Schema.Version(3, 0, 0)
        static let models = Models {
            Inherits(V2.self)
            Model("Trip") {
                Removed("address", "home", "minutes")
                Attribute("lines", .array(of: .string), default: [])
                Attribute("town", .string.optional)
                Attribute("homes", .array(of: .codable("Address")), default: [])
                Attribute("note", .string.optional)
                Attribute("labels", .array(of: .string).optional)
                Attribute("hours", .double.optional)
            }
        }
    }
}
