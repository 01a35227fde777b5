package import StrictJSON
import WireFormats

/// The original JSON text of a push, kept so that changes can be put into quarantine exactly as they were sent.
package struct ChangeTexts: Sendable {
    private let body: [UInt8]
    /// The index of the member `changes` in the body's object.
    private let member: Int

    package init?(_ body: [UInt8], root: JSONNode) {
        guard let index = root.members.map(Array.init)?.firstIndex(where: { $0.hasKey(BodyMember.changes) }) else {
            return nil
        }
        self.body = body
        member = index
    }

    package func texts(of indices: [Int]) -> [Int: [UInt8]] {
        if indices.isEmpty { return [:] }
        let elements = JSONExcerpts.elements(ofMember: member, in: body)
        return Dictionary(uniqueKeysWithValues: indices.map { ($0, Array(body[elements[$0]])) })
    }
}
