public import Foundation
public import WireFormats

/// The id of a record as a device has it, to the letter: a UUID, or any text where the version's model has
/// `id: String`.
///
/// Two are equal if their bytes are. A Swift `String` is equal to another that is only written otherwise, such as an é
/// of one scalar or of two; to the server those are two ids.
public struct RecordID: Hashable, Sendable {
    public let text: String

    public init(_ text: String) { self.text = text }

    /// The 36 characters of a UUID, in lower case.
    public init(_ id: ID) { text = id.description }

    public init(_ uuid: UUID) { text = uuid.uuidString.lowercased() }

    /// Where it is one.
    public var uuid: UUID? { UUID(uuidString: text) }

    public static func == (a: RecordID, b: RecordID) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}

extension RecordID: CustomStringConvertible {
    public var description: String { text }
}
