import StrictJSON
import SyncServer
import WireFormats

extension SchemaCommand {
    static func jsonSchema(_ options: Options) throws -> Int32 {
        let plan = try appsPlan(options)
        let place = try version(options.positional[0], of: plan)
        let entity = options["entity"]
        guard let schema = ChangesetSchema(plan, version: place, entity: entity) else {
            let known = plan.projections[place].compactMap { $0?.name }.joined(separator: ", ")
            throw UsageError(
                "Version \(plan.name(of: place)) syncs no entity ‘\(entity ?? "")’; it syncs \(known)."
            )
        }
        Terminal.print(JSONWriter.text { schema.write(to: &$0) })
        return 0
    }
}
