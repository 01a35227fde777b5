import StrictJSON
import SyncServer
import WireFormats

extension SchemaCommand {
    static func jsonSchema(_ options: Options) throws -> Int32 {
        let plan = try appsPlan(options)
        let index = try version(options.positional[0], of: plan)
        let entity = options["entity"]
        guard let schema = ChangesetSchema(plan, version: index, entity: entity) else {
            let known = plan.projections[index].compactMap { $0?.name }.joined(separator: ", ")
            throw UsageError(
                "Version \(plan.name(of: index)) syncs no entity ‘\(entity ?? "")’; it syncs \(known)."
            )
        }
        Terminal.print(JSONWriter.text { schema.write(to: &$0) })
        return 0
    }
}
