package import WireFormats

/// The text that a push came in, to keep what is held of it to the letter.
package struct ChangeTexts: Sendable {
    private let body: [UInt8]
    /// Which member of the body's object the changes are.
    private let member: Int

    package init?(_ body: [UInt8], root: JSONNode) {
        guard let place = root.members.map(Array.init)?.firstIndex(where: { $0.key == "changes" }) else { return nil }
        self.body = body
        member = place
    }

    package func texts(of places: [Int]) -> [Int: [UInt8]] {
        if places.isEmpty { return [:] }
        let elements = JSONExcerpts.elements(ofMember: member, in: body)
        return Dictionary(uniqueKeysWithValues: places.map { ($0, Array(body[elements[$0]])) })
    }
}
