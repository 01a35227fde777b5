package import Postgres
package import WireFormats

/// The statements on the lives of versions. The serving role may only call `reading`; the others are for whoever
/// migrates.
package enum VersionLives {
    /// What was said of one version.
    package struct Row: Sendable, Hashable {
        package let app: String
        /// As in the census: with the fingerprint only where the number alone means another shape.
        package let version: String
        package var deprecated: Timestamp?
        /// When it is to end, as devices are told.
        package var sunset: Timestamp?
        /// From then on it can neither pull nor push.
        package var retired: Timestamp?
        /// From then on nobody can push what was written in it. There is one where there is `retired`.
        package var outboxUntil: Timestamp?
        package var link: String?

        package init(app: String, version: String) {
            (self.app, self.version) = (app, version)
        }

        /// True of what can be a link in a header: `http` or `https`, at most a thousand characters that need no
        /// escape.
        package static func isLink(_ text: String) -> Bool {
            guard text.hasPrefix("https://") || text.hasPrefix("http://"), text.utf8.count <= 1_000 else {
                return false
            }
            return text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"<>\"\\^`{|}".utf8.contains($0) }
        }

        /// - Parameter rows: what `reading` returned.
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

    /// Returns `Row`s of all apps.
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

    /// As if nothing had been said of a version.
    package static func removing(_ version: String, of app: String) -> Command {
        Command("DELETE FROM sync.version_life WHERE app = $1 AND version = $2", [.text(app), .text(version)])
    }

    /// Writes down what was done.
    ///
    /// - Parameter action: `deprecate`, `retire` or `restore`.
    package static func noting(
        _ action: String, _ version: String, of app: String, isForced: Bool, detail: String
    ) -> Command {
        Command(
            "INSERT INTO sync.version_event (app, version, action, is_forced, detail) VALUES ($1, $2, $3, $4, $5)",
            [.text(app), .text(version), .text(action), .bool(isForced), .text(detail)])
    }

    /// Returns `(at, by, version, action, is_forced, detail)`, the latest first.
    package static func events(of app: String) -> Command {
        Command(
            """
            SELECT at, by, version, action, is_forced, detail FROM sync.version_event WHERE app = $1 ORDER BY id DESC
            """, [.text(app)])
    }
}
