import PlantedBugs
import WireFormats

extension RecordState {
    /// What a version reads in one field of this record: a reference whose target is absent or dead reads as null.
    func visible(_ field: Projection.Field, in entity: HubEntity) -> Value {
        if dangling != 0, !PlantedBug.hiddenReferenceErased.isPlanted, case .reference = field.type.kind,
            let bit = entity.references.firstIndex(where: { $0.column == field.column }),
            dangling >> UInt64(bit) & 1 == 1
        {
            return .null
        }
        return field.isPlainCopy ? values[field.column] : field.view(values[field.column])
    }
}
