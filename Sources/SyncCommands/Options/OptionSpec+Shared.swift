/// The options that several commands share.
extension OptionSpec {
    package static let help = flag("help", "show this text; -h is the same")

    package static let json = flag("json", "print JSON, for programs")

    package static let database = value(
        "database", "URL",
        "the database, as a URI or as libpq's keywords; without any, a private cluster in .syncserver/postgres",
        variable: "DATABASE_URL")

    package static let migrations = value(
        "migrations", "PATH", "the folder of migration files; without any, ‘Migrations’ here or above the program",
        kind: .folder, variable: "SYNC_MIGRATIONS")

    /// The option `--app` of the commands that work on one app. It may be left out if the program serves only one.
    package static let app = app("the app; may be left out where there is one", isRequired: true)

    package static func app(_ help: String, isRequired: Bool = false) -> OptionSpec {
        value("app", "APP", help, kind: .app, isRequired: isRequired)
    }
}
