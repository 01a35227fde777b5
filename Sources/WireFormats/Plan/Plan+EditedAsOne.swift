extension Plan {
    /// By entity, as in `Hub.entities`: the columns in which the result of edits may depend on the order of their
    /// arrival. These are columns of merge units in which several attributes of a version share one stamp. See
    /// docs/internals/rows.md, *What depends on the order of arrival*.
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
