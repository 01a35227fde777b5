/// The name of one shape of an app's models: of a version, or of another form that was shipped under a version's
/// number. Clients, files and people use it: `0.1.0`, `0.1.0;fp=9691fcd4161dcaa0`, or only the fingerprint,
/// `;fp=9691fcd4161dcaa0`, for an app that was built before there were version numbers.
package struct ShapeName: Hashable, Sendable {
    /// The version number; `nil` if the name is only a fingerprint.
    package let version: Schema.Version?
    /// The fingerprint in the name; `nil` if there is none. It need not be that of a known shape.
    package let fingerprint: String?

    init(version: Schema.Version, fingerprint: String?) {
        self.version = version
        self.fingerprint = fingerprint
    }

    /// The greatest length of a name that is read, in bytes. Three numbers of six digits and a fingerprint of sixteen
    /// take 40 bytes; the rest allows for spaces.
    package static let sizeMaxBytes = 100

    /// Reads a shape's name, such as `0.1.0;fp=9691fcd4161dcaa0`. Spaces are allowed only around the number and around
    /// the fingerprint's part. `nil` for any other text, and for one longer than `sizeMaxBytes`.
    package init?(_ text: some StringProtocol) {
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
        // Without a number there must be a fingerprint, and the text before the semicolon must be empty.
        guard version != nil || number.isEmpty && fingerprint != nil else { return nil }
    }
}

extension ShapeName: CustomStringConvertible {
    package var description: String {
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
