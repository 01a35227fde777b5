import Glibc

/// A user of the operating system.
package struct Account: Sendable, Hashable {
    let userID: uid_t
    let groupID: gid_t

    /// Looks up the user with this name; `nil` if there is none.
    init?(named name: String) {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16384)
        let status = getpwnam_r(name, &entry, &buffer, buffer.count, &found)
        guard status == 0, found != nil else { return nil }
        userID = entry.pw_uid
        groupID = entry.pw_gid
    }

    private init(userID: uid_t, groupID: gid_t) {
        self.userID = userID
        self.groupID = groupID
    }

    /// The effective user of this process.
    package static var current: Account { Account(userID: geteuid(), groupID: getegid()) }

    var isRoot: Bool { userID == 0 }
}
