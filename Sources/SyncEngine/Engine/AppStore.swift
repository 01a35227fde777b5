import PGStore
import WireFormats

/// Everything that is compiled from an app's plan in order to write to its tables; compiled once, when the server
/// starts.
struct AppStore: Sendable {
    let app: String
    let hub: Hub
    /// The tables, by index in `hub.entities`.
    let tables: [RecordTable]
    /// The projections of all versions, by entity.
    let readers: [[Projection]]
    let spaces: Spaces
    let returning: ReturningBudget
    /// Returns the quotas that are in force now.
    let currentQuotas: @Sendable () -> Quotas

    var quotas: Quotas { currentQuotas() }
}
