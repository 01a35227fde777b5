import DemoApps
import SyncClient
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

extension CompatTests {
    /// Monday with a lunch break, and a Friday that ends after midnight.
    private static let hours = [(2, 540, 780), (2, 960, 1140), (6, 1080, 120)]

    private func hours(of business: ID) -> [OutgoingChange] {
        let ids = EasitOpen.openingHours(of: business, onWeekdays: CompatTests.hours.map(\.0))
        return zip(ids, CompatTests.hours).map { id, hours in
            OutgoingChange(
                entity: "DaySchedule", id: id, operation: .create, stamp: nil,
                fields: [
                    ("weekday", .int(Int64(hours.0))), ("openTime", .int(Int64(hours.1))),
                    ("closeTime", .int(Int64(hours.2))), ("isClosed", .bool(false)), ("business", .uuid(business)),
                ])
        }
    }

    @Test("S5_11: pushing the hours twice leaves as many rows, and deleting the business leaves none")
    func openingHoursAreThereOnceAndGoWithTheirBusiness() async throws {
        let plan = try Plan(EasitOpenPlan.self)
        try await TemporaryServer.with(plan, lines: Repository.migrations(of: "easitopen")) { server in
            func device(_ version: Int) -> SpaceClient {
                SpaceClient(
                    endpoint: SpaceEndpoint(server: server.url, app: plan.app, space: "me", token: server.token),
                    schema: plan.schemas[version], device: .random())
            }
            let business = ID.random()
            let bakery = OutgoingChange(
                entity: "Business", id: business, operation: .create, stamp: nil,
                fields: [
                    ("name", .string("Corner Bakery")), ("address", .string("1 Sample Street")),
                    ("latitude", .double(32.08)), ("longitude", .double(34.78)),
                    ("dateAdded", .date(Timestamp(microseconds: 0))),
                ])
            // Two devices with different versions refresh the same business.
            #expect(try await device(0).push([bakery] + hours(of: business)).results.isEmpty)
            _ = try await device(4).push(hours(of: business))
            let page = try await device(2).pull(after: nil)
            #expect(page.changes.count { $0.entity == "DaySchedule" && $0.fields != nil } == 3)

            let gone = OutgoingChange(entity: "Business", id: business, operation: .delete, stamp: nil)
            #expect(try await device(4).push([gone]).results.isEmpty)
            for version in plan.schemas.indices {
                #expect(try await device(version).pull(after: nil).changes.allSatisfy { $0.fields == nil })
            }
        }
    }
}
