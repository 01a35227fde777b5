// easitopen 2.0.0, fingerprint 42e084778c85cb08. By ‘syncserver schema swift’,
// and frozen with the version: a change of the models is another version, and another file.

public import Foundation
public import SyncClient
public import WireFormats

/// The models of easitopen 2.0.0.
public enum EasitOpen200 {
    /// What a store of this build is opened with. It reads stores of every version before.
    public static func schema() throws(SyncSchemaError) -> SyncSchema {
        try SyncSchema(app: "easitopen", frozen: frozen)
    }

    public struct Business: SyncRecord, Codable, Hashable, Identifiable {
        public static let entity = "Business"

        public let id: UUID
        public var name: String
        public var address: String
        public var latitude: Double
        public var longitude: Double
        public var phone: String?
        public var website: String?
        public var dateAdded: Date
        public var customLabel: String?
        public var googlePlaceId: String?
        public var lastUpdated: Date
        public var lastChecked: Date?
        public var isFavorite: Bool
        public var preferences: JSONText?

        public init(
            id: UUID = UUID(),
            name: String,
            address: String,
            latitude: Double,
            longitude: Double,
            phone: String? = nil,
            website: String? = nil,
            dateAdded: Date,
            customLabel: String? = nil,
            googlePlaceId: String? = nil,
            lastUpdated: Date = Date(),
            lastChecked: Date? = nil,
            isFavorite: Bool = false,
            preferences: JSONText? = nil
        ) {
            self.id = id
            self.name = name
            self.address = address
            self.latitude = latitude
            self.longitude = longitude
            self.phone = phone
            self.website = website
            self.dateAdded = dateAdded
            self.customLabel = customLabel
            self.googlePlaceId = googlePlaceId
            self.lastUpdated = lastUpdated
            self.lastChecked = lastChecked
            self.isFavorite = isFavorite
            self.preferences = preferences
        }

        public init(_ fields: RecordFields) throws {
            id = fields.uuid
            name = try fields.value("name")
            address = try fields.value("address")
            latitude = try fields.value("latitude")
            longitude = try fields.value("longitude")
            phone = try fields.value("phone")
            website = try fields.value("website")
            dateAdded = try fields.value("dateAdded")
            customLabel = try fields.value("customLabel")
            googlePlaceId = try fields.value("googlePlaceId")
            lastUpdated = try fields.value("lastUpdated")
            lastChecked = try fields.value("lastChecked")
            isFavorite = try fields.value("isFavorite")
            preferences = try fields.value("preferences")
        }

        public var recordID: RecordID { RecordID(id) }

        public var fields: [String: Value] {
            get throws {
                [
                    "name": try RecordFields.value(of: name),
                    "address": try RecordFields.value(of: address),
                    "latitude": try RecordFields.value(of: latitude),
                    "longitude": try RecordFields.value(of: longitude),
                    "phone": try RecordFields.value(of: phone),
                    "website": try RecordFields.value(of: website),
                    "dateAdded": try RecordFields.value(of: dateAdded),
                    "customLabel": try RecordFields.value(of: customLabel),
                    "googlePlaceId": try RecordFields.value(of: googlePlaceId),
                    "lastUpdated": try RecordFields.value(of: lastUpdated),
                    "lastChecked": try RecordFields.value(of: lastChecked),
                    "isFavorite": try RecordFields.value(of: isFavorite),
                    "preferences": try RecordFields.value(of: preferences),
                ]
            }
        }
    }

    public struct DaySchedule: SyncRecord, Codable, Hashable, Identifiable {
        public static let entity = "DaySchedule"

        public let id: UUID
        /// In days, 1 is Sunday.
        public var weekday: Int
        /// In minutes since midnight.
        public var openTime: Int
        /// In minutes since midnight.
        public var closeTime: Int
        public var isClosed: Bool
        /// The id of a Business.
        public var business: UUID?

        public init(
            id: UUID = UUID(),
            weekday: Int,
            openTime: Int,
            closeTime: Int,
            isClosed: Bool,
            business: UUID? = nil
        ) {
            self.id = id
            self.weekday = weekday
            self.openTime = openTime
            self.closeTime = closeTime
            self.isClosed = isClosed
            self.business = business
        }

        public init(_ fields: RecordFields) throws {
            id = fields.uuid
            weekday = try fields.value("weekday")
            openTime = try fields.value("openTime")
            closeTime = try fields.value("closeTime")
            isClosed = try fields.value("isClosed")
            business = try fields.value("business")
        }

        public var recordID: RecordID { RecordID(id) }

        public var fields: [String: Value] {
            get throws {
                [
                    "weekday": try RecordFields.value(of: weekday),
                    "openTime": try RecordFields.value(of: openTime),
                    "closeTime": try RecordFields.value(of: closeTime),
                    "isClosed": try RecordFields.value(of: isClosed),
                    "business": try RecordFields.value(of: business),
                ]
            }
        }
    }

    private static let frozen = [
        #"""
        {"version":"0.0.1","fingerprint":"78b1fe4bd3b77709","entities":[
         {"name":"Business","scope":"synced","multiplicity":"many","identity":"id","attributes":[
          {"name":"name","type":"string"},
          {"name":"address","type":"string"},
          {"name":"latitude","type":"double"},
          {"name":"longitude","type":"double"},
          {"name":"phoneNumber","type":"string","optional":true},
          {"name":"website","type":"string","optional":true},
          {"name":"dateAdded","type":"date"}
         ],"relationships":[
          {"name":"openingHours","toMany":"DaySchedule","deleteRule":"cascade","inverse":"business"}
         ]},
         {"name":"DaySchedule","scope":"synced","multiplicity":"many","attributes":[
          {"name":"weekday","type":"int","unit":"days, 1 is Sunday"},
          {"name":"openTime","type":"int","unit":"minutes since midnight"},
          {"name":"closeTime","type":"int","unit":"minutes since midnight"},
          {"name":"isClosed","type":"bool"}
         ],"relationships":[
          {"name":"business","toOne":"Business","deleteRule":"nullify","inverse":"openingHours"}
         ]}
        ]}
        """#,
        #"""
        {"version":"0.0.2","fingerprint":"c497be3e2397f22c","entities":[
         {"name":"Business","scope":"synced","multiplicity":"many","identity":"id","attributes":[
          {"name":"name","type":"string"},
          {"name":"address","type":"string"},
          {"name":"latitude","type":"double"},
          {"name":"longitude","type":"double"},
          {"name":"phoneNumber","type":"string","optional":true},
          {"name":"website","type":"string","optional":true},
          {"name":"dateAdded","type":"date"},
          {"name":"customLabel","type":"string","optional":true}
         ],"relationships":[
          {"name":"openingHours","toMany":"DaySchedule","deleteRule":"cascade","inverse":"business"}
         ]},
         {"name":"DaySchedule","scope":"synced","multiplicity":"many","attributes":[
          {"name":"weekday","type":"int","unit":"days, 1 is Sunday"},
          {"name":"openTime","type":"int","unit":"minutes since midnight"},
          {"name":"closeTime","type":"int","unit":"minutes since midnight"},
          {"name":"isClosed","type":"bool"}
         ],"relationships":[
          {"name":"business","toOne":"Business","deleteRule":"nullify","inverse":"openingHours"}
         ]}
        ]}
        """#,
        #"""
        {"version":"1.0.0","fingerprint":"93bf1b1676e66b8a","entities":[
         {"name":"Business","scope":"synced","multiplicity":"many","identity":"id","attributes":[
          {"name":"name","type":"string"},
          {"name":"address","type":"string"},
          {"name":"latitude","type":"double"},
          {"name":"longitude","type":"double"},
          {"name":"phoneNumber","type":"string","optional":true},
          {"name":"website","type":"string","optional":true},
          {"name":"dateAdded","type":"date"},
          {"name":"customLabel","type":"string","optional":true},
          {"name":"googlePlaceId","type":"string","optional":true},
          {"name":"lastUpdated","type":"date","default":"creation"},
          {"name":"lastChecked","type":"date","optional":true}
         ],"relationships":[
          {"name":"openingHours","toMany":"DaySchedule","deleteRule":"cascade","inverse":"business"}
         ]},
         {"name":"DaySchedule","scope":"synced","multiplicity":"many","attributes":[
          {"name":"weekday","type":"int","unit":"days, 1 is Sunday"},
          {"name":"openTime","type":"int","unit":"minutes since midnight"},
          {"name":"closeTime","type":"int","unit":"minutes since midnight"},
          {"name":"isClosed","type":"bool"}
         ],"relationships":[
          {"name":"business","toOne":"Business","deleteRule":"nullify","inverse":"openingHours"}
         ]}
        ]}
        """#,
        #"""
        {"version":"1.1.0","fingerprint":"dc16e2f59a4df055","entities":[
         {"name":"Business","scope":"synced","multiplicity":"many","identity":"id","attributes":[
          {"name":"name","type":"string"},
          {"name":"address","type":"string"},
          {"name":"latitude","type":"double"},
          {"name":"longitude","type":"double"},
          {"name":"phoneNumber","type":"string","optional":true},
          {"name":"website","type":"string","optional":true},
          {"name":"dateAdded","type":"date"},
          {"name":"customLabel","type":"string","optional":true},
          {"name":"googlePlaceId","type":"string","optional":true},
          {"name":"lastUpdated","type":"date","default":"creation"},
          {"name":"lastChecked","type":"date","optional":true}
         ],"relationships":[
          {"name":"openingHours","toMany":"DaySchedule","deleteRule":"cascade","inverse":"business"}
         ]},
         {"name":"DaySchedule","scope":"synced","multiplicity":"many","attributes":[
          {"name":"weekday","type":"int","unit":"days, 1 is Sunday"},
          {"name":"openTime","type":"int","unit":"minutes since midnight"},
          {"name":"closeTime","type":"int","unit":"minutes since midnight"},
          {"name":"isClosed","type":"bool"}
         ],"relationships":[
          {"name":"business","toOne":"Business","deleteRule":"nullify","inverse":"openingHours"}
         ]}
        ]}
        """#,
        #"""
        {"version":"2.0.0","fingerprint":"42e084778c85cb08","entities":[
         {"name":"Business","scope":"synced","multiplicity":"many","identity":"id","attributes":[
          {"name":"name","type":"string"},
          {"name":"address","type":"string"},
          {"name":"latitude","type":"double"},
          {"name":"longitude","type":"double"},
          {"name":"phone","originalName":"phoneNumber","type":"string","optional":true},
          {"name":"website","type":"string","optional":true},
          {"name":"dateAdded","type":"date"},
          {"name":"customLabel","type":"string","optional":true},
          {"name":"googlePlaceId","type":"string","optional":true},
          {"name":"lastUpdated","type":"date","default":"creation"},
          {"name":"lastChecked","type":"date","optional":true},
          {"name":"isFavorite","type":"bool","default":{"bool":false}},
          {"name":"preferences","type":{"codable":"UserPreferences"},"optional":true}
         ],"relationships":[
          {"name":"openingHours","toMany":"DaySchedule","deleteRule":"cascade","inverse":"business"}
         ]},
         {"name":"DaySchedule","scope":"synced","multiplicity":"many","attributes":[
          {"name":"weekday","type":"int","unit":"days, 1 is Sunday"},
          {"name":"openTime","type":"int","unit":"minutes since midnight"},
          {"name":"closeTime","type":"int","unit":"minutes since midnight"},
          {"name":"isClosed","type":"bool"}
         ],"relationships":[
          {"name":"business","toOne":"Business","deleteRule":"nullify","inverse":"openingHours"}
         ]}
        ]}
        """#,
    ]
}
