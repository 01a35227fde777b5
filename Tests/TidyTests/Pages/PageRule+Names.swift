extension PageRule {
    static let paths = PageRule(
        "A path that a page names is there",
        broken: ["`Sources/None`", "`SyncServer/None.swift`", "`PushRun/noSuchThing.swift`", "`sync/9999`"],
        sound: "`Sources/Run`, `Run/main.swift`, `SyncEngine/Push`, `tour.md`, `sync/0001`, `a/`, `1/2`, `/v1/apps`",
        in: \.spans
    ) { span, page in
        let parts = span.text.split(separator: "/")
        guard parts.count > 1, span.text.first?.isLetter == true || span.text.first == ".",
            parts.allSatisfy({ $0.allSatisfy { isWordCharacter($0) || ".+-".contains($0) } })
        else { return [] }
        let path = parts.joined(separator: "/")
        return isThere(path, parts, from: page.path) ? [] : [(path, "there is no ‘\(path)’")]
    }

    private static func isThere(_ path: String, _ parts: [Substring], from page: String) -> Bool {
        let tree = TreeNames.ofTree
        if tree.tails.contains(path) || SourceNames.ofTree.tests.contains(path) { return true }
        if let relative = TreeNames.path(path, from: page), tree.contains(relative) { return true }
        // ‘sync/0012’
        let last = parts[parts.count - 1]
        if parts.count == 2, last.count == 4, last.allSatisfy(\.isNumber) {
            return tree.files.contains { $0.hasPrefix("Migrations/\(path)") }
        }
        // ‘SyncEngine/Push.take’
        guard let dot = last.firstIndex(of: ".") else { return false }
        let file = (parts.dropLast() + [last[..<dot]]).joined(separator: "/")
        return tree.tails.contains(file) && SourceNames.ofTree.members.contains(String(last[last.index(after: dot)...]))
    }

    static let types = PageRule(
        "A type that a page names is declared", broken: ["`NoSuchThing`", "`NoneTests`", "a\n`SyncClients`"],
        sound: "`SyncStore`, `OpenID`, `SyncServer`, `MergeTests`, `Nothing`, `ACL`", in: \.spans
    ) { span, _ in
        guard isName(span.text[...]), span.text.first?.isUppercase == true, span.text.contains(where: \.isLowercase),
            words(of: span.text[...]).count > 1 || span.text.hasSuffix("Tests")
        else { return [] }
        return isDeclared(span.text) ? [] : [(span.text, "no type, file or target is called ‘\(span.text)’")]
    }

    private static func isDeclared(_ name: String) -> Bool {
        SourceNames.ofTree.types.contains(name) || TreeNames.ofTree.stems.contains(name)
            || TreeNames.ofTree.names.contains(name)
    }

    static let members = PageRule(
        "A member that a page names is declared, and its type is",
        broken: ["`SyncStore.noSuchThing`", "`NoSuchThing.write`", "`SyncStore.noSuchThing(at:)`"],
        sound: "`SyncStore.write`, `SyncStore.init(at:)`, `Package.swift`, `README.md`, `1.2`, `a.b`", in: \.spans
    ) { span, _ in
        let parts = span.text.prefix { $0 != "(" }.split(separator: ".", omittingEmptySubsequences: false).map(
            String.init)
        guard parts.count > 1, parts.allSatisfy({ isName($0[...]) }), span.text.first?.isUppercase == true else {
            return []
        }
        if TreeNames.ofTree.names.contains(span.text) { return [] }
        if !isDeclared(parts[0]) { return [(span.text, "no type is called ‘\(parts[0])’")] }
        let unknown = parts.dropFirst().first { !SourceNames.ofTree.members.contains($0) && !isDeclared($0) }
        return unknown.map { [(span.text, "nothing is called ‘\($0)’")] } ?? []
    }

    static let identifiers = PageRule(
        "An identifier that a page names is in the sources",
        broken: ["`noSuchThing`", "`NO_SUCH_VARIABLE`", "`NO_SUCH_VARIABLE=1`", "`NO_SUCH_FILE`"],
        sound: "`schemaVersion`, `DATABASE_URL`, `DATABASE_URL=a`, `STANDBY_URL_FILE`, `word`, `two words`, `UTF_`",
        in: \.spans
    ) { span, _ in
        let name = span.text.prefix { $0 != "=" }
        guard isName(name), let first = name.first else { return [] }
        let isVariable =
            first.isUppercase && name.contains("_") && !name.hasSuffix("_")
            && name.allSatisfy { $0.isUppercase || $0.isNumber || $0 == "_" }
        guard isVariable || first.isLowercase && name == span.text && !name.contains("_") && words(of: name).count > 1
        else { return [] }
        let words = SourceNames.ofTree.words
        // For each secret's variable there is another one that names a file.
        let isThere =
            words.contains(String(name)) || name.hasSuffix("_FILE") && words.contains(String(name.dropLast(5)))
        return isThere ? [] : [(String(name), "‘\(name)’ is nowhere in the sources")]
    }

    static func isName(_ text: Substring) -> Bool {
        text.first?.isNumber == false && text.allSatisfy(isWordCharacter)
    }

    private static func isWordCharacter(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber) || character == "_"
    }
}
