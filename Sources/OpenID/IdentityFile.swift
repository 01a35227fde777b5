import StrictJSON
package import WireFormats

/// The contents of the file of `serve --identity`: the identity providers whose tokens are accepted, and the meaning of
/// their claims.
package struct IdentityFile: Sendable {
    package let issuers: [Issuer]

    /// The maximum number of spaces that one token may give access to. A token of 8 KiB, the maximum, has room for
    /// about as many.
    static let spacesMax = 200
    /// The maximum number of providers in a file. Each one's keys are in memory and are fetched again every few
    /// minutes.
    static let issuersMax = 20

    /// An error in the file. Its description includes the values that are allowed.
    package struct Fault: Error, Sendable, CustomStringConvertible {
        package let description: String

        init(_ description: String) { self.description = description }
    }

    /// Parses and checks the file.
    ///
    /// - Throws: `Fault`.
    package init(_ bytes: [UInt8]) throws(Fault) {
        let root: JSONNode
        do throws(JSONError) { root = try JSONDocument(parsing: bytes).root } catch {
            throw Fault("It is not strict JSON. \(error)")
        }
        guard let entries = try IdentityObject(root, "the file", known: ["issuers"]).node["issuers"]?.elements,
            !entries.isEmpty
        else {
            throw Fault("‘issuers’ must be an array of at least one.")
        }
        guard entries.count <= IdentityFile.issuersMax else {
            throw Fault("There may be \(IdentityFile.issuersMax) issuers.")
        }
        var issuers: [Issuer] = []
        for (index, entry) in entries.enumerated() { issuers.append(try Issuer(entry, "issuers[\(index)]")) }
        try IdentityFile.checkApart(issuers)
        self.issuers = issuers
    }

    /// Checks that no two providers can give the same subject name to different people. So no provider's prefix may be
    /// the beginning of another provider's prefix.
    ///
    /// Two entries may have the same prefix only if both have the same issuer and take the subject's name from the same
    /// claim. Then they name the same people, for example in two apps.
    private static func checkApart(_ issuers: [Issuer]) throws(Fault) {
        for (index, one) in issuers.enumerated() {
            for (otherIndex, other) in issuers[..<index].enumerated() {
                let (a, b) = (one.subjectPrefix, other.subjectPrefix)
                if a == b, one.name == other.name, one.subjectClaim == other.subjectClaim { continue }
                guard !a.begins(with: b), !b.begins(with: a) else {
                    throw Fault(
                        "The subjects of issuers[\(otherIndex)], \(other.name), and of issuers[\(index)], "
                            + "\(one.name), could have the same names: give each a ‘subjectPrefix’ that no other "
                            + "one begins with, such as ‘apple:’. Two entries may have the same one where ‘issuer’ "
                            + "and ‘claims.subject’ are the same, too.")
                }
            }
        }
    }

    /// Returns the index of the first provider whose prefix is the beginning of the subject's name; `nil` if there is
    /// none.
    package func issuer(naming subject: Subject) -> Int? {
        issuers.firstIndex { ExactText(subject.text).begins(with: $0.subjectPrefix) }
    }
}

/// A JSON object in the identity file. Its initializer has checked that it has only known members.
private struct IdentityObject {
    let node: JSONNode
    let name: String

    init(_ node: JSONNode, _ name: String, known: [String]) throws(IdentityFile.Fault) {
        if let fault = node.fault(asObject: name, known: known) { throw IdentityFile.Fault(fault) }
        self.node = node
        self.name = name
    }

    func text(_ member: String) throws(IdentityFile.Fault) -> String? {
        guard let value = node[member] else { return nil }
        guard let text = value.string, !text.containsControls else {
            throw IdentityFile.Fault("‘\(name).\(member)’ must be a text.")
        }
        return text
    }

    func needed(_ member: String) throws(IdentityFile.Fault) -> String {
        guard let text = try text(member) else { throw IdentityFile.Fault("‘\(name).\(member)’ is missing.") }
        return text
    }

    func texts(_ member: String) throws(IdentityFile.Fault) -> [String] {
        guard let value = node[member] else { return [] }
        guard let texts = value.strings, texts.allSatisfy({ !$0.isEmpty }) else {
            throw IdentityFile.Fault("‘\(name).\(member)’ must be an array of texts.")
        }
        return texts
    }

    /// Reads a member whose value is the path of a claim.
    ///
    /// - Returns: `nil` if the member is missing.
    func claim(_ member: String) throws(IdentityFile.Fault) -> ClaimPath? {
        guard let text = try text(member) else { return nil }
        guard let path = ClaimPath(text) else {
            throw IdentityFile.Fault(
                "‘\(name).\(member)’ is no claim: write its name, or a pointer to it such as ‘/roles/app’ (RFC 6901).")
        }
        return path
    }

    /// Reads a member whose value is true or false.
    ///
    /// - Returns: `false` if the member is missing.
    func flag(_ member: String) throws(IdentityFile.Fault) -> Bool {
        guard let value = node[member] else { return false }
        guard let flag = value.bool else {
            throw IdentityFile.Fault("‘\(name).\(member)’ must be true or false.")
        }
        return flag
    }

    func object(_ member: String, known: [String]) throws(IdentityFile.Fault) -> IdentityObject? {
        guard let value = node[member] else { return nil }
        return try IdentityObject(value, "\(name).\(member)", known: known)
    }
}

extension Issuer {
    private static let members = [
        "issuer", "audiences", "authorizedParties", "subjectPrefix", "app", "keys", allowsPrivateMember, "algorithms",
        "leewaySeconds", "claims",
    ]

    fileprivate init(_ node: JSONNode, _ path: String) throws(IdentityFile.Fault) {
        let entry = try IdentityObject(node, path, known: Issuer.members)
        name = ExactText(try entry.needed("issuer"))
        try Issuer.check(address: name.text, "\(path).issuer")
        audiences = try entry.texts("audiences").map { ExactText($0) }
        guard !audiences.isEmpty else {
            throw IdentityFile.Fault(
                "‘\(path).audiences’ must say for whom the tokens are, such as the app's bundle identifier: without "
                    + "it, every app of the provider would let in here.")
        }
        authorizedParties = try entry.texts("authorizedParties").map { ExactText($0) }
        subjectPrefix = try Issuer.prefix(entry)
        app = try entry.text("app")
        keysAddress = try entry.text("keys")
        if let keysAddress { try Issuer.check(address: keysAddress, "\(path).keys") }
        allowsPrivateAddresses = try entry.flag(Issuer.allowsPrivateMember)
        // Only addresses that are fetched are checked here; other host names are checked once they are resolved.
        if !allowsPrivateAddresses, Download.namesThisMachine(keysAddress ?? name.text) {
            throw IdentityFile.Fault(
                "‘\(path).\(keysAddress == nil ? "issuer" : "keys")’ is on this machine. Where that is meant, say "
                    + "‘\(Issuer.allowsPrivateMember)’: true.")
        }
        algorithms = try Issuer.algorithms(entry)
        leeway = try Issuer.leeway(entry)
        let claims = try entry.object("claims", known: ["subject", "spaces", "role"])
        subjectClaim = try claims?.claim("subject") ?? ClaimPath.subject
        spacesClaim = try claims?.claim("spaces")
        role = try claims.flatMap { (claims) throws(IdentityFile.Fault) in try RoleClaim(claims) }
    }

    private static func check(address: String, _ path: String) throws(IdentityFile.Fault) {
        guard Download.allows(address) else {
            throw IdentityFile.Fault(
                "‘\(path)’ must be an address with https, without a name or a password in it; with http only on this "
                    + "machine.")
        }
    }

    private static func prefix(_ entry: IdentityObject) throws(IdentityFile.Fault) -> ExactText {
        let prefix = ExactText(try entry.needed("subjectPrefix"))
        guard !prefix.text.isEmpty else {
            throw IdentityFile.Fault(
                "‘\(entry.name).subjectPrefix’ must not be empty: whoever the provider calls as you call somebody in "
                    + "‘token create --subject’ would be that person. Write one, such as ‘apple:’. Where people have "
                    + "signed in without one, each is somebody new with it, whose personal space is empty: see "
                    + "docs/identity.md.")
        }
        guard prefix.text.utf8.count <= 64 else {
            throw IdentityFile.Fault("‘\(entry.name).subjectPrefix’ takes 64 bytes at most.")
        }
        return prefix
    }

    private static func algorithms(_ entry: IdentityObject) throws(IdentityFile.Fault) -> Set<SigningAlgorithm> {
        guard entry.node["algorithms"] != nil else { return Set(SigningAlgorithm.allCases) }
        let words = try entry.texts("algorithms")
        let algorithms = words.compactMap(SigningAlgorithm.init)
        guard algorithms.count == words.count, !algorithms.isEmpty else {
            let known = SigningAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
            throw IdentityFile.Fault("‘\(entry.name).algorithms’ takes \(known).")
        }
        return Set(algorithms)
    }

    private static func leeway(_ entry: IdentityObject) throws(IdentityFile.Fault) -> Duration {
        guard let node = entry.node["leewaySeconds"] else { return leewayDefault }
        guard let seconds = node.int64, (0...leewayMax.components.seconds).contains(seconds) else {
            throw IdentityFile.Fault(
                "‘\(entry.name).leewaySeconds’ must be an integer from 0 to \(leewayMax.components.seconds).")
        }
        return .seconds(seconds)
    }
}

extension Issuer.RoleClaim {
    /// Reads the rules for roles from the `claims` object of a provider's entry.
    ///
    /// - Returns: `nil` if the object has no such rules.
    fileprivate init?(_ claims: IdentityObject) throws(IdentityFile.Fault) {
        guard let role = try claims.object("role", known: ["claim", "write", "read"]) else { return nil }
        guard let claim = try role.claim("claim") else {
            throw IdentityFile.Fault("‘\(role.name).claim’ is missing.")
        }
        self.claim = claim
        write = Set(try role.texts("write").map { ExactText($0) })
        read = Set(try role.texts("read").map { ExactText($0) })
        guard !write.isEmpty || !read.isEmpty else {
            throw IdentityFile.Fault("‘\(role.name)’ must say which words of the claim let write, or read.")
        }
    }
}

extension String {
    /// True if the text contains a control character, U+0000 to U+001F or U+007F.
    var containsControls: Bool { unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F } }
}
