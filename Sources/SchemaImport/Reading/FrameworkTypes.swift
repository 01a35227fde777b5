/// Types of Apple's frameworks, which apps do not declare.
enum FrameworkTypes {
    /// The modules whose names may precede the name of a type, as in `Foundation.Date`.
    static let modules: Set<String> = [
        "AppKit", "Charts", "Combine", "Contacts", "CoreData", "CoreGraphics", "CoreLocation", "CryptoKit",
        "Foundation", "HealthKit", "MapKit", "Observation", "PencilKit", "Swift", "SwiftData", "SwiftUI", "UIKit",
        "UniformTypeIdentifiers",
    ]

    /// Returns a type's name without the name of a known module before it.
    static func bare(_ name: String) -> String {
        guard let dot = name.firstIndex(of: "."), modules.contains(String(name[..<dot])) else { return name }
        return String(name[name.index(after: dot)...])
    }

    /// The types of values with which a store on a device identifies its records.
    static let ofStore: Set<String> = ["NSManagedObjectID", "PersistentIdentifier"]

    /// Generic types that are `Codable` only if their generic arguments are.
    static let containers: Set<String> = ["Range", "ClosedRange", "PartialRangeFrom", "PartialRangeUpTo"]

    /// Returns true if `name` can only be that of a framework's type, which the app's sources do not declare:
    /// `UIColor`, `CLLocation`, `Color`.
    static func isFramework(_ name: String) -> Bool {
        let letters = Array(name.prefix(3))
        guard letters.count == 3, letters[2].isUppercase else { return others.contains(name) }
        return prefixes.contains(String(letters[..<2]))
    }

    private static let prefixes: Set<String> = [
        "AV", "CA", "CG", "CI", "CK", "CL", "CM", "CN", "EK", "HK", "MK", "NS", "PH", "SK", "UI", "UN", "WK",
    ]

    private static let others: Set<String> = [
        "Any", "AnyHashable", "AnyObject", "Calendar.Component", "Calendar.Identifier", "Color", "Font", "Image",
        "LocalizedStringKey", "Never", "Void",
    ]

    /// Examples of JSON that some of the types in `codable` can be decoded from, by the type's name.
    static let examples = [
        "CGPoint": "[0,0]", "CGRect": "[[0,0],[0,0]]", "CGSize": "[0,0]", "CGVector": "[0,0]",
        "DateComponents": "{}", "Duration": "[0,0]", "IndexSet": "{\"indexes\":[]}",
        "Locale": "{\"identifier\":\"en\"}",
        "NSRange": "[0,0]", "PersonNameComponents": "{}", "TimeZone": "{\"identifier\":\"GMT\"}",
    ]

    /// The types that have a constant `zero`. The JSON of that constant is the type's entry in `examples`.
    static let zeros: Set<String> = ["CGPoint", "CGRect", "CGSize", "CGVector", "Duration"]

    /// Types that are `Codable`, whatever their generic arguments.
    static let codable: Set<String> = [
        "AttributedString", "CGAffineTransform", "CGPoint", "CGRect", "CGSize", "CGVector", "Calendar", "CharacterSet",
        "Color.Resolved", "DateComponents", "DateInterval", "Duration", "IndexPath", "IndexSet", "Locale",
        "Locale.Currency", "Locale.Language", "Locale.LanguageCode", "Locale.Region", "Locale.Script", "Locale.Weekday",
        "Measurement", "NSRange", "PKDrawing", "PersonNameComponents", "SIMD2", "SIMD3", "SIMD4", "TimeZone",
        "URLComponents", "UTType",
    ]
}
