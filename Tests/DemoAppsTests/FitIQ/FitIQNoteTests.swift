import DemoApps
import Testing

@testable import WireFormats

@Suite struct FitIQNoteTests {
    @Test("S1_14: an id beside a relationship of the same meaning is reported as long as it exists")
    func aSecondIdentityIsPointedOut() throws {
        let plan = try Plan(FitIQPlan.self)
        let subjects = plan.schemas.indices.map { plan.notes(on: $0).map(\.subject) }
        #expect(subjects[7] == ["SDProgressEntry.userID, 0.0.8"])
        #expect(subjects[8] == ["SDPhotoRecognition.userID, 0.0.9"])
        #expect(subjects[9...].allSatisfy { $0.isEmpty }, "\(subjects)")
    }
}
