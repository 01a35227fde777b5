package import SyncEngine
import WireFormats

/// The payloads of the notifications by which one server announces changed spaces to the others. The first line is the
/// database's epoch; each further line holds an app, a space and the space's head (the number of its latest change).
///
/// Any login to the database may listen, and may announce false heads. So an announcement holds only numbers, and a
/// server that receives one only tells its clients that there may be changes.
package enum Announcement {
    package static let channel = "syncserver_heads"
    /// The maximum size of a notification's payload, in bytes. It has room for about 150 spaces. PostgreSQL allows
    /// fewer than 8,000 bytes.
    static let payloadSizeMaxBytes = 7_900

    /// Returns notification payloads that together contain all of the spaces with their heads. Each payload has as many
    /// spaces as fit in it.
    package static func payloads(of moved: [SpaceName: SpaceHead]) -> [String] {
        var payloads: [String] = []
        for (epoch, group) in Dictionary(grouping: moved, by: \.value.epoch) {
            let first = epoch.description
            var payload = first
            for (name, head) in group {
                let line = "\n\(name.app) \(name.space) \(head.head)"
                if payload.utf8.count + line.utf8.count > payloadSizeMaxBytes {
                    payloads.append(payload)
                    payload = first
                }
                payload += line
            }
            payloads.append(payload)
        }
        return payloads
    }

    /// Returns the spaces in a payload with their heads (the numbers of their latest changes). Lines that cannot be
    /// read, such as those in a later release's format, are skipped.
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
