import Testing

/// The imports of targets: each is declared in Package.swift. All modules are built into one folder, so an undeclared
/// import would compile whenever that module happened to be built first.
@Suite struct TargetTests {
    /// A target of the package.
    private struct Target {
        let name: String
        let folder: String
        let dependencies: Set<String>
    }

    private static let targets: [String: Target] = {
        let manifest = SourceTree.text(of: "Package.swift") ?? ""
        let heads = manifest.ranges(of: /\n {8}\.(?:target|executableTarget|testTarget)\(/)
        let ends = heads.dropFirst().map(\.lowerBound) + [manifest.endIndex]
        let found = zip(heads, ends).compactMap { target(in: manifest[$0.upperBound..<$1]) }
        return Dictionary(found.map { ($0.name, $0) }) { first, _ in first }
    }()

    private static func target(in text: Substring) -> Target? {
        guard let name = text.firstMatch(of: /name: "(\w+)"/)?.1 else { return nil }
        let isTest = name.hasSuffix("Tests")
        let folder = text.firstMatch(of: /path: "([^"]+)"/)?.1 ?? "\(isTest ? "Tests" : "Sources")/\(name)"
        var dependencies: Set<String> = []
        if let list = text.firstRange(of: "dependencies: [") {
            var depth = 1
            let rest = text[list.upperBound...].prefix { character in
                depth += character == "[" ? 1 : character == "]" ? -1 : 0
                return depth > 0
            }
            dependencies = Set(rest.matches(of: /"(\w+)"/).map { String($0.1) })
        }
        return Target(name: String(name), folder: "\(folder)/", dependencies: dependencies)
    }

    /// Returns the imports of this package's targets that the file's own target does not declare.
    private static func undeclared(in file: SourceFile) -> [String] {
        guard file.isSwift, let own = targets.values.first(where: { file.path.hasPrefix($0.folder) }) else { return [] }
        return file.lines.compactMap { line -> String? in
            guard let match = line.wholeMatch(of: /(?:@\w+ |public |package |internal )*import (\w+)/),
                targets[String(match.1)] != nil, !own.dependencies.contains(String(match.1))
            else { return nil }
            return "\(file.path) imports \(match.1), which \(own.name) does not depend on in Package.swift"
        }
    }

    @Test func noFileImportsWhatItsTargetDoesNotDependOn() {
        #expect(SourceTree.files.flatMap(TargetTests.undeclared) == [])
        let text = "package import HTTPServer\nimport PGStore\n"
        let planted = SourceFile(path: "Sources/SyncEngine/Push/A.swift", text: text)
        #expect(TargetTests.undeclared(in: planted).count == 1)
    }

    /// Returns the targets that a target links, directly or indirectly.
    private static func graph(of name: String) -> Set<String> {
        var found: Set<String> = []
        var open = [name]
        while let next = open.popLast() {
            for name in targets[next]?.dependencies ?? [] where found.insert(name).inserted { open.append(name) }
        }
        return found
    }

    /// The dependencies that docs/architecture.md shows.
    @Test(arguments: [
        ("StrictJSON", ["WireFormats", "Postgres", "HTTPServer"]),
        ("SQLText", ["WireFormats", "Postgres"]),
        ("WireFormats", ["Postgres", "PGStore", "HTTPServer", "SyncEngine"]),
        ("Postgres", ["PGStore", "PGMigrations", "SyncEngine", "HTTPServer"]),
        ("PGStore", ["PGMigrations", "SyncEngine", "HTTPServer"]),
        ("SyncEngine", ["HTTPServer", "CMicroHTTPD", "OpenID", "PGMigrations", "SyncServer", "SyncCommands"]),
        ("HTTPServer", ["WireFormats", "Postgres", "SyncEngine"]),
        ("Operations", ["HTTPServer", "CMicroHTTPD", "OpenID", "SyncServer", "SyncCommands"]),
        ("SyncServer", ["SyncCommands", "SyncClient"]),
        ("Run", ["SyncClient", "SyncSimulator", "SyncModel", "SyncTesting"]),
        ("SyncClient", ["Postgres", "PGStore", "SyncEngine", "HTTPServer"]),
        ("SyncModel", ["SyncEngine", "PGStore"]),
        ("SyncSimulator", ["SyncEngine", "SyncServer"]),
    ])
    func aTargetKnowsNothingOfThese(_ name: String, _ others: [String]) {
        let graph = TargetTests.graph(of: name)
        #expect(TargetTests.targets[name] != nil)
        #expect(graph.isDisjoint(with: others), "\(name): \(graph.intersection(others).sorted())")
    }

    @Test func theManifestIsRead() {
        #expect(TargetTests.targets.count > 30)
        #expect(TargetTests.targets["Workshop"]?.folder == "Tests/Workshop/")
        #expect(TargetTests.graph(of: "Run").isSuperset(of: ["SyncEngine", "Postgres", "HTTPServer"]))
    }
}
