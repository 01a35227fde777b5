import SourceFacts
import WireFormats

/// The type that an attribute of a Core Data model has in a migration plan. It also converts the attribute's default.
struct ManagedType {
    let kind: AttributeType.Kind
    private let integerSizeBits: Int?

    /// Finds the plan's type for a Core Data type. The result is `nil` if a plan has no such type.
    ///
    /// - Parameter name: the name of the Core Data type, such as `Integer 64`.
    init?(_ name: String?) {
        switch name {
        case "Integer 16": (kind, integerSizeBits) = (.int, 16)
        case "Integer 32": (kind, integerSizeBits) = (.int, 32)
        case "Integer 64": (kind, integerSizeBits) = (.int, 64)
        case "Decimal": (kind, integerSizeBits) = (.decimal, nil)
        case "Double", "Float": (kind, integerSizeBits) = (.double, nil)
        case "String", "URI": (kind, integerSizeBits) = (.string, nil)
        case "Boolean": (kind, integerSizeBits) = (.bool, nil)
        case "Date": (kind, integerSizeBits) = (.date, nil)
        case "Binary": (kind, integerSizeBits) = (.data, nil)
        case "UUID": (kind, integerSizeBits) = (.uuid, nil)
        default: return nil
        }
    }

    enum Standard: Equatable {
        case standard(Default?)
        /// The default cannot be stated in a migration plan. The text says why.
        case unknown(String)
    }

    /// Returns the default value of an attribute in the form in which a plan writes it. `element` is the attribute's
    /// XML element in the Core Data model.
    func standard(_ element: ElementFact) -> Standard {
        if kind == .date {
            guard let stated = element.value("defaultDateTimeInterval") ?? element.value("defaultValueString") else {
                return .standard(nil)
            }
            return ManagedType.moment(stated).map { .standard($0) }
                ?? .unknown("its default (\(stated) s after 2001) is no time that a plan can state")
        }
        guard let text = element.attributes["defaultValueString"] else { return .standard(nil) }
        // An empty default is an empty text, not a number.
        if text.isEmpty { return .standard(kind == .string && !isURI(element) ? .string("") : nil) }
        return constant(text).map { .standard($0) } ?? .unknown("its default ‘\(text)’ is none that a plan can state")
    }

    /// Converts a date to the default that a plan writes; `nil` if a plan cannot state it.
    ///
    /// - Parameter seconds: the number of seconds since the beginning of 2001, UTC.
    private static func moment(_ seconds: String) -> Default? {
        guard let value = Double(seconds), value.isFinite,
            let microseconds = Int64(exactly: ((value + 978_307_200) * 1_000_000).rounded())
        else { return nil }
        let text = Default.string("\(Timestamp(microseconds: microseconds))")
        return text.constant(for: .date) == nil ? nil : text
    }

    private func isURI(_ element: ElementFact) -> Bool { element.value("attributeType") == "URI" }

    private func constant(_ text: String) -> Default? {
        switch kind {
        case .bool:
            switch text {
            case "YES", "true", "1": return .bool(true)
            case "NO", "false", "0": return .bool(false)
            default: return nil
            }
        case .int:
            // An attribute that was a Double before may still have the default ‘0.0’.
            let whole = Int64(text) ?? Double(text).flatMap { Int64(exactly: $0) }
            guard let value = whole, let bits = integerSizeBits else { return nil }
            return value >> (bits - 1) == 0 || value >> (bits - 1) == -1 ? .int(value) : nil
        case .double: return Double(text).flatMap { $0.isFinite ? .double($0) : nil }
        case .decimal:
            if let whole = Int64(text) { return .int(whole) }
            // The default is exact: a fraction goes in as text if its shortest Double is written differently.
            if let number = Double(text), "\(number)" == text { return .double(number) }
            return Default.string(text).constant(for: kind) == nil ? nil : .string(text)
        case .string: return Default.string(text).constant(for: kind) == nil ? nil : .string(text)
        default: return nil
        }
    }
}
