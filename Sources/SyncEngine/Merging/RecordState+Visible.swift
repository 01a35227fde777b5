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

    /// Lets references read as what has been written since: whether their new targets are there is settled once all of
    /// the push is merged.
    ///
    /// - Parameter values: those of before.
    mutating func showReferences(since values: [Value], in entity: HubEntity) {
        if dangling == 0 { return }
        for (bit, reference) in entity.references.enumerated()
        where values[reference.column] != self.values[reference.column] {
            dangling &= ~(1 << UInt64(bit))
        }
    }
}
