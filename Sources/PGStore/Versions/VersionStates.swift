package import Postgres
package import WireFormats

/// The statements on the lifecycle states of versions (deprecated, retired). The serving role may only call `reading`;
/// the others are for the role that migrates.
package enum VersionStates {
    /// The lifecycle state of one version.
    package struct Row: Sendable, Hashable {
        package let app: String
        /// The version's name in the census, such as `0.1.0`. The name of a variant, a second schema that was shipped
        /// under a version's number, also contains its fingerprint: `0.1.0;fp=9691fcd4161dcaa0`.
        package let version: String
        package var deprecated: Timestamp?
        /// The planned end of the version, as it is sent to devices.
        package var sunset: Timestamp?
        /// The time from which devices with the version can neither pull nor push; `nil` if the version is not retired.
        package var retired: Timestamp?
        /// The time from which the server refuses changes that were written in the version, even if an updated app
        /// sends them. A retired version always has such a time.
        package var outboxUntil: Timestamp?
        package var link: String?

        package init(app: String, version: String) {
            (self.app, self.version) = (app, version)
        }

        /// Returns true if the text can be sent as a link in a header: a URL with `http` or `https`, of at most a
        /// thousand characters, none of which needs an escape.
        package static func isLink(_ text: String) -> Bool {
            guard text.hasPrefix("https://") || text.hasPrefix("http://"), text.utf8.count <= 1_000 else {
                return false
            }
            return text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"<>\"\\^`{|}".utf8.contains($0) }
        }

        /// Parses the versions' lifecycle states that the command `reading` returned.
        package static func all(_ rows: Rows) -> [Row] {
            (0..<rows.count).map {
                var row = Row(app: rows.string($0, 0), version: rows.string($0, 1))
                row.deprecated = rows.timestampIfPresent($0, 2)
                row.sunset = rows.timestampIfPresent($0, 3)
                row.retired = rows.timestampIfPresent($0, 4)
                row.outboxUntil = rows.timestampIfPresent($0, 5)
                row.link = rows.stringIfPresent($0, 6).flatMap { Row.isLink($0) ? $0 : nil }
                return row
            }
        }
    }

    /// Reads the lifecycle states of all apps' versions. `Row.all` parses the result.
    package static let reading: Command = """
        SELECT app, version, deprecated_at, sunset_at, retired_at, outbox_until, link FROM sync.version_life
        """

    package static func writing(_ row: Row) -> Command {
        Command(
            """
            INSERT INTO sync.version_life (app, version, deprecated_at, sunset_at, retired_at, outbox_until, link)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            ON CONFLICT (app, version) DO UPDATE SET deprecated_at = excluded.deprecated_at,
                sunset_at = excluded.sunset_at, retired_at = excluded.retired_at,
                outbox_until = excluded.outbox_until, link = excluded.link
            """,
            [
                .text(row.app), .text(row.version), .timestamp(row.deprecated), .timestamp(row.sunset),
                .timestamp(row.retired), .timestamp(row.outboxUntil), .text(row.link),
            ])
    }

    /// Deletes the version's lifecycle state, so that the version is supported again.
    package static func removing(_ version: String, of app: String) -> Command {
        Command("DELETE FROM sync.version_life WHERE app = $1 AND version = $2", [.text(app), .text(version)])
    }

    /// Records an operator's action on a version in the log.
    ///
    /// - Parameter action: `deprecate`, `retire` or `restore`.
    package static func noting(
        _ action: String, _ version: String, of app: String, isForced: Bool, detail: String
    ) -> Command {
        Command(
            "INSERT INTO sync.version_event (app, version, action, is_forced, detail) VALUES ($1, $2, $3, $4, $5)",
            [.text(app), .text(version), .text(action), .bool(isForced), .text(detail)])
    }

    /// Reads the operators' actions on an app's versions, the latest first. Returns `(at, by, version, action,
    /// is_forced, detail)`.
    package static func events(of app: String) -> Command {
        Command(
            """
            SELECT at, by, version, action, is_forced, detail FROM sync.version_event WHERE app = $1 ORDER BY id DESC
            """, [.text(app)])
    }
}
