#if canImport(FoundationEssentials)
    public import FoundationEssentials
#elseif canImport(Foundation)
    public import Foundation
#endif

#if canImport(FoundationEssentials) || canImport(Foundation)

    /// A date as an attribute's value, in microseconds, from the year 1 to 9999. Within 142 years of 2001 a `Date`
    /// represents every microsecond, so nothing is lost.
    extension Date: AttributeValue {
        public static var attributeType: AttributeType { .date }

        public init(reading value: Value) throws(LensFailure) {
            let microseconds = try Timestamp(reading: value).microseconds - Date.referenceMicroseconds
            let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
            self.init(timeIntervalSinceReferenceDate: Double(seconds) + Double(rest) / 1_000_000)
        }

        public var value: Value {
            get throws(LensFailure) {
                let microseconds = (timeIntervalSinceReferenceDate * 1_000_000).rounded()
                guard let whole = Int64(exactly: microseconds), abs(whole) < 1 << 60 else {
                    throw LensFailure("no attribute can have a Date of the year \(self)")
                }
                return .date(Timestamp(microseconds: whole + Date.referenceMicroseconds))
            }
        }

        /// The microseconds from 1970, where timestamps begin, to 2001, where `Date` begins.
        private static var referenceMicroseconds: Int64 { 978_307_200_000_000 }
    }

    extension Date: AttributeElement {}

    extension UUID: AttributeValue {
        public static var attributeType: AttributeType { .uuid }

        public init(reading value: Value) throws(LensFailure) {
            let id = try ID(reading: value)
            let bytes = [id.high, id.low].flatMap { half in
                (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * $0)) }
            }
            self.init(
                uuid: (
                    bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9],
                    bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
                ))
        }

        public var value: Value { .uuid(ID(self)) }
    }

    extension UUID: AttributeElement {}

    extension ID {
        /// Makes an id of a UUID.
        public init(_ uuid: UUID) {
            let b = uuid.uuid
            func half(_ bytes: [UInt8]) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
            self.init(
                high: half([b.0, b.1, b.2, b.3, b.4, b.5, b.6, b.7]),
                low: half([b.8, b.9, b.10, b.11, b.12, b.13, b.14, b.15]))
        }
    }

#endif
