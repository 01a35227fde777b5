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
        // Swift replaces bytes that are not UTF-8 by U+FFFD, and so makes one subject of different ones.
        guard !subject.unicodeScalars.contains("\u{FFFD}") else {
            throw UsageError("‘--subject’ is not UTF-8, or has U+FFFD, which stands for what is not.")
        }
        guard subject.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
            throw UsageError("‘--subject’ has a control character, which no identity provider’s subject may have.")
        }
        return Subject(subject)
    }
}
