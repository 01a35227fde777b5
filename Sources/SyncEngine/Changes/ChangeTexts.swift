package import WireFormats

/// The original text of a push, kept so that held changes can be stored exactly as they were sent.
package struct ChangeTexts: Sendable {
    private let body: [UInt8]
    /// The index of the member `changes` in the body's object.
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
