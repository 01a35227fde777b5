import Foundation

/// Placeholders of fixed width in a rendered request, overwritten before it is sent.
package enum Mark {
    /// A UUID in text.
    package static let id = "@@@@@@@@-@@@@-@@@@-@@@@-@@@@@@@@@@@@"
    /// A stamp of 16 digits, as every stamp of this century has.
    package static let stamp = "1111111111111111"
    /// A value of five digits.
    package static let value = "55555"
}

/// Returns a stamp for the current time.
package func stampNow() -> Int64 { Int64(Date().timeIntervalSince1970 * 1000) << 11 }

/// The records to push, as an app of one version writes them. Their ids are placeholders.
package struct Records {
    package let entity: String
    /// The header `Schema-Version`.
    package let version: String
    /// Returns the members of `fields` for the record with a number, and the id of the record that it belongs to.
    package let fields: @Sendable (_ number: Int, _ owner: String) -> String

    /// Returns the body of a push of `count` new records.
    package func creation(_ count: Int, owner: String) -> String {
        let changes = (0..<count).map { number in
            #"{"entity":"\#(entity)","id":"\#(Mark.id)","op":"create","stamp":\#(stampNow()),"#
                + #""fields":{\#(fields(number, owner))}}"#
        }
        return #"{"changes":[\#(changes.joined(separator: ","))]}"#
    }

    /// Returns a day's activity, which is the same in the oldest and the newest version.
    package static func activity(_ version: String) -> Records {
        Records(entity: "SDActivitySnapshot", version: version) { number, owner in
            #""activeMinutes":\#(20 + number % 60),"activityLevel":"moderate","caloriesBurned":\#(200 + number).25,"#
                + #""date":"2026-01-31T08:00:00Z","distanceKm":\#(number % 20).125,"heartRateAvg":96.5,"#
                + #""steps":\#(10000 + number),"workoutDurationMinutes":38.5,"workoutSessions":1,"#
                + #""createdAt":"2026-01-31T08:00:00.123Z","updatedAt":"2026-01-31T09:30:00.5Z","#
                + #""backendID":"activity-2026-01-31-\#(number)","backendSyncedAt":null,"userProfile":"\#(owner)""#
        }
    }

    /// Returns a part of a meal, whose quantity is a text in 0.0.6, and a number and a unit in the newest version.
    package static func item(_ version: String, quantity: String) -> Records {
        Records(entity: "SDMealLogItem", version: version) { number, owner in
            #""name":"Oat milk, unsweetened","quantity":\#(quantity),"calories":\#(40 + number % 300).5,"#
                + #""protein":1.25,"carbs":6.5,"fat":1.5,"fiberG":0.75,"sugarG":null,"confidence":0.93,"#
                + #""parsingNotes":"read from a photo","orderIndex":\#(number),"#
                + #""createdAt":"2026-01-31T08:00:00.123Z","backendID":null,"mealLog":"\#(owner)""#
        }
    }

    package static let oldItem = item("0.0.6", quantity: #""250 ml""#)
    package static let newItem = item("0.1.1", quantity: #"250,"unit":"ml","foodType":"drink""#)
}

/// A fast source of ids, different for all clients.
package struct IDSource {
    private var state = UInt64.random(in: .min ... .max)

    package init() {}

    /// Returns the 36 characters of a random UUID.
    package mutating func next() -> [UInt8] {
        var text = [UInt8](repeating: UInt8(ascii: "-"), count: 36)
        var bits = random()
        for index in text.indices where ![8, 13, 18, 23].contains(index) {
            if index == 19 { bits = random() }
            text[index] = Self.digits[Int(bits & 15)]
            bits >>= 4
        }
        text[14] = UInt8(ascii: "4")
        text[19] = UInt8(ascii: "8")
        return text
    }

    /// Returns the next number of SplitMix64.
    private mutating func random() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    private static let digits = Array("0123456789abcdef".utf8)
}
