import PlantedBugs
import WireFormats

extension RecordState {
    /// Returns the value that a version reads in one field of this record. A reference whose target is absent or
    /// deleted reads as null.
    func visible(_ field: Projection.Field, in entity: HubEntity) -> Value {
        if dangling != 0, !PlantedBug.hiddenReferenceErased.isPlanted, case .reference = field.type.kind,
            let bit = entity.references.firstIndex(where: { $0.column == field.column }),
            dangling >> UInt64(bit) & 1 == 1
        {
            return .null
        }
        return field.isPlainCopy ? values[field.column] : field.view(values[field.column])
    }

    /// Clears the mark that a reference reads as null, for each reference whose target was changed by a write. After
    /// all changes of the push are merged, a later stage checks if the new targets exist.
    ///
    /// - Parameter values: the values before the write.
    mutating func showReferences(since values: [Value], in entity: HubEntity) {
        if dangling == 0 { return }
        for (bit, reference) in entity.references.enumerated()
        where values[reference.column] != self.values[reference.column] {
            dangling &= ~(1 << UInt64(bit))
        }
    }
}
