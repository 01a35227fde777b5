public import WireFormats

/// The demo apps, which the server serves by default.
public enum DemoApps {
    /// The plans of all demo apps.
    public static let all: [any SchemaMigrationPlan.Type] = [
        FitIQPlan.self, AllesTeurerPlan.self, KeepTrackPlan.self, EasitOpenPlan.self,
    ]
}
