import StrictJSON

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#elseif canImport(Foundation)
    public import Foundation
#endif

#if canImport(FoundationEssentials) || canImport(Foundation)

    /// A struct of an app, for attributes of `.codable("Address")`: `extension Address: CodableValue {}`.
    ///
    /// By default its JSON is decoded by a `JSONDecoder` and encoded by a `JSONEncoder`, both with Foundation's default
    /// settings. An app that stores other JSON, with another format of dates for example, declares `decoder` and
    /// `encoder`. JSON that cannot be decoded is a `LensFailure`: a change with it is quarantined until the conversion
    /// has been fixed.
    public protocol CodableValue: AttributeValue, AttributeElement, Codable {
        /// The type's name in the schema; by default the name of the Swift type.
        static var codableName: String { get }
        static var decoder: JSONDecoder { get }
        static var encoder: JSONEncoder { get }
    }

    extension CodableValue {
        /// The name of the Swift type.
        public static var codableName: String { "\(Self.self)" }
        /// A decoder with Foundation's defaults.
        public static var decoder: JSONDecoder { JSONDecoder() }
        /// An encoder with Foundation's defaults.
        public static var encoder: JSONEncoder { JSONEncoder() }
        public static var attributeType: AttributeType { .codable(codableName) }

        public init(reading value: Value) throws(LensFailure) {
            guard case .json(let text) = value else {
                throw LensFailure("a conversion met \(value.brief) where a \(Self.self) belongs")
            }
            do {
                self = try Self.decoder.decode(Self.self, from: Data(text.utf8))
            } catch {
                throw LensFailure("\(value.brief) does not decode as \(Self.self): \(Self.reason(error))")
            }
        }

        public var value: Value {
            get throws(LensFailure) {
                do {
                    let document = try JSONDocument(parsing: [UInt8](Self.encoder.encode(self)))
                    return .json(document.root.canonicalText())
                } catch {
                    throw LensFailure("a \(Self.self) has no JSON: \(error)")
                }
            }
        }

        /// The reason why decoding failed: the part that is missing or of the wrong type, and the path to it. The
        /// message does not repeat the JSON text, which `Value.brief` describes.
        private static func reason(_ error: any Error) -> String {
            func location(_ path: [any CodingKey]) -> String {
                path.isEmpty ? "" : " at \(path.map(\.stringValue).joined(separator: "."))"
            }
            return switch error {
            case DecodingError.keyNotFound(let key, let context):
                "there is no ‘\(key.stringValue)’\(location(context.codingPath))"
            case DecodingError.valueNotFound(let type, let context):
                "there is no \(type)\(location(context.codingPath))"
            case DecodingError.typeMismatch(let type, let context): "there is no \(type)\(location(context.codingPath))"
            case DecodingError.dataCorrupted(let context): "\(context.debugDescription)\(location(context.codingPath))"
            default: "\(error)"
            }
        }
    }

    extension Data: AttributeValue {
        public static var attributeType: AttributeType { .data }
        public init(reading value: Value) throws(LensFailure) { self.init(try UInt8.array(reading: value)) }
        public var value: Value { .data([UInt8](self)) }
    }

    extension Data: AttributeElement {}

#endif
