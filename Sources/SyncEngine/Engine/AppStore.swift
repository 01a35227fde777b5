import PGStore
import WireFormats

/// What is compiled of an app's plan to write to its tables, once when the server starts.
struct AppStore: Sendable {
    let app: String
    let hub: Hub
    /// By place in `hub.entities`.
    let tables: [RecordTable]
    /// All versions' views, by entity.
    let readers: [[Projection]]
    let spaces: Spaces
    let returning: ReturningBudget
    /// How much there may be of what is kept, as it holds now.
    let currentQuotas: @Sendable () -> Quotas

    var quotas: Quotas { currentQuotas() }
}
