/// Types of Apple's frameworks, which no app declares.
enum FrameworkTypes {
    /// Those whose generic arguments must be `Codable`, too.
    static let containers: Set<String> = ["Range", "ClosedRange", "PartialRangeFrom", "PartialRangeUpTo"]

    /// Whether an app's folders cannot have it: `UIColor`, `CLLocation`, `Color`.
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

    /// Those that are `Codable`, whatever their generic arguments.
    static let codable: Set<String> = [
        "AttributedString", "CGAffineTransform", "CGPoint", "CGRect", "CGSize", "CGVector", "Calendar", "CharacterSet",
        "Color.Resolved", "DateComponents", "DateInterval", "Duration", "IndexPath", "IndexSet", "Locale",
        "Locale.Currency", "Locale.Language", "Locale.LanguageCode", "Locale.Region", "Locale.Script", "Locale.Weekday",
        "Measurement", "NSRange", "PKDrawing", "PersonNameComponents", "SIMD2", "SIMD3", "SIMD4", "TimeZone",
        "URLComponents", "UTType",
    ]
}
