public import WireFormats

/// The apps that are served out of the box.
public enum DemoApps {
    public static let all: [any SchemaMigrationPlan.Type] = [
        FitIQPlan.self, AllesTeurerPlan.self, KeepTrackPlan.self, EasitOpenPlan.self,
    ]
}
