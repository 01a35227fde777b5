import WireFormats

extension LegacyContent {
    /// Reads a row, and adds the records in it. The first form that recognises the row is used. If the row cannot be
    /// read, the error is added instead.
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
