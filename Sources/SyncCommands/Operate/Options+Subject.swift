import WireFormats

extension Options {
    /// Returns the subject given by `--subject`.
    ///
    /// - Throws: `UsageError` if the text is not a valid subject.
    func subject() throws(UsageError) -> Subject {
        let subject = try required("subject")
        guard (1...Subject.sizeMaxBytes).contains(subject.utf8.count) else {
            throw UsageError("‘--subject’ takes 1 to \(Subject.sizeMaxBytes) bytes.")
        }
        return Subject(subject)
    }
}
