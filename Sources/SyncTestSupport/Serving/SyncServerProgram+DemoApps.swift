import DemoApps
package import SyncCommands

extension SyncServerProgram {
    /// The program of the demo apps, in this process.
    package static func main(_ arguments: [String]) async -> Int32 { await main(arguments, apps: DemoApps.all) }
}
