import PGStore
import WireFormats

/// Everything that is compiled from an app's plan in order to write to its tables; compiled once, when the server
/// starts.
struct AppStore: Sendable {
    let app: String
    let hub: Hub
    /// The tables, by index in `hub.entities`.
    let tables: [RecordTable]
    /// For each entity, by index in `hub.entities`: its projections (translations to and from the tables) in all
    /// versions that have it, in the order of the versions.
    let readers: [[Projection]]
    let spaces: Spaces
    let returning: ReturningBudget
    /// Returns the quotas that are in force now.
    let currentQuotas: @Sendable () -> Quotas

    var quotas: Quotas { currentQuotas() }
}
