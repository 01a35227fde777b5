import Foundation
import SwiftData

@Model
final class Business {
    var id: UUID
    var name: String
    var customLabel: String?
    var address: String
    var latitude: Double
    var longitude: Double
    var phoneNumber: String?
    var website: String?
    var dateAdded: Date
    var openingHours: [DaySchedule]

    init() {}
}

@Model
final class DaySchedule {
    var weekday: Int
    var openTime: Int
    var closeTime: Int
    var isClosed: Bool

    init() {}
}
