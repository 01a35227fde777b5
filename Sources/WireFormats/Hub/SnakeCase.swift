/// The SQL name for a Swift name: `SDUserProfile` → `sd_user_profile`, `totalProteinG` → `total_protein_g`.
func snakeCase(_ name: String) -> String {
    let letters = Array(name)
    var words = ""
    for (index, letter) in letters.enumerated() {
        let startsWord =
            letter.isUppercase && index > 0
            && (!letters[index - 1].isUppercase || (index + 1 < letters.count && letters[index + 1].isLowercase))
        if startsWord, letters[index - 1] != "_" { words += "_" }
        words += letter.lowercased()
    }
    return words
}

/// Returns the SQL name for a Swift name, different from every name that is taken. If the plain SQL name is taken, a
/// suffix is appended: `_v` and the version's position in the plan, counted from 1.
///
/// - Parameters:
///   - version: the version that introduces the name, as an index in `Plan.schemas`.
///   - taken: returns true for a name that is used already.
func snakeCase(_ name: String, version: Int, taken: (String) -> Bool) -> String {
    let plain = cut(snakeCase(name), toUTF8: identifierBytesMax)
    if !taken(plain) { return plain }
    for attempt in 0... {
        let suffix = attempt == 0 ? "_v\(version + 1)" : "_v\(version + 1)_\(attempt + 1)"
        let candidate = cut(plain, toUTF8: identifierBytesMax - suffix.utf8.count) + suffix
        if !taken(candidate) { return candidate }
    }
    preconditionFailure("the natural numbers ended")
}

/// The longest SQL identifier, in bytes. PostgreSQL silently cuts longer identifiers at 63 bytes (manual, section
/// 4.1.1), so two could become the same.
private let identifierBytesMax = 63

private func cut(_ name: String, toUTF8 bytesMax: Int) -> String {
    var name = name
    while name.utf8.count > bytesMax { name.removeLast() }
    return name
}
