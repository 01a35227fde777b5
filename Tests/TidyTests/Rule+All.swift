extension Rule {
    static let all = [
        shortFiles, narrowLines, plainNames, noForce, noMachinePaths, foreignCode, statedSendability, documentedTypes,
        exactDecimals, independentModel, exactIdentities, livingReferences, ownPictures, plainFirstLines,
        documentedPublic, oneVocabulary,
    ]

    /// The folders of code that decides who a client is.
    private static let identityHomes = [
        "Sources/SyncServer/", "Sources/SyncEngine/", "Sources/PGStore/", "Sources/OpenID/",
        "Sources/Operations/", "Sources/SyncCommands/Operate/",
    ]
    /// The names of identities other than ids, which are UUIDs, and hashes.
    private static let identityNames = [
        "subject", "subjectPrefix", "madeBy", "actor", "issuer", "audience", "keyID", "device",
    ]

    static let exactIdentities = Rule(
        "An identity is compared by its bytes, so it is no String", broken: "Sources/OpenID/A.swift",
        by: "let subject: String"
    ) { file in
        guard file.isSwift, identityHomes.contains(where: { file.path.hasPrefix($0) }) else { return [] }
        return file.faults { line in
            identityNames.first { name in
                ["let \(name): String", "var \(name): String", "_ \(name): String", "by \(name): String"]
                    .contains { line.contains($0) }
            }.map { "‘\($0)’ is a String, and equal to what Unicode takes for the same: use Subject, ExactText, ID" }
        }
    }

    private static let linesMax = 400
    private static let columnsMax = 120

    static let shortFiles = Rule(
        "A file has at most 400 lines", broken: "Sources/A.swift", by: String(repeating: "\n", count: linesMax + 1)
    ) { file in
        file.lines.count <= linesMax || file.path.hasSuffix(".md")
            ? [] : [Fault(line: linesMax, message: "\(file.lines.count) lines: split it by concept")]
    }

    /// The formatter breaks long lines of code, but neither comments nor strings.
    static let narrowLines = Rule(
        "A line has at most 120 columns", broken: "Sources/A.swift",
        by: "// " + String(repeating: "x", count: columnsMax)
    ) { file in
        guard file.isCode else { return [] }
        return file.faults(includingComments: true) { $0.count > columnsMax ? "\($0.count) columns" : nil }
    }

    /// Words that fit any type, and so say nothing about a particular one.
    private static let emptyWords: Set<Substring> = [
        "Manager", "Helper", "Helpers", "Util", "Utils", "Utilities", "Service", "Handler", "Impl", "Base", "Common",
        "Data", "Info", "Factory",
    ]

    static let plainNames = Rule(
        "A type's name says what it is", broken: "Sources/A.swift", by: "package final class SyncManager {}"
    ) { file in
        // Replacements of Apple's libraries have the names of the originals.
        guard file.isSwift, !file.path.hasPrefix("Tests/AppleStandIn/") else { return [] }
        return file.faults { line in
            guard declaresType(line), let name = declaration(in: line).dropFirst().first else { return nil }
            // SwiftData is a name, and Apple's.
            let own = name.replacing("SwiftData", with: "")
            return words(of: own).first { emptyWords.contains($0) }.map { "\(name): ‘\($0)’ names nothing" }
        }
    }

    static let noForce = Rule(
        "Sources never force a try or a cast", broken: "Sources/A.swift", by: "let x = try! f() as! Int"
    ) { file in
        guard file.isSwift, file.path.hasPrefix("Sources/") else { return [] }
        return file.faults { line in ["try!", "as!"].first { line.contains($0) }.map { "\($0) ends the process" } }
    }

    /// Composed here, because the literals would break the rule.
    private static let machineFolders = ["home", "Users", "work"].map { "/" + $0 + "/" }

    static let noMachinePaths = Rule(
        "No path of somebody's machine", broken: "docs/a.md", by: "cd \(machineFolders[0])ada/syncserver"
    ) { file in
        file.faults(includingComments: true) { line in
            machineFolders.first { line.contains($0) }.map { "‘\($0)…’ is not there on another machine" }
        }
    }

    /// The only folder that may import each C library.
    private static let homes = [
        "CPostgres": "Sources/Postgres/Connection/", "CMicroHTTPD": "Sources/HTTPServer/",
        "CZlib": "Sources/HTTPServer/Coding/", "CZstd": "Sources/HTTPServer/Coding/",
        "CSimdJSON": "Sources/StrictJSON/", "CSpawn": "Sources/Postgres/Cluster/",
        "CEpoll": "Sources/HTTPServer/Serving/",
        "CPgQuery": "Sources/SQLText/Parsing/",
    ]

    static let foreignCode = Rule(
        "A C library is imported in one place", broken: "Sources/SyncServer/A.swift", by: "internal import CPostgres"
    ) { file in
        guard file.isSwift else { return [] }
        return file.faults { line in
            let words = declaration(in: line)
            guard words.first == "import", let module = words.dropFirst().first, let home = homes[String(module)],
                !file.path.hasPrefix(home)
            else { return nil }
            return "\(module) belongs to \(home)"
        }
    }

    static let statedSendability = Rule(
        "What the compiler is told to believe has its reason above it", broken: "Sources/A.swift",
        by: "\nfinal class Rows: @unchecked Sendable {}"
    ) { file in
        guard file.isSwift, file.path.hasPrefix("Sources/") else { return [] }
        return file.lines.indices.compactMap { index in
            let line = file.lines[index]
            guard line.contains("@unchecked Sendable") || line.contains("nonisolated(unsafe)"),
                !file.lineAbove(index).hasPrefix("//")
            else { return nil }
            return Fault(line: index + 1, message: "say on the line above which manual allows it")
        }
    }

    /// S4_01: Foundation's Decimal converts through binary fractions: of a million prices it gets 183,681 wrong.
    static let exactDecimals = Rule(
        "A decimal is made from text", broken: "Sources/DemoApps/A.swift", by: "let price = Decimal(0.07)"
    ) { file in
        guard file.isSwift, file.path.hasPrefix("Sources/") else { return [] }
        return file.faults { line in
            line.contains(/\b(Decimal\(|NSDecimalNumber|doubleValue)/)
                ? "this rounds: use DecimalText, and `.doubleToDecimal` in a plan" : nil
        }
    }

    /// The types of the engine and of the tests of its lenses: a model that used any of them would repeat their faults.
    private static let engineWords: Set<Substring> = [
        "Hub", "HubEntity", "HubCompiler", "HubEntityBuilder", "Projection", "FieldEdit", "Placement", "Plan",
        "PlanCheck", "ShapeTree", "StageCompiler", "TypeChange", "Widening", "LensOperation", "ViewStep", "CaseMap",
        "ValueMapping", "RecordContext", "RecordState", "StampSet", "Laws", "LawRun", "ChainEntity",
        "ChainInterpreter", "ReferenceRecord", "RecordGenerator", "ConflictMerge", "PushCascade", "SpaceCascade",
    ]

    static let independentModel = Rule(
        "The model of the promises shares nothing with the engine", broken: "Sources/SyncModel/A.swift",
        by: "let view = Projection.view"
    ) { file in
        guard file.isSwift, file.path.hasPrefix("Sources/SyncModel/") else { return [] }
        return file.faults { line in
            let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
            if words.contains("import"), !words.contains("WireFormats"), !words.contains("StrictJSON") {
                return "it needs nothing but StrictJSON and WireFormats"
            }
            return words.first { engineWords.contains($0) }.map { "‘\($0)’ is part of what the model judges" }
        }
    }

    static let documentedTypes = Rule(
        "A type that other targets see is explained", broken: "Sources/WireFormats/A.swift", by: "\npublic struct A {}"
    ) { file in
        guard file.isSwift, file.path.hasPrefix("Sources/") else { return [] }
        return file.lines.indices.compactMap { index in
            let words = file.lines[index].split(separator: " ")
            guard words.contains(where: { $0 == "public" || $0 == "package" }), declaresType(file.lines[index]),
                !file.lineAbove(index).hasPrefix("///")
            else { return nil }
            return Fault(line: index + 1, message: "it has no documentation comment")
        }
    }
}
