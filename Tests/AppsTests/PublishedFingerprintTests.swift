import Apps
import Testing
import WireFormats

/// What is published is on devices: neither a declaration nor the code that reads it may change it.
@Suite struct PublishedFingerprintTests {
    @Test func fingerprintsOfFitIQNeverChange() throws {
        let fingerprints = try Plan(FitIQPlan.self).schemas.map(\.fingerprint)
        #expect(
            fingerprints == [
                "aec673067bba5d13", "f6448e52f75d41e0", "c8e0d0143202c676", "b6bb8621c9b931ef", "8ad8f2e291e53dba",
                "28fbc7cd69e23e61", "5c52952bb704c743", "9fff93d519a636fa", "90eff83bb2d83905", "9691fcd4161dcaa0",
                "f715f0a7ba947e62",
            ])
    }
}
