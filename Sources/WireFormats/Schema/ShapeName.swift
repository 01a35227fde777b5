/// How a client, a file or a person names the shape of an app's models that they mean: `0.1.0`,
/// `0.1.0;fp=9691fcd4161dcaa0`, or `;fp=9691fcd4161dcaa0` alone, from what was built before there were numbers.
public struct ShapeName: Hashable, Sendable {
    /// `nil` only where there is a fingerprint.
    public let version: Schema.Version?
    /// As it was given: not necessarily one that exists.
    public let fingerprint: String?

    init(version: Schema.Version, fingerprint: String?) {
        self.version = version
        self.fingerprint = fingerprint
    }

    /// The longest text that is read. Three numbers of six digits and a fingerprint of sixteen are 40 bytes; the rest
    /// is for spaces.
    public static let sizeMaxBytes = 100

    /// Spaces around the two parts are allowed; nothing else is. `nil` also for what is longer than `sizeMaxBytes`.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count <= ShapeName.sizeMaxBytes else { return nil }
        let parts = text.split(separator: ";", omittingEmptySubsequences: false).map { $0.trimmingSpaces() }
        guard let number = parts.first, parts.count <= 2 else { return nil }
        version = Schema.Version(number)
        if parts.count == 2 {
            let marker = "fp="
            guard parts[1].hasPrefix(marker) else { return nil }
            fingerprint = String(parts[1].dropFirst(marker.count))
        } else {
            fingerprint = nil
        }
        // Without a number there is at least a fingerprint, and what stands for the number is one or nothing.
        guard version != nil || number.isEmpty && fingerprint != nil else { return nil }
    }
}

extension ShapeName: CustomStringConvertible {
    public var description: String {
        (version?.description ?? "") + (fingerprint.map { ";fp=\($0)" } ?? "")
    }
}

extension StringProtocol {
    fileprivate func trimmingSpaces() -> String {
        var text = self[...]
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
