import WireFormats

extension LegacyContent {
    /// Adds the records of a row, read in the first of these forms that recognises it. If none does, the row's fault is
    /// added instead.
    ///
    /// - Parameter position: the number of the row in the file.
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
