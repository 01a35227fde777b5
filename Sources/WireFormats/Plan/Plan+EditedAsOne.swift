extension Plan {
    /// By entity, as in `Hub.entities`: the columns whose value may depend on the order in which edits arrive. They
    /// belong to merge units in which several attributes of a version share one stamp. See docs/internals/rows.md,
    /// *What depends on the order of arrival*.
    package var columnsEditedAsOne: [Set<Int>] {
        hub.entities.map { entity in
            var units: Set<Int> = []
            for projection in projections.compactMap({ $0[entity.index] }) {
                var seen: Set<Int> = []
                for field in projection.fields {
                    let unit = entity.unitOfColumn[field.column]
                    let isSecond = !seen.insert(unit).inserted
                    if isSecond, entity.units[unit].parts.isEmpty { units.insert(unit) }
                }
            }
            return Set(units.flatMap { entity.units[$0].columns })
        }
    }
}
