extension Plan {
    /// By hub entity: the columns in which edits may give another result if they arrive in another order. Each belongs
    /// to a merge unit (columns under one stamp) in which some version has several attributes, none of them with a
    /// stamp of its own. See docs/internals/rows.md, *What depends on the order of arrival*.
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
