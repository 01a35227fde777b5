import SchemaImport
import WireFormats

/// The files of a new package that serves one app, with their paths in the package. Only generates the texts, and
/// writes no file.
struct PackageTemplate {
    let name: PackageName
    let library: LibraryLocation
    /// The versions imported from the app's sources; `nil` if the package gets an example.
    var versions: ImportResult?

    struct File {
        let path: String
        let text: String
        var isProgram = false
    }

    var files: [File] {
        [
            File(path: "Package.swift", text: manifest)
        ] + planFiles + [
            File(path: "Sources/\(name.type)Server/main.swift", text: server),
            File(path: "Sources/\(name.type)Compat/main.swift", text: compat),
            File(path: "Tests/\(name.type)Tests/\(name.type)Tests.swift", text: tests),
            File(path: "script/setup", text: setup, isProgram: true),
            File(path: "script/ci", text: continuousIntegration, isProgram: true),
            File(path: "script/release", text: release, isProgram: true),
            File(path: ".gitignore", text: ".build/\n.swiftpm/\n.syncserver/\nsimulation-*.json\n"),
            File(path: "Containerfile", text: containerfile),
            File(path: "README.md", text: readme),
        ]
    }

    private var planFiles: [File] {
        let files =
            versions?.files.map { ($0.name, $0.text) } ?? [
                ("\(name.type).swift", namespace), ("SchemaV1.swift", firstVersion),
                ("\(name.type)Plan.swift", plan),
            ]
        return files.map { File(path: "Sources/\(name.type)/\($0)", text: $1) }
    }

    /// True if the import left no open question about the plan.
    var isDecided: Bool { versions?.questions.isEmpty ?? true }

    /// The command that drafts the SQL for the tables of all versions.
    var drafting: String {
        let newest = versions?.versions.last { !$0.isVariant }.map { "\($0.schema.version)" } ?? "1.0.0"
        return "schema sql \(newest) --write --app \(name.app)"
    }

    private var manifest: String {
        """
        // swift-tools-version: 6.2
        import PackageDescription

        let package = Package(
            name: "\(name.program)",
            products: [
                .executable(name: "\(name.program)", targets: ["\(name.type)Server"]),
                // ‘\(name.program) compat’ runs it, so that what serves links no test tools.
                .executable(name: "\(name.program)-compat", targets: ["\(name.type)Compat"]),
            ],
            dependencies: [
                \(library.dependency)
            ],
            targets: [
                .target(
                    name: "\(name.type)",
                    dependencies: [.product(name: "WireFormats", package: "\(library.identity)")]),
                .executableTarget(
                    name: "\(name.type)Server",
                    dependencies: ["\(name.type)", .product(name: "SyncServer", package: "\(library.identity)")]),
                .executableTarget(
                    name: "\(name.type)Compat",
                    dependencies: ["\(name.type)", .product(name: "SyncTesting", package: "\(library.identity)")]),
                .testTarget(
                    name: "\(name.type)Tests",
                    dependencies: ["\(name.type)", .product(name: "SyncTesting", package: "\(library.identity)")]),
            ]
        )

        """
    }

    private var namespace: String {
        """
        /// Say here what the app is for. Each version of its models is a file of its own: `SchemaV1`, and so on.
        public enum \(name.type) {}

        """
    }

    private var firstVersion: String {
        """
        public import WireFormats

        extension \(name.type) {
            /// An example to be replaced: the models of the first version that anybody has, in SwiftData's words.
            public enum SchemaV1: VersionedSchema {
                public static let versionIdentifier = Schema.Version(1, 0, 0)
                public static let models = Models {
                    Model("Item") {
                        Identity("id")
                        Attribute("name", .string, default: "")
                        Attribute("note", .string.optional)
                        Attribute("createdAt", .date, default: .creation)
                        Relationship("list", toOne: "ItemList", inverse: "items")
                    }
                    Model("ItemList") {
                        Identity("id")
                        Attribute("title", .string, default: "")
                        Relationship("items", toMany: "Item", deleteRule: .cascade, inverse: "list")
                    }
                }
            }
        }

        """
    }

    private var plan: String {
        """
        public import WireFormats

        /// The life of the models: every version, oldest first, and the step between each two.
        public enum \(name.type)Plan: SchemaMigrationPlan {
            public static let app = "\(name.app)"

            public static let schemas: [any VersionedSchema.Type] = [
                \(name.type).SchemaV1.self,
            ]

            public static let stages: [MigrationStage] = []
        }

        """
    }

    private var server: String {
        """
        import Glibc
        import \(name.type)
        import SyncCommands

        exit(await SyncServerProgram.main(CommandLine.arguments, apps: [\(name.type)Plan.self]))

        """
    }

    private var compat: String {
        """
        import Glibc
        import \(name.type)
        import SyncTesting

        exit(await SyncTestingProgram.main(CommandLine.arguments, apps: [\(name.type)Plan.self]))

        """
    }

    private var tests: String {
        """
        import \(name.type)
        import SyncTesting
        import Testing

        /// The promises to every version of the app. A failure names a seed; give it to the check to see it again.
        @Suite(.serialized) struct \(name.type)Tests {
            let app = AppTests(\(name.type)Plan.self)

            @Test func conversionsKeepTheLaws() async throws { try await app.checkLaws() }

            @Test func publishedVersionsStayAsTheyAre() throws { try app.checkPublished() }

            @Test func everyVersionGetsAlongWithEveryOther() async throws { try await app.checkVersions() }

            @Test func migrationsDoWhatConversionsDo() async throws { try await app.checkMigrations() }
        }

        """
    }

    private var setup: String {
        """
        #!/bin/bash
        # Installs what building and testing need of Debian's packages and this machine lacks. The tests bring a
        # PostgreSQL of their own: none is started or enabled.
        set -euo pipefail
        packages=(\(DebianPackages.build.joined(separator: " ")))
        missing=()
        for package in "${packages[@]}"; do
            [[ $(dpkg-query --show --showformat '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
                missing+=("$package")
        done
        if ((${#missing[@]} > 0)); then
            as_root=()
            ((EUID == 0)) || as_root=(sudo)
            # Else Debian makes and starts a cluster on PostgreSQL's usual port.
            "${as_root[@]}" mkdir -p /etc/postgresql-common/createcluster.d
            echo 'create_main_cluster = false' |
                "${as_root[@]}" tee /etc/postgresql-common/createcluster.d/no-main-cluster.conf >/dev/null
            "${as_root[@]}" apt-get update --quiet
            "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \\
                apt-get install --yes --quiet --no-install-recommends "${missing[@]}"
        fi
        if ! command -v swift >/dev/null; then
            echo "There is no ‘swift’ on the PATH. Install a Swift 6.3 toolchain, then try again." >&2
            exit 1
        fi

        """
    }

    private var continuousIntegration: String {
        """
        #!/bin/bash
        # What a change must pass: the build, the promises to every version, and what is published.
        set -euo pipefail
        cd "$(dirname "$0")/.."
        script/setup
        swift build
        swift test --disable-xctest
        swift run \(name.program) schema check --cases 1000
        swift run \(name.program) migrate lint

        """
    }

    private var release: String {
        """
        #!/bin/bash
        # Builds what is deployed, in a folder that is laid out like /usr/local: the program and its migrations. Where
        # it runs there need be no Swift, only these of Debian's packages:
        #   \(DebianPackages.libraries.joined(separator: " "))
        #   script/release FOLDER     another folder than .build/release-files
        set -euo pipefail
        cd "$(dirname "$0")/.."
        folder=${1:-.build/release-files}
        swift build --configuration release --static-swift-stdlib --product \(name.program)
        rm -rf "$folder"
        install -D --strip .build/release/\(name.program) "$folder/bin/\(name.program)"
        mkdir -p "$folder/share/\(name.program)"
        cp -r Migrations "$folder/share/\(name.program)/"
        ls -l "$folder/bin/\(name.program)"

        """
    }

    private var containerfile: String {
        """
        # Where Package.swift names the library by a path, build from a folder that holds both:
        #   podman build --file \(name.program)/Containerfile --build-arg package=\(name.program) ..
        FROM swift:6.3-bookworm AS build
        RUN apt-get update && apt-get install --yes --no-install-recommends \\
            \(DebianPackages.build.dropLast().joined(separator: " "))
        ARG package=.
        COPY . /source
        WORKDIR /source/${package}
        RUN script/release /out

        FROM debian:bookworm-slim
        RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates \\
            \(DebianPackages.libraries.joined(separator: " ")) \\
            && rm -rf /var/lib/apt/lists/* && useradd --system \(name.program)
        COPY --from=build /out/ /usr/local/
        USER \(name.program)
        EXPOSE 8080
        ENTRYPOINT ["\(name.program)"]
        CMD ["serve", "--address", "0.0.0.0"]

        """
    }

    private var readme: String {
        """
        # \(name.type)

        The sync server of \(name.type): every version of the app in its own shape.

        ```sh
        swift run \(name.program) serve --demo    # with a PostgreSQL of its own in .syncserver
        swift test                     # every version against every other, conversions, migrations
        ```

        `script/setup` installs what the two need of Debian. What is where:

        - `Sources/\(name.type)`: a file for each version of the models, and the plan. What a published version declares
          never changes: `swift run \(name.program) schema new --app \(name.app)` makes the next.
        - `Migrations/\(name.app)`: the tables, drafted by `schema sql --write`. The server's own tables come with the
          library.
        - `Migrations/schemas.lock` and `Tests/CompatTests/fixtures`: what `schema freeze` has published. Commit them.
        - `script/ci`: what a change must pass. `script/release`: what is deployed. `Containerfile`: an image of it.

        After each change of the plan: `schema check` says what is missing, `schema plan` what older versions will
        see, `schema sql OLDER NEWER --write` drafts the migration, `swift test` tries all of it, `schema freeze`
        publishes it.

        """
    }
}
