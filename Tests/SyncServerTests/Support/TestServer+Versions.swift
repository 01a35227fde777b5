import SyncSimulator
import SyncTestSupport
import WireFormats

extension TestServer {
    /// Returns a new device of the version at this index in the plan.
    func device(version: Int) -> TestDevice { device("\(plan.schemas[version].version)") }

    /// The same device with the app's newer version.
    func upgraded(_ old: TestDevice, from older: Int, to newer: Int) async throws -> TestDevice {
        let device = device("\(plan.schemas[newer].version)", id: old.id)
        let migration = LightweightMigration(plan, content: { JSONValue($0) }, isNull: \.isNull)
        let store = migration.migrated(await old.store, from: older, to: newer)
        await device.take(over: store, cursor: await old.cursor)
        return device
    }
}
