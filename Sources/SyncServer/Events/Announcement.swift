package import SyncEngine
import WireFormats

/// What one server tells the others: spaces that it moved, as the payloads of notifications. The first line is the
/// epoch, each further one an app, a space and its head.
///
/// Whoever may log in to the database may listen, and may announce what is not true; so it says nothing but numbers,
/// and is only believed as far as a hint is.
package enum Announcement {
    package static let channel = "syncserver_heads"
    /// PostgreSQL takes less than 8,000 bytes. That is about 150 spaces.
    static let payloadSizeMaxBytes = 7_900

    /// As few as hold them all.
    package static func payloads(of moved: [SpaceName: SpaceHead]) -> [String] {
        var payloads: [String] = []
        for (epoch, group) in Dictionary(grouping: moved, by: \.value.epoch) {
            let head = epoch.description
            var payload = head
            for (name, standing) in group {
                let line = "\n\(name.app) \(name.space) \(standing.head)"
                if payload.utf8.count + line.utf8.count > payloadSizeMaxBytes {
                    payloads.append(payload)
                    payload = head
                }
                payload += line
            }
            payloads.append(payload)
        }
        return payloads
    }

    /// What a payload says; lines that cannot be read, such as a later release's, say nothing.
    static func moved(in payload: String) -> [SpaceName: SpaceHead] {
        var moved: [SpaceName: SpaceHead] = [:]
        let lines = Array(payload.utf8).split(separator: UInt8(ascii: "\n"))
        guard let epoch = lines.first.flatMap({ ID(String(decoding: $0, as: UTF8.self)) }) else { return moved }
        for line in lines.dropFirst() {
            let words = line.split(separator: UInt8(ascii: " "))
            guard words.count == 3, let space = ID(String(decoding: words[1], as: UTF8.self)),
                let head = Int64(String(decoding: words[2], as: UTF8.self)), head >= 0
            else { continue }
            let name = SpaceName(app: String(decoding: words[0], as: UTF8.self), space: space)
            moved[name] = SpaceHead(epoch: epoch, head: head)
        }
        return moved
    }
}
