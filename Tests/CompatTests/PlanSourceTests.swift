import Testing

@testable import SyncCommands

/// The ends of a plan's lists, in every accepted form, and the forms that are refused.
@Suite struct PlanSourceTests {
    private func appending(_ list: String) -> Result<String, PlanSource.Refusal> {
        var source = PlanSource("enum P {\n\(list)\n}\n")
        do {
            try source.append("B.self", after: "A.self", toListNamed: "schemas")
            return .success(source.text)
        } catch {
            return .failure(error)
        }
    }

    @Test(arguments: [
        ("        A.self,", "        A.self, B.self,"),
        ("        A.self", "        A.self, B.self,"),
        ("        Z.self, A.self,\n        // the newest", "        Z.self, A.self, B.self,\n        // the newest"),
        (
            "        \(String(repeating: "Z", count: 97)).self, A.self,",
            "        \(String(repeating: "Z", count: 97)).self, A.self,\n        B.self,"
        ),
    ])
    func theListGoesOn(_ before: String, _ after: String) throws {
        let head = "    static let schemas: [any VersionedSchema.Type] = [\n"
        #expect(try appending(head + before + "\n    ]").get() == "enum P {\n\(head)\(after)\n    ]\n}\n")
    }

    /// A checkout may have other line ends.
    @Test(arguments: ["\r\n", "\r"]) func theListGoesOnWhateverEndsItsLines(_ end: String) throws {
        let list = "    static let schemas: [T] = [\n        A.self,\n    ]"
        #expect(
            try appending(list.replacing("\n", with: end)).get()
                == "enum P {\n    static let schemas: [T] = [\n        A.self, B.self,\n    ]\n}\n")
    }

    @Test(arguments: [
        "    static let schemas: [T] = [A.self]",
        "    static let schemas: [T] = [\n        A.self,\n        C.self,\n    ]",
        "    static let schemas: [T] = [\n        AA.self,\n    ]",
        "    static let schemas: [T] = [\n    ]",
        "    static let schemas: [T] = [\n        A.self, ]",
        "    static let schemas: [T] = others + [\n        A.self,\n    ]\n    static let schemas: [T] = [\n    ]",
        "    static var schemas: [T] { [\n        A.self,\n    ] }",
        "",
    ])
    func anythingElseIsRefused(_ list: String) {
        #expect(throws: PlanSource.Refusal.self) { try appending(list).get() }
    }

    @Test func aFirstStageOpensTheList() throws {
        var source = PlanSource("    static let stages: [MigrationStage] = []\n")
        try source.append(".lightweight(fromVersion: A.self, toVersion: B.self)", toListNamed: "stages")
        #expect(
            source.text
                == "    static let stages: [MigrationStage] = [\n"
                + "        .lightweight(fromVersion: A.self, toVersion: B.self),\n    ]\n")
    }

    @Test func aStageThatIsTooLongIsBroken() throws {
        var source = PlanSource("    static let stages: [MigrationStage] = [\n        .first\n    ]\n")
        let long = String(repeating: "A", count: 60)
        try source.append(".lightweight(fromVersion: \(long), toVersion: \(long))", toListNamed: "stages")
        #expect(
            source.text == """
                    static let stages: [MigrationStage] = [
                        .first,
                        .lightweight(
                            fromVersion: \(long), toVersion: \(long)),
                    ]

                """)
    }
}
