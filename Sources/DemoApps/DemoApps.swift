public import WireFormats

/// The demo apps, which `syncserver` serves unless it is built with other apps.
public enum DemoApps {
    /// The plans of all demo apps.
    public static let all: [any SchemaMigrationPlan.Type] = [
        FitIQPlan.self, AllesTeurerPlan.self, KeepTrackPlan.self, EasitOpenPlan.self,
    ]
}
