import WireFormats

extension Options {
    /// The subject that `--subject` names.
    ///
    /// - Throws: if no subject can have this name.
    func subject() throws(UsageError) -> Subject {
        let subject = try required("subject")
        guard (1...Subject.sizeMaxBytes).contains(subject.utf8.count) else {
            throw UsageError("‘--subject’ takes 1 to \(Subject.sizeMaxBytes) bytes.")
        }
        return Subject(subject)
    }
}
