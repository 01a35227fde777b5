import WireFormats

extension LegacyContent {
    /// Adds a row, read in the first form that recognises it.
    mutating func read(_ row: LegacyRow, at position: Int, as forms: [any LegacyForm.Type]) {
        let records = Result { () throws(LegacyFault) in
            guard let form = forms.first(where: { $0.recognises(row) }) else {
                throw LegacyFault("The row has none of the forms that are known.")
            }
            return try form.init(row).records
        }
        add(records, at: position)
    }
}
