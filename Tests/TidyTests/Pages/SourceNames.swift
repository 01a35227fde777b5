/// The names in the sources: the declarations, and each word of code. The sources are read once, byte by byte: seven
/// megabytes take a second this way, and a minute with lines and regular expressions.
struct SourceNames: Sendable {
    /// All words of code; and in files that are neither Swift nor C, of comments, too.
    private(set) var words: Set<String> = []
    private(set) var types: Set<String> = []
    /// The names of functions, properties and cases.
    private(set) var members: Set<String> = []
    /// Names of options without the dashes: those of our commands, and those that scripts and programs pass or read.
    private(set) var options: Set<String> = []
    /// Tests in the form `Suite/test`.
    private(set) var tests: Set<String> = []

    static let ofTree: SourceNames = {
        var names = SourceNames()
        for path in SourceTree.paths where isSource(path) {
            if let bytes = SourceTree.bytes(of: path) { names.read(bytes, of: path) }
        }
        return names
    }()

    /// False for the rules of the pages, because they contain names that do not exist.
    private static func isSource(_ path: String) -> Bool {
        if path.hasPrefix("Tests/TidyTests/Pages/") || path.hasSuffix(".md") { return false }
        return isScript(path) || endings.contains { path.hasSuffix($0) }
    }

    private static func isScript(_ path: String) -> Bool {
        path.hasSuffix(".py") || ["script/", ".ci/", "deploy/"].contains { path.hasPrefix($0) }
    }

    private static let endings = [
        ".swift", ".py", ".c", ".h", ".cpp", ".sql", ".json", ".toml", ".modulemap", ".yml", ".yaml",
    ]

    private static let isWord: [Bool] = (UInt8.min...UInt8.max).map { byte in
        let character = Character(UnicodeScalar(byte))
        return character.isASCII && (character.isLetter || character.isNumber) || character == "_"
    }
    private static let typeKinds: Set<String> = [
        "struct", "class", "actor", "enum", "protocol", "typealias", "associatedtype", "extension", "macro",
    ]
    private static let memberKinds: Set<String> = ["func", "var", "let"]

    mutating func read(_ bytes: [UInt8], of path: String) {
        let hasSlashes = [".swift", ".c", ".h", ".cpp"].contains { path.hasSuffix($0) }
        let (isTest, isScript) = (path.hasPrefix("Tests/"), SourceNames.isScript(path))
        let (newline, space, dash, quote) = (
            UInt8(ascii: "\n"), UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "\"")
        )
        let (slash, tick, colon, dot) = (UInt8(ascii: "/"), UInt8(ascii: "`"), UInt8(ascii: ":"), UInt8(ascii: "."))
        let isWord = SourceNames.isWord
        var (typesHere, functionsHere): (Set<String>, Set<String>) = ([], [])
        var keyword = ""
        var isCase = false
        var index = 0

        func word() -> String {
            let start = index
            while index < bytes.count, isWord[Int(bytes[index])] { index += 1 }
            return String(decoding: bytes[start..<index], as: UTF8.self)
        }
        func optionName() -> String {
            let start = index
            while index < bytes.count, isWord[Int(bytes[index])] || bytes[index] == dash { index += 1 }
            return String(decoding: bytes[start..<index], as: UTF8.self)
        }
        func isNext(_ byte: UInt8, at index: Int) -> Bool { index < bytes.count && bytes[index] == byte }

        while index < bytes.count {
            let byte = bytes[index]
            if isWord[Int(byte)] {
                let isAfterDot = index > 0 && bytes[index - 1] == dot
                let word = word()
                words.insert(word)
                if SourceNames.typeKinds.contains(keyword) {
                    types.insert(word)
                    typesHere.insert(word)
                    // ‘extension A.B’
                    if isNext(dot, at: index) {
                        index += 1
                        continue
                    }
                } else if SourceNames.memberKinds.contains(keyword) || isCase || word == "init" {
                    members.insert(word)
                    if keyword == "func" { functionsHere.insert(word) }
                }
                if word == "case" { isCase = true }
                keyword = word
                guard isAfterDot, word == "flag" || word == "value", isNext(UInt8(ascii: "("), at: index) else {
                    continue
                }
                index += 1
                while index < bytes.count, bytes[index] == space || bytes[index] == newline { index += 1 }
                guard isNext(quote, at: index) else { continue }
                index += 1
                options.insert(optionName())
            } else if byte == newline {
                (keyword, isCase) = ("", false)
                index += 1
                while isNext(space, at: index) { index += 1 }
                if hasSlashes, isNext(slash, at: index), isNext(slash, at: index + 1) {
                    while index < bytes.count, bytes[index] != newline { index += 1 }
                }
            } else if byte == dash, isNext(dash, at: index + 1) {
                let before = index > 0 ? bytes[index - 1] : newline
                index += 2
                guard !isWord[Int(before)], before != dash, isScript || !isTest && before == quote else { continue }
                if index < bytes.count, isWord[Int(bytes[index])] { options.insert(optionName()) }
            } else {
                if byte != space, byte != tick { keyword = "" }
                if byte == colon { isCase = false }
                index += 1
            }
        }
        if isTest {
            for type in typesHere where type.hasSuffix("Tests") {
                tests.formUnion(functionsHere.map { "\(type)/\($0)" })
            }
        }
    }
}
